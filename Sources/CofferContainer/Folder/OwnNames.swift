internal import CofferLinux
internal import Synchronization

/// The names that a carrier gave to files of its folder, or took away, and that the folder has not told of.
///
/// Shared, by a `Mutex`. If the folder never tells of one, the next change of that name by another program is
/// missed, as any hint may be.
final class OwnNames: Sendable {
    private static let limit = 4_096

    private let names = Mutex(Set<ObjectName>())

    /// Notes a name before it is given or taken away.
    func note(_ name: ObjectName) {
        // The folder of values is not watched.
        if name.identity == .data { return }
        names.withLock { names in
            // Nothing tells of what was put before the folder was watched.
            if names.count >= Self.limit { names = [] }
            names.insert(name)
        }
    }

    /// Forgets all of them.
    func forget() { names.withLock { $0 = [] } }

    /// What a folder's hint tells that is not known; `nil` if nothing.
    func news(in hint: FolderHint) -> CarrierHint? {
        // Other names are those of files that are not in their places yet.
        let objects = Set(hint.names.compactMap { ObjectName($0) })
        let others = names.withLock { names in objects.filter { names.remove($0) == nil } }
        if !hint.isWhole { return .anything }
        return others.isEmpty ? nil : .objects(others)
    }
}
