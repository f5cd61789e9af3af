internal import Synchronization

/// A value that is told as null, since the file that its row names is missing.
package struct MissingValue: Sendable, Hashable, CustomStringConvertible {
    /// The entity of its object, if that is known.
    package var entity: String?
    /// The key of its object, if that is known.
    package var primaryKey: Int64?
    /// The attribute, if that is known.
    package var attribute: String?
    /// The store's file.
    package var store: String
    /// The file that is missing, below the folder of the store.
    package var file: String

    package var description: String {
        "\(place) of \(store) is taken for null: its file '\(file)' is missing."
    }

    /// What is wrong, for an error of the store's.
    var reason: String { "the file '\(file)' of \(place) is missing" }

    private var place: String {
        guard let entity else { return "a value" }
        let object = entity + (primaryKey.map { "/p\($0)" } ?? "")
        return object + (attribute.map { ".\($0)" } ?? "")
    }
}

/// Tells of values whose files are missing: of each file once, and of no more than `Limits.toldItems`.
///
/// Shared by all that read one store.
package final class MissingValues: Sendable {
    private let told = Mutex<Set<String>>([])
    private let report: @Sendable (MissingValue) -> Void

    /// Tells `report`; it is called by the thread that reads.
    package init(report: @escaping @Sendable (MissingValue) -> Void) {
        self.report = report
    }

    func tell(_ value: MissingValue) {
        let isNew = told.withLock { told in
            told.count < Limits.toldItems && told.insert("\(value.store)/\(value.file)").inserted
        }
        if isNew { report(value) }
    }
}
