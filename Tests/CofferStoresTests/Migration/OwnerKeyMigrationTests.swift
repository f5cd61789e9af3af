import CofferModel
import CofferWire
import TestSupport
import Testing

/// To-many relationships without inverse, whose links lie in members' rows, from one model to another.
struct OwnerKeyMigrationTests {
    private static func model(
        _ sheets: RelationshipDefinition, back: [RelationshipDefinition] = [], others: [EntityDefinition] = []
    ) -> [EntityDefinition] {
        others + [
            EntityDefinition("Binder", relationships: [sheets]),
            EntityDefinition(
                "Sheet", attributes: [AttributeDefinition("name", .string, isOptional: true)],
                relationships: back),
        ]
    }

    private static func sheets(_ inverse: String? = nil, isOrdered: Bool = false) -> RelationshipDefinition {
        RelationshipDefinition("sheets", to: "Sheet", inverse: inverse, isToMany: true, isOrdered: isOrdered)
    }

    private static let back = RelationshipDefinition("binder", to: "Binder", inverse: "sheets")

    /// Two binders: the first has the sheets 3 and 1, the second has 2; no binder has 4.
    private func fill(_ bench: Bench) throws {
        try bench.save(inserts: [bench.insert("Binder", count: 2), bench.insert("Sheet", count: 4)])
        try bench.save(sets: [
            SetChange(
                entity: try bench.entity("Binder").index, property: try bench.property("Binder", "sheets"),
                owners: [1, 1, 2], targets: [3, 1, 2])
        ])
    }

    @Test(arguments: [false, true])
    func `links stay when numbers of entities change, and columns with them`(isOrdered: Bool) throws {
        let others = [EntityDefinition("Aardvark")]
        try withMigration(
            from: Self.model(Self.sheets(isOrdered: isOrdered)),
            to: Self.model(Self.sheets(isOrdered: isOrdered), others: others)
        ) { harness in
            try harness.fill(fill)
            let bench = try harness.migrate()
            #expect(
                try bench.query("SELECT Z_PK, Z2SHEETS FROM ZSHEET ORDER BY Z_PK")
                    == ["1|1", "2|2", "3|1", "4|NULL"])
            guard isOrdered else { return }
            #expect(
                try bench.query("SELECT Z_PK FROM ZSHEET WHERE Z2SHEETS = 1 ORDER BY Z_FOK_2SHEETS")
                    == ["3", "1"])
        }
    }

    @Test func `links stay when an order comes`() throws {
        try withMigration(from: Self.model(Self.sheets()), to: Self.model(Self.sheets(isOrdered: true))) {
            harness in
            try harness.fill(fill)
            let bench = try harness.migrate()
            #expect(
                try bench.query(
                    "SELECT Z_PK FROM ZSHEET WHERE Z1SHEETS = 1 AND Z_FOK_1SHEETS NOT NULL ORDER BY Z_FOK_1SHEETS"
                )
                    == ["1", "3"])
        }
    }

    @Test func `links stay when an inverse comes, and when it goes`() throws {
        let (without, with) = (
            Self.model(Self.sheets()), Self.model(Self.sheets("binder"), back: [Self.back])
        )
        try withMigration(from: without, to: with) { harness in
            try harness.fill(fill)
            let bench = try harness.migrate()
            #expect(
                try bench.query("SELECT Z_PK, ZBINDER FROM ZSHEET ORDER BY Z_PK")
                    == ["1|1", "2|2", "3|1", "4|NULL"])
        }
        try withMigration(from: with, to: without) { harness in
            try harness.fill { bench in
                try bench.save(inserts: [bench.insert("Binder", count: 2)])
                let ends = try bench.reference("Sheet", "binder", [("Binder", 2), nil, ("Binder", 1)])
                try bench.save(inserts: [bench.insert("Sheet", [ends], count: 3)])
            }
            let bench = try harness.migrate()
            #expect(
                try bench.query("SELECT Z_PK, Z1SHEETS FROM ZSHEET ORDER BY Z_PK")
                    == ["1|2", "2|NULL", "3|1"])
        }
    }
}
