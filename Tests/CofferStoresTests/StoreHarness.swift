import CofferFormats
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// A model for tests: inheritance, every kind of relationship and rule, constraints.
enum Library {
    static let definitions: [EntityDefinition] = [
        EntityDefinition(
            "Author",
            attributes: [
                AttributeDefinition("name", .string, validation: .init(minimum: 1, maximum: 8)),
                AttributeDefinition(
                    "code", .string, isOptional: true, validation: .init(regularExpression: "[A-Z]+")),
            ],
            relationships: [
                RelationshipDefinition(
                    "books", to: "Work", inverse: "author", isToMany: true, isOrdered: true,
                    deleteRule: .cascade),
                RelationshipDefinition("rival", to: "Author", inverse: "rival"),
            ],
            uniquenessConstraints: [["code"]]),
        EntityDefinition(
            "Work", isAbstract: true,
            attributes: [
                AttributeDefinition("title", .string, isOptional: true, preservesValueOnDeletion: true),
                AttributeDefinition("pages", .integer16, isOptional: true),
            ],
            relationships: [
                RelationshipDefinition("author", to: "Author", inverse: "books"),
                RelationshipDefinition("tags", to: "Tag", inverse: "works", isToMany: true),
            ]),
        EntityDefinition(
            "Novel", superentity: "Work",
            attributes: [AttributeDefinition("genre", .string, isOptional: true)],
            relationships: [RelationshipDefinition("prequel", to: "Work", deleteRule: .cascade)]),
        EntityDefinition(
            "Poem", superentity: "Work", attributes: [AttributeDefinition("genre", .string, isOptional: true)]
        ),
        EntityDefinition(
            "Tag", attributes: [AttributeDefinition("name", .string, isOptional: true)],
            relationships: [
                RelationshipDefinition(
                    "works", to: "Work", inverse: "tags", isToMany: true, maximumCount: 3)
            ],
            uniquenessConstraints: [["name"]]),
        EntityDefinition(
            "Shelf", attributes: [],
            relationships: [
                RelationshipDefinition(
                    "boxes", to: "Box", inverse: "shelf", isToMany: true, deleteRule: .deny)
            ]),
        EntityDefinition(
            "Box", attributes: [],
            relationships: [
                RelationshipDefinition("shelf", to: "Shelf", inverse: "boxes", deleteRule: .cascade)
            ]),
    ]

    static func model() throws -> ManagedObjectModel { try ManagedObjectModel(entities: definitions) }
}

/// A store with its writer, and shorthands to save.
final class Bench {
    let file: StoreFile
    let writer: StoreWriter
    let model: ManagedObjectModel
    let client = UUID()
    var sequence: UInt64 = 0
    var time = 800_000_000.0

    init(_ file: StoreFile) throws {
        self.file = file
        writer = try file.makeWriter()
        model = file.model.model
    }

