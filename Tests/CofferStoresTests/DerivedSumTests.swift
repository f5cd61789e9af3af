import CofferModel
import CofferStores
import CofferWire
import TestSupport
import Testing

/// Derived sums that would pass 64 bits.
@Suite struct DerivedSumTests {
    /// People whose balance is that of all in their team; they are in it by a to-one relationship, or by one
    /// to many.
    private static func people(isManyToMany: Bool) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Person",
                attributes: [
                    AttributeDefinition("amount", .integer64, isOptional: true),
                    AttributeDefinition(
                        "balance", .integer64, isOptional: true, derivationExpression: "sum:(team.amount)"),
                ],
                relationships: [
                    RelationshipDefinition("boss", to: "Person", inverse: "team", isToMany: isManyToMany),
                    RelationshipDefinition("team", to: "Person", inverse: "boss", isToMany: true),
                ])
        ])
    }

    private func join(_ bench: Bench, _ amount: Int64, isManyToMany: Bool) throws {
        let amounts = try bench.integers("Person", "amount", [amount])
        guard isManyToMany else {
            try bench.save(inserts: [
                bench.insert("Person", [amounts, bench.reference("Person", "boss", [("Person", 1)])])
            ])
            return
        }
        let saved = try bench.save(inserts: [bench.insert("Person", [amounts])]).saved
        let person = try bench.entity("Person").index
        try bench.save(sets: [
            SetChange(
                entity: person, property: try bench.property("Person", "team"), owners: [1],
                targets: [saved.firstKeys[0]])
        ])
    }

    @Test(arguments: [false, true])
    func `a save that takes a derived sum beyond 64 bits is refused, and changes nothing`(
        isManyToMany: Bool
    ) throws {
        try withStore(Self.people(isManyToMany: isManyToMany)) { bench in
            try bench.save(inserts: [bench.insert("Person")])
            try join(bench, .max - 1, isManyToMany: isManyToMany)
            try join(bench, 1, isManyToMany: isManyToMany)
            let balance = "SELECT ZBALANCE, typeof(ZBALANCE) FROM ZPERSON WHERE Z_PK = 1"
            #expect(try bench.query(balance) == ["\(Int64.max)|integer"])
            let error = #expect(throws: StoreError.self) {
                try join(bench, 1, isManyToMany: isManyToMany)
            }
            guard case .tooLarge(let text) = error else {
                Issue.record("\(error as Any)")
                return
            }
            #expect(text.contains("64 bits"), "\(text)")
            #expect(try bench.query(balance) == ["\(Int64.max)|integer"])
            try join(bench, -7, isManyToMany: isManyToMany)
            #expect(try bench.query(balance) == ["\(Int64.max - 7)|integer"])
        }
    }
}
