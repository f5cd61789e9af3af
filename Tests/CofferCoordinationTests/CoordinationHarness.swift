import CofferCoordination
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import Synchronization
import TestSupport
import Testing

/// One store behind its commit queue, and shorthands to save notes into it.
final class NoteStore: Sendable {
    let store: PersistentStore
    let vfs: SQLiteVFS
    private let client = UUID()
    private let sequence = Atomic<UInt64>(0)

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition("Note", attributes: [AttributeDefinition("title", .string, isOptional: true)])
        ])
    }

    init(at path: String, pragmas: [String: String] = [:]) throws {
        let model = try Self.model()
        vfs = try SQLiteVFS()
        var options = StoreOptions()
        options.vfs = vfs
        options.pragmas = pragmas
        let file = try StoreFile.open(
            in: try Folder(at: path), fileName: "Notes.sqlite",
            model: StoreModel(model), options: options)
        store = try PersistentStore(file: file)
    }

    /// A save that inserts notes with the given titles.
    func request(_ titles: [String]) -> SaveRequestMessage {
        var runs = ByteRuns()
        for title in titles {
            runs.data += Array(title.utf8)
            runs.ends.append(UInt32(runs.data.count))
        }
        let number = sequence.add(1, ordering: .relaxed).newValue
        return SaveRequestMessage(
            store: 1, request: RequestIDMessage(client: client, sequence: number, acknowledged: 0),
            inserts: [
                InsertGroup(
                    entity: 0, temporaryIDs: titles.map { _ in UUID() },
                    columns: [Column(property: 0, values: .bytes(runs))])
            ])
    }

    static let origin = SaveOrigin(application: "org.example.Test", process: "test", timestamp: 1)

    /// The titles of all notes, in order.
    func titles() throws -> [String] {
        let reply = try store.fetch(
            FetchRequestMessage(store: 1, fetch: FetchDescription(entityName: "Note")))
        guard let rows = reply.rows, rows.columnCount > 0 else { return [] }
        return (0..<rows.rowCount).compactMap { rows.text(0, $0) }.sorted()
    }

    /// Submits all requests so that they share one commit, and waits for their results, in order.
    func group(_ requests: [SaveRequestMessage]) -> [SaveResult] {
        let results = ConditionLock<[Int: SaveResult]>([:])
        let all = requests
        // Maintenance runs under the leader: what is submitted meanwhile waits, and makes the next batch.
        store.perform(
            { [self] _ in
                for (index, request) in all.enumerated() {
                    store.submit(
                        SaveSubmission(request: request, origin: Self.origin) { _, result in
                            results.withLock { $0[index] = result }
                            results.broadcast()
                        })
                }
            }, orElse: { _ in })
        return results.wait { $0.count == all.count ? $0 : nil }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Saves notes, and others that are submitted while SQLite carries the first save out; `meanwhile` runs
    /// just before.
    func saves(
        _ first: [String], then late: [String], meanwhile: @escaping @Sendable () -> Void
    ) throws -> [SaveResult] {
        try saves([request(first), request(late)], meanwhile: meanwhile)
    }

    /// Submits the first of some requests, and the others while SQLite carries that out.
    func saves(
        _ requests: [SaveRequestMessage], meanwhile: @escaping @Sendable () -> Void = {}
    ) throws -> [SaveResult] {
        let results = ConditionLock<[Int: SaveResult]>([:])
        let submit: @Sendable (Int) -> Void = { [self] index in
            let submission = SaveSubmission(request: requests[index], origin: Self.origin) { _, result in
                results.withLock { $0[index] = result }
                results.broadcast()
            }
            store.submit(submission)
        }
        let isLate = Atomic<Bool>(false)
        try store.write { writer throws(StoreError) in
            writer.connection.setProgressHandler(everyInstructions: 10) {
                if !isLate.exchange(true, ordering: .relaxed) {
                    meanwhile()
                    for index in requests.indices.dropFirst() { submit(index) }
                }
                return false
            }
        }
        submit(0)
        let all = results.wait { $0.count == requests.count ? $0 : nil }
        try store.write { writer throws(StoreError) in
            writer.connection.setProgressHandler(everyInstructions: 0, nil)
        }
        return requests.indices.compactMap { all[$0] }
    }
}

extension NoteStore {
    /// A save that gives notes other titles, as far as they have version 1.
    func update(_ keys: [Int64], _ titles: [String]) -> SaveRequestMessage {
        var update = request(titles)
        let columns = update.inserts.flatMap(\.columns)
        update.inserts = []
        update.updates = [
            UpdateGroup(entity: 0, primaryKeys: keys, versions: keys.map { _ in 1 }, columns: columns)
        ]
        return update
    }

    /// A save that changes one note, and then finds that it does not know another.
    func refused(changing key: Int64, deleting other: Int64) -> SaveRequestMessage {
        var refused = update([key], ["gone"])
        refused.deletes = [DeleteGroup(entity: 0, primaryKeys: [other], versions: [7])]
        return refused
    }
}

extension SaveResult {
    /// The transaction's number, if it was saved.
    var number: UInt64? {
        guard case .success(let execution) = self, case .saved(let saved) = execution.reply else {
            return nil
        }
        return saved.number
    }

    /// The conflicts, if it met some.
    var conflicts: [ConflictMessage]? {
        guard case .success(let execution) = self, case .conflicts(let conflicts) = execution.reply else {
            return nil
        }
        return conflicts
    }
}
