import CofferModel
import CofferStores
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

/// What a batch update makes of numbers of another kind than the attribute's.
@Suite struct BatchValueTests {
    private func withItem(_ body: (Bench) throws -> Void) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Item",
                attributes: [
                    AttributeDefinition("price", .decimal, isOptional: true),
                    AttributeDefinition("number", .integer64, isOptional: true),
                ])
        ])
        try withStore(model) { bench in
            try bench.save(inserts: [bench.insert("Item")])
            try body(bench)
        }
    }

    private func set(_ property: String, _ value: AttributeValue, _ bench: Bench) throws -> SaveExecution {
        var request = bench.request()
        request.batch = BatchMessage(
            updates: [
                BatchUpdateMessage(
                    entity: "Item",
                    assignments: [AssignmentMessage(property: property, expression: .constant(value))])
            ], result: .count)
        return try bench.execute(request)
    }

    /// The number in the row, and the digits beside it.
    private func price(_ bench: Bench) throws -> [String] {
        try bench.query("SELECT ZPRICE FROM ZITEM") + bench.query("SELECT digits FROM COFFER_DECIMAL")
    }

    @Test func `a decimal gets the digits that a number is written with`() throws {
        try withItem { bench in
            _ = try set("price", .double(3.133), bench)
            #expect(try price(bench) == ["3.133"])
            _ = try set("price", .float(0.1), bench)
            #expect(try price(bench) == ["0.1"])
            _ = try set("price", .integer(9_007_199_254_740_993), bench)
            #expect(try price(bench).dropFirst() == ["9007199254740993"])
            _ = try set("price", .boolean(true), bench)
            #expect(try bench.query("SELECT ZPRICE = 1 FROM ZITEM") == ["1"])
            #expect(throws: StoreError.self) { try set("price", .double(.infinity), bench) }
        }
    }

    @Test func `an integer gets all digits of a decimal, and no fraction`() throws {
        try withItem { bench in
            _ = try set("number", .decimal(Decimal(9_007_199_254_740_993)), bench)
            #expect(try bench.query("SELECT ZNUMBER FROM ZITEM") == ["9007199254740993"])
            #expect(throws: StoreError.self) { try set("number", .decimal(Decimal(5) / 2), bench) }
        }
    }
}