    func entity(_ name: String) throws -> EntityDescription { try #require(model.entity(named: name)) }

    func property(_ entity: String, _ name: String) throws -> Int {
        try #require(try self.entity(entity).propertyIndex(named: name))
    }

    func request(
        policy: MergePolicyMessage = .error, inserts: [InsertGroup] = [], updates: [UpdateGroup] = [],
        deletes: [DeleteGroup] = [], sets: [SetChange] = [], order: [OrderChange] = []
    ) -> SaveRequestMessage {
        sequence += 1
        return SaveRequestMessage(
            store: 1,
            request: RequestIDMessage(client: client, sequence: sequence, acknowledged: sequence - 1),
            author: "tester", contextName: "view", mergePolicy: policy, inserts: inserts, updates: updates,
            deletes: deletes, setChanges: sets, orderChanges: order)
    }

    func execute(_ request: SaveRequestMessage) throws -> SaveExecution {
        try writer.begin()
        let execution: SaveExecution
        do {
            execution = try writer.execute(
                request, by: SaveOrigin(application: "org.example.App", process: "app", timestamp: time))
        } catch {
            try writer.rollback()
            throw error
        }
        try writer.commit()
        return execution
    }

    /// Lets it be the time by which the file was made.
    func followCalendar() { time = file.environment.now() }

    /// Deletes the history that is old enough.
    @discardableResult
    func purge() throws -> UInt64 {
        try writer.begin()
        let floor = try writer.purgeHistory(now: time)
        try writer.commit()
        return floor
    }

    /// Lets days go by, on each of which old history is purged.
    func age(days: Int) throws {
        for _ in 0..<days {
            time += 86_400
            try purge()
        }
    }

    /// Saves what must succeed.
    @discardableResult
    func save(
        policy: MergePolicyMessage = .error, inserts: [InsertGroup] = [], updates: [UpdateGroup] = [],
        deletes: [DeleteGroup] = [], sets: [SetChange] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (saved: SavedMessage, transaction: TransactionMessage?) {
        let execution = try execute(
            request(policy: policy, inserts: inserts, updates: updates, deletes: deletes, sets: sets))
        guard case .saved(let saved) = execution.reply else {
            Issue.record("not saved: \(execution.reply)", sourceLocation: sourceLocation)
            throw StoreError.other("not saved")
        }
        return (saved, execution.transaction)
    }

    func insert(_ entity: String, _ columns: [Column] = [], count: Int = 1) throws -> InsertGroup {
        InsertGroup(
            entity: try self.entity(entity).index, temporaryIDs: (0..<count).map { _ in UUID() },
            columns: columns)
    }

    func text(_ entity: String, _ name: String, _ values: [String?]) throws -> Column {
        var (runs, nulls) = (ByteRuns(), [UInt8]())
        for (row, value) in values.enumerated() {
            runs.data += Array((value ?? "").utf8)
            runs.ends.append(UInt32(runs.data.count))
            if value == nil { setNull(row, in: &nulls) }
        }
        return Column(property: try property(entity, name), nulls: nulls, values: .bytes(runs))
    }

    func integers(_ entity: String, _ name: String, _ values: [Int64]) throws -> Column {
        Column(property: try property(entity, name), values: .integers(values))
    }

    func reference(_ entity: String, _ name: String, _ values: [(String, Int64)?]) throws -> Column {
        var nulls: [UInt8] = []
        var (keys, entities) = ([Int64](), [UInt32]())
        for (row, value) in values.enumerated() {
            keys.append(value?.1 ?? 0)
            entities.append(try value.map { UInt32(try self.entity($0.0).index) } ?? 0)
            if value == nil { setNull(row, in: &nulls) }
        }
        return Column(
            property: try property(entity, name), nulls: nulls,
            values: .references(keys: keys, entities: entities))
    }

    func update(
        _ entity: String, _ key: Int64, version: UInt32, _ columns: [Column], old: [Column] = [],
        other: [Column] = []
    ) throws -> UpdateGroup {
        UpdateGroup(
            entity: try self.entity(entity).index, primaryKeys: [key], versions: [version], columns: columns,
            oldColumns: old, otherColumns: other)
    }

    func delete(_ entity: String, _ keys: [Int64], version: UInt32 = 1) throws -> DeleteGroup {
        DeleteGroup(
            entity: try self.entity(entity).index, primaryKeys: keys,
            versions: keys.map { _ in version })
    }

    /// All rows of a query, values as text joined by `|`.
    func query(_ sql: String) throws -> [String] {
        let reader = try file.makeReader()
        let statement = try reader.prepare(sql)
        var rows: [String] = []
        while try statement.step() {
            rows.append(
                (0..<statement.columnCount).map { column in
                    switch statement.type(column) {
                    case .null: "NULL"
                    case .blob: statement.blob(column).map { String(format: "%02x", $0) }.joined()
                    case .integer, .real, .text: statement.text(column)
                    }
                }.joined(separator: "|"))
        }
        return rows
    }

    private func setNull(_ row: Int, in nulls: inout [UInt8]) {
        while nulls.count <= row / 8 { nulls.append(0) }
        nulls[row / 8] |= 1 << UInt8(row % 8)
    }
}

/// Lends a new store in a folder of its own; sound at the end.
func withStore(
    _ model: ManagedObjectModel? = nil, options: StoreOptions = StoreOptions(), _ body: (Bench) throws -> Void
) throws {
    try withTemporaryFolder { path in
        let file = try StoreFile.open(
            in: Folder(at: path), fileName: "Test.sqlite", model: StoreModel(model ?? Library.model()),
            options: options)
        let bench = try Bench(file)
        try body(bench)
        #expect(try bench.writer.integrityCheck() == [])
    }
}
