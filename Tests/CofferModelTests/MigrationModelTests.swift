import CofferModel
import Foundation
import TestSupport
import Testing

/// Two models compared: what differs, and what can be inferred from it.
@Suite struct MigrationModelTests {
    private func model(_ entities: EntityDefinition...) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: entities)
    }

    private func lines(_ old: ManagedObjectModel, _ new: ManagedObjectModel) throws -> [String] {
        try ModelDifference(from: old, to: new).changes.map(\.description)
    }

    @Test func `equal models differ in nothing, and all is mapped to itself`() throws {
        let note = EntityDefinition("Note", attributes: [AttributeDefinition("title", .string)])
        let (old, new) = (try model(note), try model(note))
        #expect(try lines(old, new) == [])
        let mapping = try InferredMapping(from: old, to: new)
        #expect(mapping.entities.map(\.origin) == [0] && mapping.removed == [])
        let same = try #require(AttributeConversion(from: .string, to: .string))
        #expect(mapping.entities[0].properties == [.attribute(origin: 0, same)])
    }

    @Test func `each difference is told with what becomes of the values`() throws {
        let old = try model(
            EntityDefinition(
                "Memo",
                attributes: [
                    AttributeDefinition("name", .string, isOptional: true),
                    AttributeDefinition("rank", .integer16), AttributeDefinition("junk", .string),
                ]),
            EntityDefinition("Attic"))
        let new = try model(
            EntityDefinition(
                "Note",
                attributes: [
                    AttributeDefinition(
                        "title", .string, defaultValue: .string("x"), renamingIdentifier: "name"),
                    AttributeDefinition("rank", .integer32), AttributeDefinition("count", .integer64),
                ],
                uniquenessConstraints: [["title"]], renamingIdentifier: "Memo"))
        #expect(
            try lines(old, new) == [
                "Attic is gone: its objects are deleted", "Note was called Memo: its values stay",
                "Note: unique is title, was nothing: no two objects may agree",
                "Note.junk is gone: its values are deleted", "Note.count is new: it is null",
                "Note.rank: the type is Integer 32, was Integer 16: values stay",
                "Note.title was called name: its values stay",
                "Note.title: it is required, was optional: objects without a value get the default",
            ])
        let mapping = try InferredMapping(from: old, to: new)
        #expect(mapping.removed.map { old.entities[$0].name } == ["Attic"])
    }

    @Test func `identifiers win over names, and chains of renaming are followed`() throws {
        func note(_ attributes: AttributeDefinition...) throws -> ManagedObjectModel {
            try model(EntityDefinition("Note", attributes: attributes))
        }
        let old = try note(AttributeDefinition("b", .string, renamingIdentifier: "a"))
        // The identifier was kept; the last name is the identifier; the old name came back.
        for definition in [
            AttributeDefinition("c", .string, renamingIdentifier: "a"),
            AttributeDefinition("c", .string, renamingIdentifier: "b"), AttributeDefinition("a", .string),
        ] {
            #expect(try InferredMapping(from: old, to: note(definition)).entities[0].properties != [.added])
        }
        // The attribute that says that it was the old one is that one, and the attribute with its name is
        // new.
        let swapped = try note(
            AttributeDefinition("b", .string), AttributeDefinition("z", .string, renamingIdentifier: "b"))
        let properties = try InferredMapping(from: old, to: swapped).entities[0].properties
        #expect(properties[0] == .added && properties[1] != .added)
        let both = try note(
            AttributeDefinition("y", .string, renamingIdentifier: "b"),
            AttributeDefinition("z", .string, renamingIdentifier: "b"))
        #expect(
            throws: MigrationError.ambiguousRenaming(place: "entity Note", old: "b", new: ["y", "z"])
        ) { try InferredMapping(from: old, to: both) }
        // Nothing changes: the name of one hides the identifier of the other neither way.
        let same = try InferredMapping(from: swapped, to: swapped).entities[0].properties
        #expect(same.map(\.origin) == [0, 1])
        // The one that keeps its identifier keeps its values, though its name is new.
        let renamed = try note(
            AttributeDefinition("b", .string), AttributeDefinition("y", .string, renamingIdentifier: "b"))
        let kept = try InferredMapping(from: swapped, to: renamed).entities[0].properties
        #expect(kept.map(\.origin) == [0, 1])
    }

    @Test(arguments: Seed.several(20))
    func `a model of any names and identifiers is mapped to itself`(seed: Seed) throws {
        var random = seed.generator()
        let names = ["a", "b", "c", "d", "e"]
        var entities: [EntityDefinition] = []
        for name in names.shuffled(using: &random).dropLast() {
            var entity = EntityDefinition(name)
            entity.superentity = Bool.random(using: &random) ? entities.first?.name : nil
            entity.renamingIdentifier = ([nil] + names).randomElement(using: &random) ?? nil
            let parent = entities.first.map { $0.name == entity.superentity ? $0.attributes : [] } ?? []
            let free = names.filter { name in !parent.contains { $0.name == name } }
            for name in free where Bool.random(using: &random) {
                let identifier = ([nil] + names).randomElement(using: &random) ?? nil
                entity.attributes.append(AttributeDefinition(name, .string, renamingIdentifier: identifier))
            }
            entities.append(entity)
        }
        let model = try ManagedObjectModel(entities: entities)
        let mapping = try InferredMapping(from: model, to: model)
        #expect(mapping.entities.map(\.origin) == Array(model.entities.indices), "seed \(seed)")
        for (entity, mapped) in zip(model.entities, mapping.entities) {
            #expect(mapped.properties.map(\.origin) == Array(entity.properties.indices), "seed \(seed)")
        }
        #expect(try lines(model, model) == [], "seed \(seed)")
    }

    @Test
    func `a large family with many relationships is compared in no time`() throws {
        let relationships = (0..<20).map { RelationshipDefinition("r\($0)", to: "A") }
        let children = (0..<1_999).map { EntityDefinition("B\($0)", superentity: "A") }
        let model = try ManagedObjectModel(
            entities: [EntityDefinition("A", relationships: relationships)] + children)
        let mapping = try InferredMapping(from: model, to: model)
        #expect(mapping.entities.allSatisfy { $0.properties.count == 20 })
    }

    @Test func `attributes move between parents and children, and parents come and go`() throws {
        let old = try model(
            EntityDefinition("Base"),
            EntityDefinition(
                "Leaf", superentity: "Base", attributes: [AttributeDefinition("text", .string)]))
        let new = try model(
            EntityDefinition("Top", isAbstract: true, attributes: [AttributeDefinition("text", .string)]),
            EntityDefinition("Base", superentity: "Top"), EntityDefinition("Leaf", superentity: "Base"))
        let mapping = try InferredMapping(from: old, to: new)
        let text = try #require(AttributeConversion(from: .string, to: .string))
        let found = Dictionary(uniqueKeysWithValues: mapping.entities.map { ($0.entity, $0.properties) })
        #expect(found[try #require(new.entity(named: "Leaf")).index] == [.attribute(origin: 0, text)])
        #expect(found[try #require(new.entity(named: "Base")).index] == [.added])
        #expect(
            try InferredMapping(from: new, to: old).removed == [try #require(new.entity(named: "Top")).index])
    }

    @Test func `what cannot be inferred names the element`() throws {
        func pair(_ first: EntityDefinition, _ second: EntityDefinition) throws -> ManagedObjectModel {
            try model(first, second)
        }
        let plain = try pair(
            EntityDefinition("A", attributes: [AttributeDefinition("x", .date)]), EntityDefinition("B"))
        #expect(throws: MigrationError.mergedHierarchies(entity: "C", roots: ["A", "B"])) {
            try InferredMapping(
                from: plain,
                to: self.model(
                    EntityDefinition("C"),
                    EntityDefinition(
                        "A", superentity: "C", attributes: [AttributeDefinition("x", .date)]),
                    EntityDefinition("B", superentity: "C")))
        }
        #expect(
            throws: MigrationError.typeChange(entity: "A", attribute: "x", from: .date, to: .binary)
        ) {
            try InferredMapping(
                from: plain,
                to: pair(
                    EntityDefinition("A", attributes: [AttributeDefinition("x", .binary)]),
                    EntityDefinition("B")))
        }
        let related = try pair(
            EntityDefinition("A", relationships: [RelationshipDefinition("x", to: "B")]),
            EntityDefinition("B"))
        #expect(throws: MigrationError.kindChange(entity: "A", property: "x")) {
            try InferredMapping(from: plain, to: related)
        }
        let turned = try pair(
            EntityDefinition("A", relationships: [RelationshipDefinition("x", to: "A")]),
            EntityDefinition("B"))
        #expect(
            throws: MigrationError.destinationChange(entity: "A", relationship: "x", from: "B", to: "A")
        ) { try InferredMapping(from: related, to: turned) }
        func inverses(_ first: String, _ second: String) throws -> ManagedObjectModel {
            try pair(
                EntityDefinition(
                    "A",
                    relationships: [
                        RelationshipDefinition("x", to: "B", inverse: first),
                        RelationshipDefinition("y", to: "B", inverse: second),
                    ]),
                EntityDefinition(
                    "B",
                    relationships: [
                        RelationshipDefinition(first, to: "A", inverse: "x", isToMany: true),
                        RelationshipDefinition(second, to: "A", inverse: "y", isToMany: true),
                    ]))
        }
        #expect(throws: MigrationError.inverseChange(entity: "A", relationship: "x")) {
            try InferredMapping(from: inverses("p", "q"), to: inverses("q", "p"))
        }
    }

    @Test func `a destination that becomes a new heir of it loses all references`() throws {
        let source = try model(
            EntityDefinition("A", relationships: [RelationshipDefinition("x", to: "B")]),
            EntityDefinition("B"))
        let heirs = [EntityDefinition("C", superentity: "B"), EntityDefinition("D", superentity: "C")]
        for name in ["C", "D"] {
            let destination = try ManagedObjectModel(
                entities: [
                    EntityDefinition("A", relationships: [RelationshipDefinition("x", to: name)]),
                    EntityDefinition("B"),
                ] + heirs)
            let mapping = try InferredMapping(from: source, to: destination)
            let entity = try #require(destination.entity(named: "A"))
            #expect(
                mapping.entities[entity.index].properties == [.relationship(origin: 0, losses: [.entities])])
            let changes = try lines(source, destination)
            #expect(
                changes.contains("A.x: it leads to \(name), was B: references to objects of B are lost"),
                "\(changes)")
        }
        // One that was there has objects of its own.
        let siblings = try model(
            EntityDefinition("A", relationships: [RelationshipDefinition("x", to: "B")]),
            EntityDefinition("B", superentity: "P"), EntityDefinition("C", superentity: "P"),
            EntityDefinition("P"))
        let turned = try model(
            EntityDefinition("A", relationships: [RelationshipDefinition("x", to: "C")]),
            EntityDefinition("B", superentity: "P"), EntityDefinition("C", superentity: "P"),
            EntityDefinition("P"))
        #expect(throws: MigrationError.self) { try InferredMapping(from: siblings, to: turned) }
    }

    @Test func `a relationship that can hold less says which references may be lost`() throws {
        func models(
            _ relationship: RelationshipDefinition, back: RelationshipDefinition? = nil, parent: String? = "B"
        ) throws -> ManagedObjectModel {
            try model(
                EntityDefinition("A", relationships: [relationship]),
                EntityDefinition("B", relationships: back.map { [$0] } ?? []),
                EntityDefinition("C", superentity: parent))
        }
        func expect(
            _ losses: RelationshipLosses, _ line: String?, from old: ManagedObjectModel,
            to new: ManagedObjectModel
        ) throws {
            let mapping = try InferredMapping(from: old, to: new)
            #expect(mapping.entities[0].properties == [.relationship(origin: 0, losses: losses)])
            let lines = try lines(old, new)
            if let line { #expect(lines.contains("A.x: \(line)"), "\(lines)") } else { #expect(lines == []) }
        }
        let one = try models(RelationshipDefinition("x", to: "B"))
        let many = try models(RelationshipDefinition("x", to: "B", isToMany: true))
        try expect([], nil, from: many, to: many)
        try expect([], "it is to-many, was to-one: objects stay related", from: one, to: many)
        try expect(
            .several,
            "it is to-one, was to-many: one object stays related, and references to others are lost",
            from: many, to: one)
        let narrow = try models(RelationshipDefinition("x", to: "C"))
        try expect([], "it leads to B, was C: objects stay related", from: narrow, to: one)
        try expect(
            .entities, "it leads to C, was B: references to objects of B are lost", from: one, to: narrow)
        try expect(
            .entities, "it leads to B, was B with C: references to objects of C are lost", from: one,
            to: models(RelationshipDefinition("x", to: "B"), parent: nil))
        // An object is at the end of one only, be it that the inverse is new or that it held several.
        let single = try models(
            RelationshipDefinition("x", to: "B", inverse: "y"),
            back: RelationshipDefinition("y", to: "A", inverse: "x"))
        try expect(
            .atInverse,
            "the inverse is y, was none: both ends are brought in step, and references that the inverse cannot hold are lost",
            from: one, to: single)
        let shared = try models(
            RelationshipDefinition("x", to: "B", inverse: "y"),
            back: RelationshipDefinition("y", to: "A", inverse: "x", isToMany: true))
        let back = try InferredMapping(from: shared, to: single).entities
        #expect(back[0].properties == [.relationship(origin: 0, losses: .atInverse)])
        #expect(back[1].properties == [.relationship(origin: 0, losses: .several)])
        try expect(
            [], "the inverse is z, was y: both ends are brought in step", from: single,
            to: models(
                RelationshipDefinition("x", to: "B", inverse: "z"),
                back: RelationshipDefinition("z", to: "A", inverse: "x")))
    }

    @Test func `values are converted where they stand for the same, and only there`() throws {
        func convert(_ value: AttributeValue, _ from: AttributeType, _ to: AttributeType) throws
            -> AttributeValue?
        {
            try #require(AttributeConversion(from: from, to: to)).convert(value)
        }
        #expect(try convert(.integer(40_000), .integer32, .integer16) == nil)
        #expect(try convert(.integer(40_000), .integer16, .integer32) == .integer(40_000))
        #expect(try convert(.string("12"), .string, .integer16) == .integer(12))
        #expect(try convert(.string("12 apples"), .string, .integer16) == nil)
        #expect(try convert(.string("true"), .string, .boolean) == .boolean(true))
        #expect(try convert(.integer(2), .integer64, .boolean) == nil)
        #expect(try convert(.double(2.5), .double, .integer64) == nil)
        #expect(try convert(.double(2), .double, .integer64) == .integer(2))
        #expect(try convert(.double(0.1), .double, .float) == nil)
        #expect(try convert(.double(0.5), .double, .float) == .float(0.5))
        #expect(try convert(.integer(1 << 54), .integer64, .double) == .double(18_014_398_509_481_984))
        #expect(try convert(.integer((1 << 53) + 1), .integer64, .double) == nil)
        #expect(
            try convert(.double(0.1), .double, .decimal) == .decimal(try #require(Decimal(string: "0.1"))))
        #expect(try convert(.string("0.1"), .string, .float) == .float(0.1))
        #expect(try convert(.uri("0.1"), .uri, .float) == .float(0.1))
        // No text of digits says infinity; what is beyond the greatest number has no value.
        for (text, type) in [("1e999", AttributeType.double), ("-1e39", .float), ("1e999", .decimal)] {
            #expect(try convert(.string(text), .string, type) == nil)
        }
        #expect(try convert(.string("1e39"), .string, .double) == .double(1e39))
        #expect(try convert(.string("-inf"), .string, .double) == .double(-.infinity))
        #expect(try convert(.string("Infinity"), .string, .float) == .float(.infinity))
        #expect(try convert(.null, .string, .float) == .null)
        for (from, to) in [
            (AttributeType.date, AttributeType.double), (.binary, .string), (.uuid, .integer64),
        ] {
            #expect(AttributeConversion(from: from, to: to) == nil)
        }
    }

    @Test func `a text says every number and comes back as that number`() throws {
        let values: [(AttributeValue, AttributeType)] = [
            (.integer(-7), .integer16), (.integer(.min), .integer64), (.double(1e300), .double),
            (.float(0.1), .float), (.boolean(true), .boolean),
            (.decimal(try #require(Decimal(string: "12345678901234567890.5"))), .decimal),
            (.uuid(UUID()), .uuid),
        ]
        for (value, type) in values {
            let text = try #require(AttributeConversion(from: type, to: .string)?.convert(value))
            #expect(AttributeConversion(from: .string, to: type)?.convert(text) == value)
        }
    }
}

extension PropertyMapping {
    /// Where the values come from.
    fileprivate var origin: Int? {
        switch self {
        case .attribute(let origin, _), .relationship(let origin, _): origin
        case .none, .added, .computed: nil
        }
    }
}
