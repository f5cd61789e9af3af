import CofferCoordination
import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import Foundation
import TestSupport

/// A store of items with a property of every kind, read both through its cache and past it.
final class ItemStore {
    let store: PersistentStore
    private let reader: StoreReader
    private let client = UUID()
    private var sequence: UInt64 = 0

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Item",
                attributes: [
                    AttributeDefinition("amount", .decimal, isOptional: true),
                    AttributeDefinition("count", .integer64, isOptional: true),
                    AttributeDefinition("data", .binary, isOptional: true),
                    AttributeDefinition("day", .date, isOptional: true),
                    AttributeDefinition("done", .boolean, isOptional: true),
                    AttributeDefinition("key", .uuid, isOptional: true),
                    AttributeDefinition("title", .string, isOptional: true),
                    AttributeDefinition("weight", .double, isOptional: true),
                ],
                relationships: [
                    RelationshipDefinition("parent", to: "Item", inverse: "children"),
                    RelationshipDefinition(
                        "children", to: "Item", inverse: "parent", isToMany: true),
                ])
        ])
    }

    init(at path: String, pragmas: [String: String] = [:]) throws {
        let model = try Self.model()
        var options = StoreOptions()
        options.pragmas = pragmas
        let file = try StoreFile.open(
            in: try Folder(at: path), fileName: "Items.sqlite",
            model: StoreModel(model), options: options)
        store = try PersistentStore(file: file)
        reader = try StoreReader(connection: try file.makeReader(), schema: file.schema)
    }

    static let origin = SaveOrigin(application: "org.example.Test", process: "test", timestamp: 1)

    /// A save with a fresh id.
    func request(
        inserts: [InsertGroup] = [], updates: [UpdateGroup] = [], deletes: [DeleteGroup] = [],
        policy: MergePolicyMessage = .error
    ) -> SaveRequestMessage {
        sequence += 1
        return SaveRequestMessage(
            store: 1, request: RequestIDMessage(client: client, sequence: sequence, acknowledged: 0),
            mergePolicy: policy, inserts: inserts, updates: updates, deletes: deletes)
    }

    /// Inserts of so many items with random values.
    func inserts(_ count: Int, _ numbers: inout some RandomNumberGenerator, parents: [Int64] = [])
        -> InsertGroup
    {
        let all = Array(store.model.entities[0].properties.indices)
        let properties = all.filter { _ in Int.random(in: 0..<4, using: &numbers) > 0 }
        return InsertGroup(
            entity: 0, temporaryIDs: (0..<count).map { _ in UUID() },
            columns: columns(properties, count, &numbers, parents))
    }

    /// Columns of random values.
    func columns(
        _ properties: [Int], _ count: Int, _ numbers: inout some RandomNumberGenerator, _ parents: [Int64]
    ) -> [Column] {
        properties.compactMap { index in
            let property = store.model.entities[0].properties[index]
            if property.relationship?.isToMany ?? false { return nil }
            var builder =
                property.attribute.map { ColumnBuilder(property: index, type: $0.type) }
                ?? ColumnBuilder(referencesOf: index)
            for _ in 0..<count {
                if Int.random(in: 0..<5, using: &numbers) == 0 {
                    builder.appendNull()
                } else if let type = property.attribute?.type {
                    Self.append(type, to: &builder, &numbers)
                } else if let parent = parents.randomElement(using: &numbers) {
                    builder.append(reference: parent, entity: 0)
                } else {
                    builder.appendNull()
                }
            }
            return builder.finish()
        }
    }

    private static func append(
        _ type: AttributeType, to builder: inout ColumnBuilder, _ numbers: inout some RandomNumberGenerator
    ) {
        let number = Int.random(in: -3...1_000, using: &numbers)
        switch type {
        case .integer64: builder.append(Int64(number) << Int64.random(in: 0...50, using: &numbers))
        case .boolean: builder.append(number % 2 == 0)
        case .double, .date: builder.append(number == 0 ? -0.0 : number == 1 ? .infinity : Double(number) / 7)
        case .string: builder.append(text: "item \(number) é")
        case .binary: builder.append(bytes: (0..<max(0, number / 50)).map { UInt8(truncatingIfNeeded: $0) })
        case .uuid:
            let half = UInt64.random(in: .min ... .max, using: &numbers)
            builder.append(
                uuid: UUID(
                    uuidString: String(
                        format: "%08X-0000-4000-8000-000000000000", UInt32(truncatingIfNeeded: half)))
                    ?? UUID())
        case .decimal: builder.append(decimal: Decimal(number) / 100)
        default: builder.appendNull()
        }
    }

    /// Fetches a range of items by key, as a session would that holds them from then on.
    func fetch(_ offset: Int, _ limit: Int, for holder: RowHolder, only properties: [String] = []) throws {
        var description = FetchDescription(entityName: "Item")
        description.sortDescriptors = []
        description.offset = offset
        description.limit = limit
        description.propertiesToFetch = properties
        let ticket = store.beginReading()
        let reply = try store.fetch(FetchRequestMessage(store: 1, fetch: description))
        if let rows = reply.rows { holder.hold(rows, readAt: reply.number, ticket) }
    }

    /// Fires faults as a session would.
    func fire(
        _ keys: [Int64], for holder: RowHolder, maximumAge: UInt64? = nil
    ) throws -> (rows: [Int64: ItemRow], isCached: Bool) {
        let ticket = store.beginReading()
        let (reply, isCached, _) = try store.cachedRows(
            RowsRequestMessage(store: 1, entity: 0, primaryKeys: keys, maximumAge: maximumAge))
        for batch in reply.batches { holder.hold(batch, readAt: reply.number, isCached ? nil : ticket) }
        return (rows(of: reply), isCached)
    }

    /// The items by their keys, read past the cache.
    func stored(_ keys: [Int64]) throws -> [Int64: ItemRow] {
        rows(of: try reader.rows(RowsRequestMessage(store: 1, entity: 0, primaryKeys: keys)))
    }

    private func rows(of reply: RowsReplyMessage) -> [Int64: ItemRow] {
        var rows: [Int64: ItemRow] = [:]
        for batch in reply.batches.map(\.batch) {
            for row in 0..<batch.rowCount {
                rows[batch.primaryKeys[row]] = ItemRow(batch, row, store.model.entities[batch.entity])
            }
        }
        return rows
    }
}

/// The values of one item.
struct ItemRow: Equatable, CustomStringConvertible {
    let version: UInt32
    let values: [String: AttributeValue]
    let parent: Int64?

    init(_ batch: RowBatch, _ row: Int, _ entity: EntityDescription) {
        version = batch.versions[row]
        var values: [String: AttributeValue] = [:]
        var parent: Int64?
        for column in batch.columns {
            let property = entity.properties[column.property]
            if let type = property.attribute?.type {
                values[property.name] = column.value(at: row, type: type)
            } else {
                parent = column.reference(at: row)?.key
            }
        }
        self.values = values
        self.parent = parent
    }

    var description: String { "v\(version) \(values) parent \(parent.map { "\($0)" } ?? "none")" }
}
