import CofferModel
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

@Suite struct UniquenessTests {
    /// The number of a person is unique, and so is the pair of its names; a job refers to a person.
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Person",
                attributes: [
                    AttributeDefinition("number", .integer32, isOptional: true),
                    AttributeDefinition("first", .string, isOptional: true),
                    AttributeDefinition("last", .string, isOptional: true),
                    AttributeDefinition("stars", .integer16, defaultValue: .integer(3)),
                    AttributeDefinition("note", .string, isOptional: true),
                ],
                relationships: [
                    RelationshipDefinition("jobs", to: "Job", inverse: "person", isToMany: true),
                    RelationshipDefinition("clubs", to: "Club", inverse: "members", isToMany: true),
                ],
                uniquenessConstraints: [["number"], ["first", "last"]]),
            EntityDefinition(
                "Job", attributes: [AttributeDefinition("title", .string, isOptional: true)],
                relationships: [RelationshipDefinition("person", to: "Person", inverse: "jobs")]),
            EntityDefinition(
                "Club", attributes: [],
                relationships: [
                    RelationshipDefinition("members", to: "Person", inverse: "clubs", isToMany: true)
                ]),
        ])
    }

    private func people(_ bench: Bench) throws -> [String] {
        try bench.query(
            "SELECT Z_PK, ZNUMBER, ZFIRST, ZLAST, ZSTARS, ZNOTE, Z_OPT FROM ZPERSON ORDER BY Z_PK")
    }

    private func person(
        _ bench: Bench, _ numbers: [Int64], stars: Int64 = 3, note: String? = nil, first: String? = nil
    ) throws -> InsertGroup {
        var columns = [
            try bench.integers("Person", "number", numbers),
            try bench.integers("Person", "stars", numbers.map { _ in stars }),
        ]
        if let note { columns.append(try bench.text("Person", "note", numbers.map { _ in note })) }
        if let first { columns.append(try bench.text("Person", "first", numbers.map { _ in first })) }
        return try bench.insert("Person", columns, count: numbers.count)
    }

    /// One person with number 1, five stars, the first name A and a note.
    private func withPerson(_ body: (Bench) throws -> Void) throws {
        try withStore(Self.model()) { bench in
            try bench.save(inserts: [person(bench, [1], stars: 5, note: "old", first: "A")])
            try body(bench)
        }
    }

    @Test(arguments: [
        (MergePolicyMessage.objectTrump, "1|1|A|NULL|5|new|2", true),
        (.overwrite, "1|1|NULL|NULL|3|new|2", true), (.storeTrump, "1|1|A|NULL|5|old|1", false),
        (.rollback, "1|1|A|NULL|5|old|1", false),
    ])
    func `a new object becomes the stored one, with the values that the policy says`(
        _ policy: MergePolicyMessage, _ row: String, _ writes: Bool
    ) throws {
        try withPerson { bench in
            let (saved, transaction) = try bench.save(
                policy: policy, inserts: [person(bench, [1], note: "new")])
            #expect(try people(bench) == [row])
            #expect(saved.merged == [0: 1])
            #expect(saved.refreshed.map(\.primaryKeys) == [[1]])
            #expect((transaction != nil) == writes)
            #expect(transaction?.changes.map(\.kind) ?? [.update] == [.update])
        }
    }

    @Test func `references to an object that became another lead to that one`() throws {
        try withPerson { bench in
            let saved = try bench.save(
                policy: .objectTrump,
                inserts: [
                    person(bench, [2, 1]), bench.insert("Club"),
                    bench.insert("Job", [bench.reference("Job", "person", [("Person", -2)])]),
                ],
                sets: [
                    SetChange(
                        entity: bench.entity("Person").index, property: bench.property("Person", "clubs"),
                        owners: [-2], targets: [-3])
                ])
            #expect(saved.saved.merged == [1: 1])
            #expect(try bench.query("SELECT ZPERSON FROM ZJOB") == ["1"])
            #expect(try bench.query("SELECT count(*) FROM ZPERSON WHERE Z_PK IN (1, 2)") == ["2"])
            let touched = try #require(saved.transaction?.changes.first { $0.kind == .update })
            #expect(touched.primaryKeys == [1])
            #expect(
                try Set(touched.properties)
                    == [bench.property("Person", "jobs"), bench.property("Person", "clubs")])
        }
    }

    @Test(arguments: [(MergePolicyMessage.objectTrump, "b"), (.storeTrump, "a")])
    func `new objects that agree with each other become one`(
        _ policy: MergePolicyMessage, _ note: String
    ) throws {
        try withStore(Self.model()) { bench in
            let saved = try bench.save(
                policy: policy, inserts: [person(bench, [7], note: "a"), person(bench, [7], note: "b")])
            #expect(saved.saved.merged == [1: 1])
            #expect(try bench.query("SELECT Z_PK, ZNOTE FROM ZPERSON") == ["1|\(note)"])
            let refused = try bench.execute(
                bench.request(inserts: [person(bench, [8], note: "a"), person(bench, [8], note: "b")]))
            guard case .constraints(let conflicts) = refused.reply else {
                Issue.record("\(refused.reply)")
                return
            }
            #expect(conflicts.count == 1 && conflicts[0].existing?.temporaryID != nil)
        }
    }

    @Test func `a compound constraint is broken only where all of it agrees`() throws {
        try withStore(Self.model()) { bench in
            func names(_ first: String, _ last: String?) throws -> InsertGroup {
                try bench.insert(
                    "Person",
                    [
                        bench.integers("Person", "stars", [3]), bench.text("Person", "first", [first]),
                        bench.text("Person", "last", [last]),
                    ])
            }
            try bench.save(inserts: [names("A", "X"), names("A", "Y"), names("A", nil), names("A", nil)])
            let refused = try bench.execute(bench.request(inserts: [names("A", "Y")]))
            guard case .constraints(let conflicts) = refused.reply else {
                Issue.record("\(refused.reply)")
                return
            }
            #expect(conflicts.map(\.constraint) == [["first", "last"]])
            #expect(conflicts.map { $0.existing?.primaryKey } == [2])
        }
    }

    @Test(arguments: [
        (MergePolicyMessage.objectTrump, ["2|1|NULL|NULL|9|NULL|2"]),
        (.overwrite, ["2|1|NULL|NULL|9|NULL|2"]),
        (.storeTrump, ["1|1|A|NULL|5|old|2", "2|2|NULL|NULL|9|NULL|2"]),
        (.rollback, ["1|1|A|NULL|5|old|2", "2|2|NULL|NULL|3|NULL|1"]),
    ])
    func `of stored objects that come to agree one gives way`(
        _ policy: MergePolicyMessage, _ rows: [String]
    ) throws {
        try withPerson { bench in
            try bench.save(inserts: [
                person(bench, [2]), bench.insert("Job", [bench.reference("Job", "person", [("Person", 1)])]),
            ])
            let saved = try bench.save(
                policy: policy,
                updates: [
                    bench.update(
                        "Person", 2, version: 1,
                        [bench.integers("Person", "number", [1]), bench.integers("Person", "stars", [9])],
                        old: [
                            bench.integers("Person", "number", [2]), bench.integers("Person", "stars", [3]),
                        ])
                ])
            #expect(try people(bench) == rows)
            let isGone = rows.count == 1
            #expect(saved.saved.alsoDeleted.map(\.primaryKeys) == (isGone ? [[1]] : []))
            #expect(try bench.query("SELECT ZPERSON FROM ZJOB") == [isGone ? "NULL" : "1"])
        }
    }

    @Test(arguments: MergePolicyMessage.allCases)
    func `objects swap their values under every policy`(_ policy: MergePolicyMessage) throws {
        try withStore(Self.model()) { bench in
            try bench.save(inserts: [person(bench, [1, 2, 3])])
            let number = try bench.integers("Person", "number", [2, 3, 1])
            let update = UpdateGroup(
                entity: try bench.entity("Person").index, primaryKeys: [1, 2, 3], versions: [1, 1, 1],
                columns: [number], oldColumns: [try bench.integers("Person", "number", [1, 2, 3])])
            try bench.save(policy: policy, updates: [update])
            #expect(
                try bench.query("SELECT ZNUMBER, Z_OPT FROM ZPERSON ORDER BY Z_PK") == ["2|2", "3|2", "1|2"])
        }
    }

    @Test(arguments: MergePolicyMessage.allCases)
    func `stored objects that one save gives equal values are a conflict under every policy`(
        _ policy: MergePolicyMessage
    ) throws {
        try withStore(Self.model()) { bench in
            try bench.save(inserts: [person(bench, [1, 2])])
            let update = UpdateGroup(
                entity: try bench.entity("Person").index, primaryKeys: [1, 2], versions: [1, 1],
                columns: [try bench.integers("Person", "number", [5, 5])])
            let refused = try bench.execute(bench.request(policy: policy, updates: [update]))
            guard case .constraints = refused.reply else {
                Issue.record("\(refused.reply)")
                return
            }
            #expect(try bench.query("SELECT ZNUMBER FROM ZPERSON ORDER BY Z_PK") == ["1", "2"])
        }
    }

    @Test func `an upsert that meets a second constraint takes the other object's place`() throws {
        try withPerson { bench in
            let names = [
                try bench.integers("Person", "stars", [3]), try bench.text("Person", "first", ["B"]),
                try bench.text("Person", "last", ["C"]),
            ]
            try bench.save(inserts: [bench.insert("Person", names)])
            let saved = try bench.save(
                policy: .objectTrump,
                inserts: [bench.insert("Person", names + [bench.integers("Person", "number", [1])])])
            #expect(saved.saved.merged == [0: 1])
            #expect(saved.saved.alsoDeleted.map(\.primaryKeys) == [[2]])
            #expect(try people(bench) == ["1|1|B|C|5|old|2"])
        }
    }

    @Test func `a repeated request gets its first answer, merged objects included`() throws {
        try withPerson { bench in
            var request = try bench.request(policy: .objectTrump, inserts: [person(bench, [1], note: "new")])
            let first = try bench.execute(request)
            request.request.isRetry = true
            #expect(try bench.execute(request).reply == first.reply)
            #expect(try people(bench) == ["1|1|A|NULL|5|new|2"])
        }
    }

    /// Random upserts against a dictionary by number.
    @Test(arguments: Seed.several(4))
    func `upserts leave one object for each value, with the last note`(_ seed: Seed) throws {
        var dice = seed.generator()
        try withStore(Self.model()) { bench in
            var expected: [Int64: String] = [:]
            for round in 0..<30 {
                let numbers = (0..<Int.random(in: 1...12, using: &dice)).map { _ in
                    Int64.random(in: 0..<25, using: &dice)
                }
                let wins = Bool.random(using: &dice)
                let group = try bench.insert(
                    "Person",
                    [
                        bench.integers("Person", "number", numbers),
                        bench.integers("Person", "stars", numbers.map { _ in 3 }),
                        bench.text("Person", "note", numbers.indices.map { "\(round).\($0)" }),
                    ], count: numbers.count)
                let saved = try bench.save(policy: wins ? .objectTrump : .storeTrump, inserts: [group]).saved
                var added = 0
                for (row, number) in numbers.enumerated() {
                    if expected[number] == nil { added += 1 }
                    if wins || expected[number] == nil { expected[number] = "\(round).\(row)" }
                }
                #expect(saved.merged.count == numbers.count - added, "seed \(seed)")
            }
            let rows = try bench.query("SELECT ZNUMBER, ZNOTE FROM ZPERSON ORDER BY ZNUMBER")
            #expect(
                rows == expected.sorted { $0.key < $1.key }.map { "\($0.key)|\($0.value)" }, "seed \(seed)")
        }
    }
}
