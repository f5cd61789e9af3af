import CofferCoordination
import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// The row cache and values that may be in files beside the store: it keeps rows without them.
@Suite struct PartialRowTests {
    private let folder: TemporaryFolder
    private let store: PersistentStore
    private let (data, name): (Int, Int)
    private let client = UUID()

    init() throws {
        let model = try ManagedObjectModel {
            Entity("Photo") {
                Field("data", .binary).externalStorage().optional()
                Field("name", .string).optional()
            }
        }
        folder = try TemporaryFolder()
        let file = try StoreFile.open(
            in: try Folder(at: folder.path), fileName: "Photos.sqlite",
            model: StoreModel(model))
        store = try PersistentStore(file: file)
        data = try #require(model.entities[0].propertyIndex(named: "data"))
        name = try #require(model.entities[0].propertyIndex(named: "name"))
    }

    private func text(_ text: String) -> Column {
        var builder = ColumnBuilder(property: name, type: .string)
        builder.append(text: text)
        return builder.finish()
    }

    private func bytes(_ count: Int) -> Column {
        var builder = ColumnBuilder(property: data, type: .binary)
        builder.append(bytes: [UInt8](repeating: 7, count: count))
        return builder.finish()
    }

    private func save(
        _ sequence: UInt64, inserts: [InsertGroup] = [], updates: [UpdateGroup] = []
    ) throws {
        let execution = try store.save(
            SaveRequestMessage(
                store: 1, request: RequestIDMessage(client: client, sequence: sequence, acknowledged: 0),
                mergePolicy: .error, inserts: inserts, updates: updates), by: ItemStore.origin)
        guard case .saved = execution.reply else { throw Refused(reply: "\(execution.reply)") }
    }

    private struct Refused: Error { let reply: String }

    /// Reads the row as a session would.
    private func fire(
        for holder: RowHolder, withoutExternal: Bool
    ) throws -> (row: RowBatch, isCached: Bool) {
        let ticket = store.beginReading()
        let (reply, isCached, _) = try store.cachedRows(
            RowsRequestMessage(
                store: 1, entity: 0, primaryKeys: [1], withoutExternalValues: withoutExternal))
        for batch in reply.batches { holder.hold(batch, readAt: reply.number, isCached ? nil : ticket) }
        return (try #require(reply.batches.first).batch, isCached)
    }

    private func insert(_ count: Int) throws {
        try save(
            1,
            inserts: [InsertGroup(entity: 0, temporaryIDs: [UUID()], columns: [bytes(count), text("a")])])
    }

    @Test func `a row that was read whole is kept without its large value`() throws {
        try insert(500_000)
        let holder = store.cache.makeHolder()
        #expect(try fire(for: holder, withoutExternal: false).row.columns.count == 2)
        #expect(store.cache.size.rows == 1 && store.cache.size.bytes < 10_000)
        let (row, isCached) = try fire(for: holder, withoutExternal: true)
        #expect(isCached && row.columns == [text("a")] && row.versions == [1])
        let (whole, isWholeCached) = try fire(for: holder, withoutExternal: false)
        #expect(!isWholeCached && Set(whole.columns.map(\.property)) == [data, name])
        folder.remove()
    }

    @Test func `what was fetched without it is kept, and follows saves`() throws {
        try insert(500_000)
        let holder = store.cache.makeHolder()
        var fetch = FetchDescription(entityName: "Photo")
        fetch.propertiesToFetch = ["name"]
        let ticket = store.beginReading()
        let reply = try store.fetch(FetchRequestMessage(store: 1, fetch: fetch))
        holder.hold(try #require(reply.rows), readAt: reply.number, ticket)
        #expect(try fire(for: holder, withoutExternal: true).isCached)
        for (sequence, column) in [(2, bytes(300_000)), (3, text("b"))] as [(UInt64, Column)] {
            try save(
                sequence,
                updates: [
                    UpdateGroup(
                        entity: 0, primaryKeys: [1], versions: [UInt32(sequence - 1)], columns: [column])
                ])
            let (row, isCached) = try fire(for: holder, withoutExternal: true)
            #expect(isCached && row.versions == [UInt32(sequence)])
            #expect(row.columns == [text(sequence == 2 ? "a" : "b")])
            #expect(try fire(for: holder, withoutExternal: false).row.versions == [UInt32(sequence)])
        }
        folder.remove()
    }
}
