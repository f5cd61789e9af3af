import CofferLinux
import Synchronization

/// Which stores are shared, in the data folder's file `.shared-stores`, so that what other machines write
/// comes in while no client runs.
///
/// Shared. A line for each store: application, configuration, name and what it is called in containers, with
/// slashes between, which none of these has.
final class RememberedStores: Sendable {
    private static let fileName = ".shared-stores"

    private let root: Folder
    /// Read when first asked for.
    private let known = Mutex<[StoreKey: String]?>(nil)

    /// The stores of a data folder.
    init(in root: Folder) { self.root = root }

    /// The stores, and what each is called in containers.
    ///
    /// - Throws: `LinuxError` where the file cannot be read.
    func all() throws(LinuxError) -> [(key: StoreKey, contentName: String)] {
        try known.withLock { known throws(LinuxError) in try load(&known) }
            .sorted { $0.key.description < $1.key.description }.map { ($0.key, $0.value) }
    }

    /// Remembers a store; it says whether that is new.
    ///
    /// - Throws: `LinuxError` where the file cannot be written.
    @discardableResult
    func remember(_ key: StoreKey, as contentName: String) throws(LinuxError) -> Bool {
        try change { stores in
            if stores[key] == contentName { return false }
            // More than that nobody shares: whoever comes later is shared while it is open.
            if stores[key] == nil, stores.count >= Limits.rememberedStores { return false }
            stores[key] = contentName
            return true
        }
    }

    /// Forgets a store that is gone, or shared no longer.
    ///
    /// - Throws: `LinuxError` where the file cannot be written.
    @discardableResult
    func forget(_ key: StoreKey) throws(LinuxError) -> Bool {
        try change { $0.removeValue(forKey: key) != nil }
    }

    private func change(_ body: (inout [StoreKey: String]) -> Bool) throws(LinuxError) -> Bool {
        try known.withLock { known throws(LinuxError) in
            var stores = try load(&known)
            guard body(&stores) else { return false }
            let lines = stores.map { key, name in
                "\(key.application)/\(key.configuration)/\(key.name)/\(name)\n"
            }
            try root.replace(Self.fileName, with: Array(lines.sorted().joined().utf8))
            known = stores
            return true
        }
    }

    private func load(_ known: inout [StoreKey: String]?) throws(LinuxError) -> [StoreKey: String] {
        if let known { return known }
        let bytes: [UInt8]
        do throws(LinuxError) {
            bytes = try root.read(Self.fileName, limit: Limits.rememberedBytes)
        } catch {
            guard error.isNotFound else { throw error }
            bytes = []
        }
        var stores: [StoreKey: String] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            // What cannot be a store is nothing that was written here.
            guard parts.count == 4,
                let key = try? StoreKey(
                    userID: CurrentProcess.userID, application: parts[0], configuration: parts[1],
                    name: parts[2])
            else { continue }
            stores[key] = parts[3]
        }
        known = stores
        return stores
    }
}
