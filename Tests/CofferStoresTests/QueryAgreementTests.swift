import CofferModel
import CofferStores
import FoundationEssentials
import Testing

/// Corners in which SQL has rules of its own: a store finds what memory finds.
struct QueryAgreementTests {
    /// A company whose people agree in many ways.
    private func company() throws -> QueryFixture {
        let fixture = try QueryFixture()
        let company = try fixture.add("Company", key: 1)
        var boss: QueryObject?
        for (index, name) in ["A", "A", "\u{E9}", "e\u{301}", nil, nil].enumerated() {
            let person = try fixture.add(
                "Person", key: Int64(index + 1),
                [
                    "name": name?.value ?? .null, "age": index < 5 ? .integer(Int64(index % 2 + 1)) : .null,
                    "balance": .decimal(3),
                ])
            fixture.join(person, "employer", company)
            if let boss { fixture.join(person, "boss", boss) } else { boss = person }
        }
        try fixture.write()
        return fixture
    }

    @Test(arguments: [
        "count:(staff.@distinctUnionOfObjects.name) == 3", "count:(staff.@unionOfObjects.name) == 4",
        "count:(staff.@distinctUnionOfObjects.age) == 2", "sum:(staff.@distinctUnionOfObjects.age) == 3",
        "average:(staff.@distinctUnionOfObjects.age) == 1.5",
        "count:(staff.@distinctUnionOfObjects.balance) == 1",
        "sum:(staff.@distinctUnionOfObjects.balance) == 3",
        "median:(staff.@distinctUnionOfObjects.age) == 1.5",
        "max:(staff.@distinctUnionOfObjects.name) == '\u{E9}'",
        "count:(staff.@distinctUnionOfObjects.boss) == 1", "ANY staff.@distinctUnionOfObjects.name == nil",
        "ANY staff.@distinctUnionOfObjects.name == 'A'", "'A' IN staff.@distinctUnionOfObjects.name",
        "ANY staff.@distinctUnionOfObjects.boss.name == 'A'",
        "count:(staff.@distinctUnionOfObjects.boss.name) == 1",
        "SUBQUERY(staff.@distinctUnionOfObjects.boss, $b, $b.name == 'A').@count == 1",
        "count:(SUBQUERY(staff, $s, $s.age == 2).@distinctUnionOfObjects.balance) == 1",
    ])
    func `distinct values are there once`(format: String) throws {
        let fixture = try company()
        let predicate = try QueryPredicate(format: format)
        #expect(try fixture.evaluated("Company", predicate) == [1])
        #expect(try fixture.keys("Company", predicate) == [1])
    }
}
