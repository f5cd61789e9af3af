import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import TestSupport
import Testing

/// Rows that name objects of entities that cannot be there: a reader finds no object.
@Suite struct ReadWrongEntityTests {
    /// What the rows of two novels say of the entity of their prequels, and whether it is one that may be
    /// there.
    private static let numbers = [
        ("Poem", true), ("Tag", false), ("Author", false), ("99", false), ("0", false), ("NULL", false),
        ("-9223372036854775808", false),
    ]

    /// The column of a novel's prequel that says of which entity that is.
    private func entityColumn(_ bench: Bench) throws -> String {
        let novel = try #require(bench.file.schema.entities[bench.entity("Novel").index])
        guard case .toOne(_, let column?, _)? = novel.columns[try bench.property("Novel", "prequel")] else {
            throw StoreError.other("a prequel may be of several entities")
        }
        return column
    }

    /// Two novels; the prequel of the second is one of `entity`, by its name or number.
    private func withPrequel(_ entity: String, _ body: (Bench) throws -> Void) throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert("Novel"),
                bench.insert("Novel", [bench.reference("Novel", "prequel", [("Novel", 1)])]),
            ])
            let number = bench.model.entity(named: entity).map { "\($0.index + 1)" } ?? entity
            try bench.writer.connection.execute(
                "UPDATE ZWORK SET \(entityColumn(bench)) = \(number) WHERE Z_PK = 2")
            try body(bench)
        }
    }

    private func reader(_ bench: Bench) throws -> StoreReader {
        try StoreReader(connection: bench.file.makeReader(), schema: bench.file.schema)
    }

    private func prequel(_ bench: Bench, _ columns: [Column]?) throws -> Column? {
        let property = try bench.property("Novel", "prequel")
        return columns?.first { $0.property == property }
    }

    @Test(arguments: numbers)
    func `a reference to an object of a wrong entity is read as null`(_ entity: String, _ isFit: Bool)
        throws
    {
        try withPrequel(entity) { bench in
            let reader = try reader(bench)
            let novels = FetchDescription(
                entityName: "Novel", predicate: try QueryPredicate(format: "prequel != nil"))
            let fetched = try reader.fetch(FetchRequestMessage(store: 1, fetch: novels)).rows
            let read = try reader.rows(
                RowsRequestMessage(store: 1, entity: bench.entity("Novel").index, primaryKeys: [2]))
            for rows in [fetched, read.batches.first] {
                let end = try #require(try prequel(bench, rows?.columns)).reference(at: 0)
                #expect(end?.key == (isFit ? 1 : nil))
                #expect(try end?.entity == (isFit ? bench.entity(entity).index : nil))
            }
        }
    }

    @Test(arguments: numbers)
    func `a reference to an object of a wrong entity is null in the answer to a conflict`(
        _ entity: String, _ isFit: Bool
    ) throws {
        try withPrequel(entity) { bench in
            let update = try bench.update("Novel", 2, version: 7, [bench.text("Novel", "title", ["A"])])
            guard case .conflicts(let conflicts) = try bench.execute(bench.request(updates: [update])).reply
            else {
                Issue.record("the update was written")
                return
            }
            let end = try #require(try prequel(bench, conflicts.first?.stored?.columns)).reference(at: 0)
            #expect(end?.key == (isFit ? 1 : nil))
            #expect(try end?.entity == (isFit ? bench.entity(entity).index : nil))
        }
    }

    @Test(arguments: numbers)
    func `a row of another entity is not a member`(_ entity: String, _ isFit: Bool) throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert("Author", [bench.text("Author", "name", ["A"])]),
                bench.insert(
                    "Novel", [bench.reference("Novel", "author", [("Author", -1), ("Author", -1)])], count: 2),
                bench.insert("Tag", [bench.text("Tag", "name", ["red"])]),
            ])
            try bench.save(sets: [
                SetChange(
                    entity: bench.entity("Tag").index, property: bench.property("Tag", "works"),
                    owners: [1, 1], targets: [1, 2])
            ])
            let number = bench.model.entity(named: entity).map { "\($0.index + 1)" } ?? entity
            try bench.writer.connection.execute("UPDATE ZWORK SET Z_ENT = \(number) WHERE Z_PK = 1")
            for (owner, property) in [("Author", "books"), ("Tag", "works")] {
                let found = try reader(bench).relationship(
                    RelationshipRequestMessage(
                        store: 1, entity: bench.entity(owner).index,
                        property: bench.property(owner, property), primaryKeys: [1], withRows: true))
                #expect(found.primaryKeys == (isFit ? [1, 2] : [2]))
                #expect(found.ends == [UInt32(found.primaryKeys.count)])
                #expect(found.batches.flatMap(\.primaryKeys).sorted() == found.primaryKeys)
            }
        }
    }

    @Test(arguments: numbers)
    func `a row of another entity is nobody's object`(_ entity: String, _ isFit: Bool) throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert("Novel", count: 2), bench.insert("Tag"),
                bench.insert("Author", [bench.text("Author", "name", ["A"])]),
            ])
            let number = bench.model.entity(named: entity).map { "\($0.index + 1)" } ?? entity
            try bench.writer.connection.execute("UPDATE ZWORK SET Z_ENT = \(number) WHERE Z_PK = 1")
            let reader = try reader(bench)
            let works = FetchDescription(entityName: "Work")
            let fetched = try reader.fetch(FetchRequestMessage(store: 1, fetch: works)).rows
            #expect(fetched?.primaryKeys.sorted() == (isFit ? [1, 2] : [2]))
            #expect(fetched?.rowCount == (isFit ? 2 : 1) && fetched?.columns.first?.nulls.count ?? 0 <= 1)
            let read = try reader.rows(
                RowsRequestMessage(store: 1, entity: bench.entity("Work").index, primaryKeys: [1, 2]))
            #expect(read.batches.flatMap(\.primaryKeys).sorted() == (isFit ? [1, 2] : [2]))
        }
    }

    /// Items of clerks and of bosses, which are people.
    private func people() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Person", abstract: true) { Many("items", "Item", inverse: "owner") }
            Entity("Clerk", parent: "Person") { Field("a", .string).optional() }
            Entity("Item") {
                Field("name", .string).optional()
                One("owner", "Person", inverse: "items")
            }
        }
    }

    @Test(arguments: [("Clerk", true), ("Item", false), ("99", false), ("NULL", false)])
    func `of a former owner of another entity nobody is told`(_ entity: String, _ isFit: Bool) throws {
        try withStore(people()) { bench in
            let owner = try bench.reference("Item", "owner", [("Clerk", -1)])
            try bench.save(inserts: [bench.insert("Clerk"), bench.insert("Item", [owner])])
            let item = try #require(bench.file.schema.entities[bench.entity("Item").index])
            guard case .toOne(_, let column?, _)? = item.columns[try bench.property("Item", "owner")] else {
                throw StoreError.other("an owner may be of several entities")
            }
            let number = bench.model.entity(named: entity).map { "\($0.index + 1)" } ?? entity
            try bench.writer.connection.execute("UPDATE ZITEM SET \(column) = \(number)")
            let none = try bench.reference("Item", "owner", [nil])
            let execution = try bench.execute(
                bench.request(updates: [bench.update("Item", 1, version: 1, [none])]))
            let told = try #require(execution.transaction).changes
            let wanted = try ["Item", "Clerk"].prefix(isFit ? 2 : 1).map { try bench.entity($0).index }
            #expect(told.map(\.entity) == wanted)
        }
    }
}
