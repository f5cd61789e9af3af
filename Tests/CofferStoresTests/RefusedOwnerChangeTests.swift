import CofferModel
import CofferStores
import CofferWire
import Testing

/// Objects that are not moved to other owners, since the store wins: no client is told of a change.
@Suite struct RefusedOwnerChangeTests {
    private func owned(_ bench: Bench, _ owner: Int64?) throws -> Column {
        try bench.reference("Car", "owner", [owner.map { ("Person", $0) }])
    }

    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Person", attributes: [],
                relationships: [RelationshipDefinition("cars", to: "Car", inverse: "owner", isToMany: true)]),
            EntityDefinition(
                "Car",
                attributes: [
                    AttributeDefinition("plate", .string, isOptional: true),
                    AttributeDefinition("maker", .string, isOptional: true),
                ],
                relationships: [RelationshipDefinition("owner", to: "Person", inverse: "cars")],
                uniquenessConstraints: [["plate"]]),
        ])
    }

    /// Two persons; the first has a car, in its second version.
    private func withCar(_ body: (Bench) throws -> Void) throws {
        try withStore(model()) { bench in
            try bench.save(inserts: [
                bench.insert("Person", count: 2),
                bench.insert("Car", [bench.text("Car", "plate", ["A"]), owned(bench, 1)]),
            ])
            try bench.save(updates: [
                bench.update("Car", 1, version: 1, [bench.text("Car", "maker", ["B"])])
            ])
            try body(bench)
        }
    }

    @Test(arguments: [MergePolicyMessage.rollback, .storeTrump], [true, false])
    func `a stale move that is refused touches neither owner`(
        _ policy: MergePolicyMessage, _ saysOldOwner: Bool
    ) throws {
        try withCar { bench in
            // The old owner that the client saw: person 1 for `rollback`, none for `storeTrump`.
            let old = saysOldOwner ? [try owned(bench, policy == .rollback ? 1 : nil)] : []
            let (saved, transaction) = try bench.save(
                policy: policy, updates: [bench.update("Car", 1, version: 1, [owned(bench, 2)], old: old)])
            #expect(transaction == nil && saved.number == 2)
            #expect(saved.touched.isEmpty && saved.refreshed.map(\.primaryKeys) == [[1]])
            #expect(try bench.query("SELECT ZOWNER, Z_OPT FROM ZCAR") == ["1|2"])
        }
    }

    @Test(arguments: [MergePolicyMessage.rollback, .storeTrump])
    func `a new object that is one with a stored one touches no owner`(_ policy: MergePolicyMessage) throws {
        try withCar { bench in
            let (saved, transaction) = try bench.save(
                policy: policy,
                inserts: [bench.insert("Car", [bench.text("Car", "plate", ["A"]), owned(bench, 2)])])
            #expect(transaction == nil && saved.number == 2 && saved.touched.isEmpty)
            #expect(saved.merged == [0: 1])
        }
    }

    @Test func `a move that waits for a unique value touches both owners`() throws {
        try withCar { bench in
            try bench.save(inserts: [
                bench.insert("Car", [bench.text("Car", "plate", ["B"]), owned(bench, 2)])
            ])
            func move(_ key: Int64, _ version: UInt32, _ plate: String, _ owner: Int64) throws -> UpdateGroup
            {
                try bench.update(
                    "Car", key, version: version,
                    [bench.text("Car", "plate", [plate]), owned(bench, owner)])
            }
            let saved = try bench.save(updates: [move(1, 2, "B", 2), move(2, 1, "A", 2)]).saved
            #expect(try bench.query("SELECT ZPLATE, ZOWNER FROM ZCAR ORDER BY Z_PK") == ["B|2", "A|2"])
            #expect(saved.touched.map(\.primaryKeys) == [[1, 2]])
        }
    }
}
