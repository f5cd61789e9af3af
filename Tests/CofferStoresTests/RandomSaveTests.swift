import CofferModel
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

@Suite struct RandomSaveTests {
    /// What is in the table of an entity's tree: key, entity number, version.
    private func rows(_ table: String, _ bench: Bench) throws -> [(key: Int64, entity: Int, version: UInt32)]
    {
        try bench.query("SELECT Z_PK, Z_ENT, Z_OPT FROM \(table)").map { row in
            let parts = row.split(separator: "|").compactMap { Int64($0) }
            return (parts[0], Int(parts[1]) - 1, UInt32(parts[2]))
        }
    }

    private func randomSave(_ bench: Bench, _ generator: inout SeededGenerator) throws -> SaveRequestMessage {
        let authors = try rows("ZAUTHOR", bench)
        let works = try rows("ZWORK", bench)
        let tags = try rows("ZTAG", bench)
        var request = bench.request(
            policy: try #require(MergePolicyMessage.allCases.randomElement(using: &generator)))
        for _ in 0..<Int.random(in: 0..<3, using: &generator) {
            let owner = authors.randomElement(using: &generator).map { ("Author", $0.key) }
            let name = ["Novel", "Poem"][Int.random(in: 0..<2, using: &generator)]
            request.inserts.append(try bench.insert(name, [bench.reference(name, "author", [owner])]))
            request.inserts.append(try bench.insert("Author", [bench.text("Author", "name", ["x"])]))
            request.inserts.append(try bench.insert("Tag"))
        }
        if let work = works.randomElement(using: &generator) {
            let name = bench.model.entities[work.entity].name
            let version = work.version - UInt32(Int.random(in: 0..<4, using: &generator) == 0 ? 1 : 0)
            let owner = authors.randomElement(using: &generator).map { ("Author", $0.key) }
            request.updates.append(
                try bench.update(name, work.key, version: version, [bench.reference(name, "author", [owner])])
            )
            if let tag = tags.randomElement(using: &generator) {
                request.setChanges.append(
                    SetChange(
                        entity: work.entity, property: try bench.property(name, "tags"), owners: [work.key],
                        targets: [tag.key], removed: [UInt8.random(in: 0...1, using: &generator)]))
            }
        }
        for row in (authors + works + tags).shuffled(using: &generator).prefix(
            Int.random(in: 0..<3, using: &generator))
        where request.updates.first?.primaryKeys != [row.key] {
            request.deletes.append(
                DeleteGroup(entity: row.entity, primaryKeys: [row.key], versions: [row.version]))
        }
        return request
    }

    @Test(arguments: Seed.several(4))
    func `whatever is saved leaves no loose ends, and history tells all of it`(_ seed: Seed) throws {
        print("seed \(seed)")
        try withStore { bench in
            var generator = seed.generator()
            let join = try bench.query(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")[0]
            var announced: [TransactionMessage] = []
            for _ in 0..<60 {
                let execution = try bench.execute(randomSave(bench, &generator))
                if let transaction = execution.transaction { announced.append(transaction) }
                let works = "(SELECT Z_PK FROM ZWORK)"
                #expect(
                    try bench.query(
                        "SELECT count(*) FROM ZWORK WHERE ZAUTHOR NOT IN (SELECT Z_PK FROM ZAUTHOR)")
                        == ["0"])
                let columns = try bench.query("SELECT name FROM pragma_table_info('\(join)')")
                let (work, tag) =
                    columns[0].contains("WORKS") ? (columns[0], columns[1]) : (columns[1], columns[0])
                #expect(
                    try bench.query(
                        "SELECT count(*) FROM \(join) WHERE \(work) NOT IN \(works) OR \(tag) NOT IN (SELECT Z_PK FROM ZTAG)"
                    )
                        == ["0"])
            }
            #expect(announced.map(\.number) == (0..<announced.count).map { UInt64($0 + 1) })
            let reader = try HistoryReader(connection: bench.file.makeReader(), file: bench.file)
            let reply = try reader.reply(
                to: HistoryRequestMessage(store: 1, storeUUID: bench.file.uuid, after: 0))
            guard case .transactions(let told, _, _) = reply else {
                Issue.record("expired")
                return
            }
            for (told, announced) in zip(told, announced) {
                #expect(events(told) == events(announced))
            }
            #expect(told.count == announced.count)
        }
    }

    /// What happened to each object, in the order in which it did first; history has one row for all that was
    /// updated of one.
    private func events(_ transaction: TransactionMessage) -> [String] {
        var names: [String] = []
        var properties: [String: Set<Int>] = [:]
        for group in transaction.changes {
            for key in group.primaryKeys {
                let name = "\(group.kind) \(group.entity) \(key)"
                if properties[name] == nil { names.append(name) }
                properties[name, default: []].formUnion(group.properties)
            }
        }
        return names.map { "\($0) \(properties[$0]?.sorted() ?? [])" }
    }

    @Test func `a pair of a relationship that is its own inverse is kept both ways`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Person",
                relationships: [
                    RelationshipDefinition("friends", to: "Person", inverse: "friends", isToMany: true)
                ])
        ])
        try withStore(model) { bench in
            try bench.save(inserts: [bench.insert("Person", count: 3)])
            let friends = try bench.property("Person", "friends")
            try bench.save(sets: [
                SetChange(entity: 0, property: friends, owners: [1, 2], targets: [2, 3])
            ])
            let pairs = "SELECT REFLEXIVE, Z_1FRIENDS FROM Z_1FRIENDS ORDER BY 1, 2"
            #expect(try bench.query(pairs) == ["1|2", "2|1", "2|3", "3|2"])
            try bench.save(sets: [
                SetChange(entity: 0, property: friends, owners: [2], targets: [1], removed: [1])
            ])
            #expect(try bench.query(pairs) == ["2|3", "3|2"])
            try bench.save(deletes: [bench.delete("Person", [3])])
            #expect(try bench.query(pairs) == [])
        }
    }
}
