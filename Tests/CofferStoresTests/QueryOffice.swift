import CofferModel
import FoundationEssentials

extension QueryFixture {
    /// Eight people, three companies and four tags, with nulls and letters beyond ASCII among them.
    static func office() throws -> QueryFixture {
        let fixture = try QueryFixture()
        let acme = try fixture.add("Company", key: 1, ["name": "Acme".value, "founded": .date(.day(10))])
        let ebene = try fixture.add("Company", key: 2, ["name": "Ébène".value, "founded": .null])
        try fixture.add("Company", key: 3, ["name": .null])
        let names: [String?] = [
            "Ada", "alan", "Grace", "Édith", "E\u{301}dith", nil, "Bob\u{0}by", "10% \"off\"'; --",
        ]
        let entities = ["Director", "Person", "Manager", "Person", "Visitor", "Person", "Manager", "Person"]
        var people: [QueryObject] = []
        for index in 0..<8 {
            let person = try fixture.add(entities[index], key: Int64(index + 1), values(index, names[index]))
            people.append(person)
            if index % 3 != 2 { fixture.join(person, "employer", index % 2 == 0 ? acme : ebene) }
            if index > 0 && index < 6 { fixture.join(person, "boss", people[index / 2]) }
        }
        for (index, name) in ["red", "green", "Blue", nil].enumerated() {
            let tag = try fixture.add("Tag", key: Int64(index + 1), ["name": name.map { $0.value } ?? .null])
            for (place, person) in people.enumerated() where (place + index) % 3 == 0 && index < 3 {
                fixture.join(person, "tags", tag)
            }
            if index > 1 { fixture.join(people[index], "hobbies", tag) }
        }
        try fixture.write()
        return fixture
    }

    private static func values(_ index: Int, _ name: String?) -> [String: AttributeValue] {
        let hasAll = index != 5
        var values: [String: AttributeValue] = [
            "name": name.map { $0.value } ?? .null,
            "email": "person\(index)@example.org".value,
            "age": hasAll ? .integer(Int64([36, 41, 85, 47, 47, 0, 12, -3][index])) : .null,
            "height": hasAll ? .double([1.65, 1.78, 1.5, 1.42, 1.42, 0, 2, 0.5][index]) : .null,
            "score": hasAll ? .float([0.1, 2, 3.5, -1, 0, 0, 7, 100][index]) : .null,
            "isActive": hasAll ? .boolean(index % 2 == 0) : .null,
            "born": hasAll ? .date(.day(Double(index * 100))) : .null,
            "homepage": .uri("https://example.org/\(index)"),
        ]
        values["balance"] = hasAll ? .decimal([Decimal(1), 5, 10, 0, -7, 0, 2, 99][index]) : .null
        values["token"] = hasAll ? .uuid(.numbered(index)) : .null
        values["photo"] = hasAll ? .binary([0, 1, UInt8(index)]) : .null
        if ["Director", "Manager"].contains(["Director", "", "Manager", "", "", "", "Manager", ""][index]) {
            values["level"] = .integer(Int64(index))
        }
        return values
    }
}

extension String {
    var value: AttributeValue { .string(self) }
}

extension Date {
    static func day(_ number: Double) -> Date { Date(timeIntervalSinceReferenceDate: number * 86_400) }
}

extension UUID {
    static func numbered(_ index: Int) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(truncatingIfNeeded: index)))
    }
}
