import CofferFormats
import CofferLinux
import CofferModel
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

/// Stores that follow a mapping model.
@Suite struct MappingMigrationTests {
    private static let old = [
        EntityDefinition(
            "Person",
            attributes: [
                AttributeDefinition("first", .string, isOptional: true),
                AttributeDefinition("last", .string, isOptional: true),
                AttributeDefinition("age", .integer64, defaultValue: .integer(0)),
            ],
            relationships: [
                RelationshipDefinition("pets", to: "Pet", inverse: "owner", isToMany: true)
            ]),
        EntityDefinition(
            "Pet", attributes: [AttributeDefinition("name", .string, isOptional: true)],
            relationships: [RelationshipDefinition("owner", to: "Person", inverse: "pets")]),
    ]

    private static let new = [
        EntityDefinition(
            "Animal", attributes: [AttributeDefinition("title", .string, isOptional: true)],
            relationships: [RelationshipDefinition("keeper", to: "Human", inverse: "animals")]),
        EntityDefinition(
            "Human",
            attributes: [
                AttributeDefinition("name", .string, isOptional: true),
                AttributeDefinition("kind", .string, defaultValue: .string("none")),
                AttributeDefinition("years", .decimal, isOptional: true),
                AttributeDefinition("mark", .integer16, defaultValue: .integer(9)),
            ],
            relationships: [
                RelationshipDefinition(
                    "animals", to: "Animal", inverse: "keeper", isToMany: true, isOrdered: true)
            ]),
    ]

    /// A mapping model between the two, whose names have nothing in common.
    private static func mapping(_ change: (inout MappingModel) -> Void = { _ in }) -> MappingModel {
        var human = MappingModel.Entity(
            "PersonToHuman", kind: .transform, source: "Person", destination: "Human")
        human.attributes = [
            .init("name", .expression("uppercase:($source.last)")),
            .init("kind", .expression("\"it's\"")),
            .init("years", .expression("$source.age * 1.5")),
        ]
        human.relationships = [.init("animals", .mapped(by: "PetToAnimal", objects: "$source.pets"))]
        var animal = MappingModel.Entity(
            "PetToAnimal", kind: .transform, source: "Pet", destination: "Animal")
        animal.attributes = [.init("title", .expression("$source.name"))]
        var mapping = MappingModel(entities: [human, animal])
        change(&mapping)
        return mapping
    }

    private func fill(_ harness: MigrationHarness) throws {
        try harness.fill { bench in
            try bench.save(inserts: [
                bench.insert(
                    "Person",
                    [
                        bench.text("Person", "first", ["Ada", "Bea"]),
                        bench.text("Person", "last", ["Lovelace", nil]),
                        bench.integers("Person", "age", [36, 2]),
                    ], count: 2)
            ])
            try bench.save(inserts: [
                bench.insert(
                    "Pet",
                    [
                        bench.text("Pet", "name", ["x", "y", "z"]),
                        bench.reference("Pet", "owner", [("Person", 1), ("Person", 1), nil]),
                    ], count: 3)
            ])
        }
    }

    private func withStore(
        _ mapping: MappingModel = Self.mapping(), to new: [EntityDefinition] = Self.new,
        _ body: (MigrationHarness) throws -> Void
    ) throws {
        try withMigration(from: Self.old, to: new) { harness in
            var harness = harness
            harness.mapping = mapping
            try fill(harness)
            try body(harness)
        }
    }

