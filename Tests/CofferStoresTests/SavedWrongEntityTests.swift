import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Testing

/// Ends of relationships, in requests and in rows, that are objects of other entities than may be there.
@Suite struct SavedWrongEntityTests {
    /// Authors of these names with rivals by key, 0 for none.
    private func authors(_ bench: Bench, _ rivals: [Int64]) throws -> InsertGroup {
        try bench.insert(
            "Author",
            [
                bench.text("Author", "name", rivals.indices.map { "A\($0)" }),
                bench.reference("Author", "rival", rivals.map { $0 == 0 ? nil : ("Author", $0) }),
            ], count: rivals.count)
    }

    @Test(arguments: MergePolicyMessage.allCases)
    func `a request that names one at the end of a pair is refused whoever wins`(
        _ policy: MergePolicyMessage
    ) throws {
        try withStore { bench in
            try bench.save(inserts: [authors(bench, [0]), bench.insert("Shelf")])
            for entity in ["Shelf", "Tag", "Novel"] {
                let rival = try bench.reference("Author", "rival", [(entity, 1)])
                let name = try bench.text("Author", "name", ["B"])
                for request in try [
                    bench.request(policy: policy, inserts: [bench.insert("Author", [name, rival])]),
                    bench.request(
                        policy: policy, updates: [bench.update("Author", 1, version: 1, [rival])]),
                ] {
                    #expect(
                        throws: StoreError.wrongType(
                            entity: "Author", property: "rival",
                            detail: "it names an object of another entity")
                    ) { try bench.execute(request) }
                }
            }
            #expect(try bench.query("SELECT Z_PK, ZRIVAL FROM ZAUTHOR ORDER BY Z_PK") == ["1|NULL"])
        }
    }

    @Test func `other values of a property that the entity lacks are refused`() throws {
        try withStore(DerivedTriggerTests.people("canonical:(name)", type: .string)) { bench in
            try bench.save(inserts: [bench.insert("Person")])
            let update = try bench.update(
                "Person", 1, version: 1, [bench.text("Person", "name", ["A"])],
                other: [Column(property: 99, values: .integers([1]))])
            #expect(throws: StoreError.unknownProperty(entity: "Person", property: "#99")) {
                try bench.execute(bench.request(policy: .overwrite, updates: [update]))
            }
        }
    }

    private func expectDamage(_ bench: Bench, _ request: SaveRequestMessage) throws {
        let error = #expect(throws: StoreError.self) { try bench.execute(request) }
        guard case .damaged = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(arguments: ["Shelf", "Tag", "Novel"])
    func `a row of an entity that lacks the inverse cannot be let go`(_ entity: String) throws {
        try withStore { bench in
            try bench.save(inserts: [authors(bench, [-2, -1])])
            let number = try bench.entity(entity).index + 1
            try bench.writer.connection.execute("UPDATE ZAUTHOR SET Z_ENT = \(number) WHERE Z_PK = 2")
            try expectDamage(bench, bench.request(deletes: [bench.delete("Author", [1])]))
            #expect(try bench.query("SELECT Z_PK, ZRIVAL FROM ZAUTHOR ORDER BY Z_PK") == ["1|2", "2|1"])
        }
    }

    @Test func `a member of another entity's cannot be let go`() throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert("Novel", [bench.text("Novel", "title", ["A"])]), bench.insert("Tag"),
            ])
            let tags = try bench.property("Novel", "tags")
            try bench.save(sets: [
                SetChange(entity: bench.entity("Novel").index, property: tags, owners: [1], targets: [1])
            ])
            try bench.writer.connection.execute(
                "UPDATE ZTAG SET Z_ENT = \(bench.entity("Shelf").index + 1)")
            try expectDamage(bench, bench.request(deletes: [bench.delete("Novel", [1])]))
        }
    }

    @Test(arguments: ["Shelf", "Tag", "Novel"])
    func `a former partner of another entity is left as it is`(_ entity: String) throws {
        try withStore { bench in
            try bench.save(inserts: [authors(bench, [-2, -1, -4, -3])])
            let number = try bench.entity(entity).index + 1
            try bench.writer.connection.execute("UPDATE ZAUTHOR SET Z_ENT = \(number) WHERE Z_PK IN (2, 4)")
            try bench.save(updates: [
                bench.update("Author", 1, version: 1, [bench.reference("Author", "rival", [nil])])
            ])
            try bench.save(inserts: [authors(bench, [3])])
            #expect(
                try bench.query("SELECT Z_PK, ZRIVAL FROM ZAUTHOR ORDER BY Z_PK")
                    == ["1|NULL", "2|1", "3|5", "4|3", "5|3"])
        }
    }

    /// Desks whose person is a clerk, and that bosses call theirs too: inverses only need to lead to one
    /// tree.
    private func crookedModel() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition("Person", isAbstract: true),
            EntityDefinition(
                "Clerk", superentity: "Person",
                attributes: [
                    AttributeDefinition("a", .string, isOptional: true),
                    AttributeDefinition("b", .string, isOptional: true),
                ], relationships: [RelationshipDefinition("desk", to: "Desk", inverse: "person")]),
            EntityDefinition(
                "Boss", superentity: "Person",
                relationships: [RelationshipDefinition("desk", to: "Desk", inverse: "person")]),
            EntityDefinition(
                "Desk", relationships: [RelationshipDefinition("person", to: "Clerk", inverse: "desk")]),
        ])
    }

    @Test(arguments: MergePolicyMessage.allCases)
    func `a model whose inverses lead elsewhere in a tree makes no save trap`(_ policy: MergePolicyMessage)
        throws
    {
        try withStore(crookedModel()) { bench in
            try bench.save(
                policy: policy,
                inserts: [
                    bench.insert("Boss", [bench.reference("Boss", "desk", [("Desk", -2)])]),
                    bench.insert("Desk"),
                ])
            try bench.save(inserts: [bench.insert("Desk")])
            // The row of the desk names the boss as a clerk, whose desk has another place among its
            // properties.
            try bench.writer.connection.execute("UPDATE ZDESK SET ZPERSON = 1")
            let none = try bench.reference("Desk", "person", [nil])
            try bench.save(policy: policy, updates: [bench.update("Desk", 1, version: 1, [none])])
            let seen: UInt32 = policy == .error ? 1 : 7
            try bench.save(policy: policy, updates: [bench.update("Desk", 2, version: seen, [none])])
            let desk = try bench.reference("Boss", "desk", [("Desk", 2)])
            try bench.save(policy: policy, inserts: [bench.insert("Boss", [desk])])
        }
    }
}
