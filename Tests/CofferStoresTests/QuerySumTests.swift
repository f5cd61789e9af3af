import CofferModel
import CofferStores
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

/// Sums of groups that pass 64 bits, on the way or at the end.
struct QuerySumTests {
    /// Entries by kind, whose amounts come to these sums: 2^63 - 5, 2^64 - 2 and -3.
    private static let amounts: [[Int64?]] = [[.max, 1, -5], [.max, .max, nil], [.min, .max, -2]]

    private func ledger() throws -> QueryFixture {
        let fixture = try QueryFixture(
            model: ManagedObjectModel(entities: [
                EntityDefinition(
                    "Account", attributes: [],
                    relationships: [
                        RelationshipDefinition("entries", to: "Entry", inverse: "account", isToMany: true)
                    ]),
                EntityDefinition(
                    "Entry",
                    attributes: [
                        AttributeDefinition("kind", .integer16),
                        AttributeDefinition("amount", .integer64, isOptional: true),
                    ],
                    relationships: [RelationshipDefinition("account", to: "Account", inverse: "entries")]),
            ]))
        var key: Int64 = 0
        for (kind, amounts) in Self.amounts.enumerated() {
            let account = try fixture.add("Account", key: Int64(kind))
            for amount in amounts {
                key += 1
                let entry = try fixture.add(
                    "Entry", key: key,
                    [
                        "kind": .integer(Int64(kind)),
                        "amount": amount.map { .integer($0) } ?? .null,
                    ])
                fixture.join(entry, "account", account)
            }
        }
        try fixture.write()
        return fixture
    }

    private func fetch(
        _ format: String, of entity: String = "Entry", type: AttributeType?, where predicate: String? = nil,
        groups: [String] = ["kind"], having: String? = nil
    ) throws -> FetchDescription {
        var fetch = FetchDescription(entityName: entity)
        fetch.resultType = .dictionaries
        fetch.predicate = try predicate.map { try QueryPredicate(format: $0) }
        fetch.groupBy = groups
        fetch.expressions = [try NamedExpression("total", format: format, type: type)]
        fetch.having = try having.map { try QueryPredicate(format: $0) }
        if !groups.isEmpty { fetch.sortDescriptors = [QuerySort("kind")] }
        return fetch
    }

    private func totals(_ fetch: FetchDescription, as type: AttributeType) throws -> [AttributeValue] {
        let rows = try #require(try ledger().fetch(fetch).rows)
        return (0..<rows.rowCount).map { rows.columns[0].value(at: $0, type: type) }
    }

    @Test func `a sum of a group is exact where 64 bits hold it, whatever it was on the way`() throws {
        let exact = try fetch("sum:(amount)", type: nil, where: "kind != 1")
        #expect(try totals(exact, as: .integer64) == [.integer(.max - 4), .integer(-3)])
        let zero = try fetch("sum:(amount)", type: nil, where: "kind == 9", groups: [])
        #expect(try totals(zero, as: .integer64) == [.integer(0)])
    }

    @Test func `a sum of a group beyond 64 bits is the nearest double, and no integer`() throws {
        let real = try fetch("sum:(amount)", type: .double)
        #expect(try totals(real, as: .double) == [.double(0x1p63), .double(0x1p64), .double(-3)])
        let having = try fetch("sum:(amount)", type: .double, having: "sum:(amount) > 1.8e19")
        #expect(try totals(having, as: .double) == [.double(0x1p64)])
        for (format, entity) in [("sum:(amount)", "Entry"), ("sum:(entries.amount)", "Account")] {
            let groups = entity == "Entry" ? ["kind"] : []
            let error = #expect(throws: StoreError.self, "\(format)") {
                try totals(fetch(format, of: entity, type: nil, groups: groups), as: .integer64)
            }
            guard case .tooLarge(let text) = error else {
                Issue.record("\(error as Any)")
                continue
            }
            #expect(text.contains("64 bits") && text.contains("double"), "\(text)")
        }
    }
}