    @Test func `entities, values and references become what the mapping model says`() throws {
        try withStore { harness in
            let bench = try harness.migrate()
            #expect(
                try bench.query("SELECT Z_PK, ZNAME, ZKIND, ZYEARS, ZMARK FROM ZHUMAN ORDER BY 1")
                    == ["1|LOVELACE|it's|54|9", "2|NULL|it's|3|9"])
            #expect(
                try bench.query("SELECT ZTITLE, ZKEEPER FROM ZANIMAL ORDER BY Z_PK")
                    == ["x|1", "y|1", "z|NULL"])
            #expect(
                try bench.query("SELECT count(*) FROM sqlite_master WHERE name IN ('ZPERSON', 'ZPET')")
                    == ["0"])
        }
    }

    @Test func `opening the store with the mapping model follows it, and one that has the model needs none`()
        throws
    {
        try withStore { harness in
            for _ in 0..<2 {
                var options = StoreOptions()
                options.migration = MigrationOptions(mapping: harness.mapping)
                let file = try StoreFile.open(
                    in: harness.folder(), fileName: MigrationHarness.name,
                    model: StoreModel(harness.destination), options: options)
                #expect(try Bench(file).query("SELECT count(*) FROM ZHUMAN") == ["2"])
            }
        }
    }

    @Test func `the plan tells of each entity and property, and of what nothing takes`() throws {
        let mapping = Self.mapping { mapping in
            mapping.entities[0].relationships = []
            mapping.entities.removeLast()
        }
        try withStore(mapping) { harness in
            let before = try ObjectGraph(reading: harness.open(harness.source))
            let plan = try harness.migration().plan()
            #expect(plan.obstacles.isEmpty && plan.dropsData)
            let human = try #require(plan.entities.first { $0.name == "Human" })
            #expect(human.formerName == "Person" && human.objectCount == 2)
            let name = try #require(human.properties.first { $0.name == "name" })
            #expect(name.change == .converted && name.changedCount == 2, "\(name)")
            #expect(name.examples.map(\.value) == ["Lovelace", nil])
            #expect(human.properties.first { $0.name == "first" }?.droppedCount == 2)
            #expect(plan.entities.first { $0.name == "Pet" }?.change == .removed)
            #expect(plan.droppedObjectCount == 3)
            #expect(try ObjectGraph(reading: harness.open(harness.source)) == before)
        }
    }

    @Test func `a value that an expression does not have is in the way, with the objects`() throws {
        let mapping = Self.mapping {
            $0.entities[0].attributes[2] = .init("mark", .expression("$source.last"))
        }
        try withStore(mapping) { harness in
            let obstacles = try harness.migration().plan().obstacles
            guard case .unconvertible("Human", "mark", _, _, 1, _)? = obstacles.first else {
                Issue.record("\(obstacles)")
                return
            }
            #expect(throws: StoreError.self) { try harness.migration().run() }
        }
    }

    @Test func `a computed value of a type that it is not is in the way, with the objects`() throws {
        let mapping = Self.mapping {
            $0.entities[0].attributes[2] = .init("mark", .expression("$source.age * 2000"))
        }
        try withStore(mapping) { harness in
            let obstacles = try harness.migration().plan().obstacles
            guard case .unconvertible("Human", "mark", let from, _, 1, let examples)? = obstacles.first else {
                Issue.record("\(obstacles)")
                return
            }
            #expect(from.contains("2000") && examples.map(\.key) == [1])
            #expect(throws: StoreError.self) { try harness.migration().run() }
        }
    }

    static let mistakes: [(change: @Sendable (inout MappingModel) -> Void, words: [String])] = [
        ({ $0.entities[0].source = "Nobody" }, ["PersonToHuman'", "'Nobody'"]),
        ({ $0.entities[0].destination = "Nobody" }, ["PersonToHuman'", "'Nobody'"]),
        ({ $0.entities[0].kind = .remove }, ["PersonToHuman'", "remove"]),
        ({ $0.entities[0].policyClassName = "Policy" }, ["PersonToHuman'", "'Policy'"]),
        ({ $0.entities[0].predicate = "age > 3" }, ["PersonToHuman'", "age > 3"]),
        ({ $0.entities.append($0.entities[0]) }, ["PersonToHuman'", "two mappings"]),
        ({ $0.entities[1].source = "Person" }, ["PetToAnimal'", "'PersonToHuman'"]),
        ({ $0.entities[0].attributes[0].name = "nothing" }, ["PersonToHuman.nothing'"]),
        ({ $0.entities[0].attributes.append($0.entities[0].attributes[0]) }, ["Human.name'", "twice"]),
        ({ $0.entities[0].attributes[0].value = .expression("$source.") }, ["PersonToHuman.name'"]),
        ({ $0.entities[0].attributes[0].value = .expression("$other.last") }, ["Human.name'", "$other"]),
        ({ $0.entities[0].attributes[0].value = .expression("last + 1") }, ["Human.name'", "$source"]),
        (
            { $0.entities[0].attributes[0].value = .expression("$source.gone + 1") },
            ["Human.name'", "'gone'"]
        ),
        ({ $0.entities[0].attributes[0].value = .expression("$source.pets.name") }, ["Human.name'", "pets"]),
        ({ $0.entities[0].attributes[0].value = .expression("nothing:($source.last)") }, ["Human.name'"]),
        (
            { $0.entities[0].relationships[0].value = .mapped(by: "Other", objects: "$source.pets") },
            ["Human.animals'", "'Other'"]
        ),
        (
            { $0.entities[0].relationships[0].value = .mapped(by: "PersonToHuman", objects: "$source.pets") },
            ["Human.animals'", "'PetToAnimal'"]
        ),
        (
            { $0.entities[0].relationships[0].value = .mappedRelationship("toys", objects: "$source.toys") },
            ["Human.animals'", "toys"]
        ),
        ({ $0.entities[0].sourceHash = [1] }, ["PersonToHuman'", "another version"]),
    ]

    @Test(arguments: mistakes.indices)
    func `what a mapping model says that cannot be followed is named`(_ place: Int) throws {
        let (change, words) = Self.mistakes[place]
        try withStore(Self.mapping(change)) { harness in
            let before = try ObjectGraph(reading: harness.open(harness.source))
            let obstacles = try harness.migration().plan().obstacles
            guard case .notInferable(let text)? = obstacles.first else {
                Issue.record("\(obstacles)")
                return
            }
            for word in words { #expect(text.contains(word), "\(text)") }
            #expect(throws: StoreError.self) { try harness.migration().run() }
            #expect(try ObjectGraph(reading: harness.open(harness.source)) == before)
        }
    }

    @Test(
        .enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"),
        arguments: [
            ("stores/bookmigration", "Model1_to_Model2", "BookToBook", "MHWBookToBookPolicy"),
            (
                "models/loopkit", "Modelv1v4", "CachedCarbObjectToCachedCarbObject",
                "LoopKit.CachedCarbObjectv3EntityMigrationPolicy"
            ),
        ])
    func `a mapping model of Xcode's with a policy class is refused by its name`(
        folder: String, file: String, mapping: String, policy: String
    ) throws {
        let root = try FixtureFolder.required() + "/" + folder
        let written = try MappingModelFile.read(path: "\(root)/\(file).xcmappingmodel")
        let models = try ModelFile.versions(path: "\(root)/Model.xcdatamodeld").map(\.model)
        do {
            _ = try InferredMapping(from: models[0], to: models[1], by: written)
            Issue.record("it was followed")
        } catch {
            #expect("\(error)".contains(mapping) && "\(error)".contains(policy))
        }
    }
}
