import CofferModel
import Testing

@Suite struct ModelTests {
    /// Why a model cannot be.
    private func fault(@ModelBuilder _ content: () -> [any ModelElement]) -> ModelError? {
        do throws(ModelError) {
            _ = try ManagedObjectModel(content)
            return nil
        } catch { return error }
    }

    @Test func `entities are numbered roots by name, each with those that inherit from it`() throws {
        let model = try ManagedObjectModel {
            Entity("Zebra", parent: "Animal")
            Entity("Stone")
            Entity("Ant", parent: "Insect")
            Entity("Animal", abstract: true)
            Entity("Insect", parent: "Animal")
            Entity("Atom")
        }
        #expect(model.entities.map(\.name) == ["Animal", "Insect", "Ant", "Zebra", "Atom", "Stone"])
        #expect(model.entities.map(\.index) == Array(0..<6))
        #expect(model.entities.map(\.rootName) == ["Animal", "Animal", "Animal", "Animal", "Atom", "Stone"])
        #expect(model.entities.map(\.familyIndices) == [0..<4, 1..<3, 2..<3, 3..<4, 4..<5, 5..<6])
        let insect = try #require(model.entity(named: "Insect"))
        let animal = try #require(model.entity(named: "Animal"))
        #expect(insect.isKind(of: animal) && !animal.isKind(of: insect) && animal.isAbstract)
        #expect(animal.subentityIndices == [1, 3] && insect.superentityIndex == 0)
    }

    @Test func `a property has one index in a whole tree`() throws {
        let model = try notesModel()
        let note = try #require(model.entity(named: "Note"))
        let special = try #require(model.entity(named: "SpecialNote"))
        #expect(special.properties.count == note.properties.count + 1)
        for property in note.properties {
            #expect(special.propertyIndex(named: property.name) == note.propertyIndex(named: property.name))
        }
        #expect(note.properties.map(\.name) == note.properties.map(\.name).sorted())
        let tags = try #require(special.property(named: "tags")?.relationship)
        #expect(model.destination(of: tags).name == "Tag" && model.inverse(of: tags)?.name == "notes")
        #expect(model.entities(in: "Local")?.count == 4 && model.entities(in: "Default")?.count == 4)
        #expect(model.entities(in: "Nowhere") == nil)
    }

    @Test func `the builder says what the definitions say`() throws {
        let model = try notesModel()
        let note = try #require(model.entity(named: "Note"))
        let stars = try #require(note.property(named: "stars")?.attribute)
        #expect(stars.defaultValue == .integer(0) && stars.validation.maximum == 5 && !stars.isOptional)
        #expect(note.property(named: "size")?.attribute?.defaultValue == .double(1))
        #expect(note.property(named: "created")?.attribute?.isIndexed == true)
        #expect(note.property(named: "body")?.attribute?.allowsExternalStorage == true)
        #expect(note.property(named: "draft")?.isTransient == true)
        #expect(note.definition.indexes.first?.elements.map(\.property) == ["folder", "title"])
        let folder = try #require(model.entity(named: "Folder"))
        #expect(folder.definition.uniquenessConstraints == [["name"]])
        #expect(folder.property(named: "notes")?.relationship?.deleteRule == .cascade)
        let written = try ManagedObjectModel(
            entities: [
                EntityDefinition("A", attributes: [AttributeDefinition("x", .string, isOptional: true)])
            ])
        #expect(try ManagedObjectModel { Entity("A") { Field("x", .string).optional() } } == written)
    }

    @Test func `the builder takes loops and conditions`() throws {
        let hasIndex = true
        let model = try ManagedObjectModel {
            for name in ["A", "B"] {
                Entity(name) {
                    for number in 1...3 { Field("x\(number)", .integer64) }
                    if hasIndex { Index("byX", on: "x1") }
                }
            }
        }
        #expect(model.entities.map(\.attributes.count) == [3, 3])
        #expect(model.entities.allSatisfy { $0.definition.indexes.count == 1 })
    }

    @Test func `names are checked`() {
        #expect(
            fault {
                Entity("A")
                Entity("A")
            } == .duplicateName("A", in: "the model"))
        #expect(fault { Entity("A b") } == .invalidName("A b", in: "the model"))
        #expect(fault { Entity("") } == .invalidName("", in: "the model"))
        #expect(fault { Entity("A") { Field("1x", .string) } } == .invalidName("1x", in: "entity A"))
        #expect(
            fault {
                Entity("A") {
                    Field("x", .string)
                    One("x", "A")
                }
            } == .duplicateName("x", in: "entity A"))
        #expect(
            fault {
                Entity("A") { Field("x", .string) }
                Entity("B", parent: "A") { Field("x", .string) }
            } == .duplicateName("x", in: "entity B"))
        #expect(fault { Entity("A", parent: "B") } == .unknownEntity("B", in: "entity A"))
        #expect(fault { Configuration("C", "A") } == .unknownEntity("A", in: "configuration C"))
        #expect(fault { Entity(String(repeating: "a", count: 256)) } != nil)
    }

    @Test func `inheritance does not run in a circle`() {
        #expect(
            fault {
                Entity("A", parent: "B")
                Entity("B", parent: "A")
                Entity("C")
            } == .circularInheritance(entity: "A"))
        #expect(fault { Entity("A", parent: "A") } == .circularInheritance(entity: "A"))
    }

    @Test func `an inverse leads back`() {
        #expect(fault { Entity("A") { One("b", "B") } } == .unknownEntity("B", in: "A.b"))
        #expect(
            fault {
                Entity("A") { One("b", "B", inverse: "a") }
                Entity("B")
            } == .unknownProperty("B.a", in: "A.b"))
        #expect(
            fault {
                Entity("A") { One("b", "B", inverse: "a") }
                Entity("B") { One("a", "A") }
            } == .inverseMismatch(entity: "A", relationship: "b", inverse: "a"))
        #expect(
            fault {
                Entity("A") { One("b", "B", inverse: "c") }
                Entity("B") { One("c", "C", inverse: "b") }
                Entity("C") { One("b", "B", inverse: "c") }
            } == .inverseMismatch(entity: "A", relationship: "b", inverse: "c"))
        #expect(fault { Entity("A") { One("a", "A", inverse: "a") } } == nil)
    }

    @Test func `defaults, counts, indexes and constraints fit`() {
        #expect(
            fault { Entity("A") { Field("x", .integer16).default(40_000) } }
                == .defaultValueMismatch(entity: "A", attribute: "x"))
        #expect(
            fault { Entity("A") { Field("x", .date).default("now") } }
                == .defaultValueMismatch(entity: "A", attribute: "x"))
        #expect(
            fault { Entity("A") { Unique("y") } } == .unknownProperty("y", in: "a uniqueness constraint of A")
        )
        #expect(fault { Entity("A") { Index("i", on: "y") } } == .unknownProperty("y", in: "index i of A"))
        let odd = EntityDefinition(
            "A", relationships: [RelationshipDefinition("r", to: "A", isOrdered: true)])
        #expect(throws: ModelError.self) { try ManagedObjectModel(entities: [odd]) }
    }

    @Test func `size is limited`() {
        #expect(fault { for number in 0...2_000 { Entity("E\(number)") } } != nil)
        #expect(fault { Entity("A") { for number in 0...1_000 { Field("x\(number)", .string) } } } != nil)
        func line(of count: Int) -> ModelError? {
            fault {
                for level in 0..<count { Entity("E\(level)", parent: level == 0 ? nil : "E\(level - 1)") }
            }
        }
        #expect(line(of: 101) == nil)
        #expect(line(of: 102) == .tooLarge("E101 inherits over 101 levels, 100 are allowed"))
    }

    @Test
    func `what many entities inherit counts as often`() throws {
        func inheriting(_ count: Int, _ parent: EntityDefinition) throws {
            let children = (0..<count).map { EntityDefinition("E\($0)", superentity: parent.name) }
            _ = try ManagedObjectModel(entities: [parent] + children)
        }
        let attributes = (0..<1_000).map { AttributeDefinition("x\($0)", .integer16) }
        let large = EntityDefinition("A", attributes: attributes)
        try inheriting(49, large)
        #expect(throws: ModelError.tooLarge("51000 properties in 51 entities, 50000 are allowed")) {
            try inheriting(50, large)
        }
        let fetched = (0..<1_000).map { number in
            FetchedPropertyDefinition("x\(number)", request: FetchRequestTemplate("", entityName: "A"))
        }
        #expect(throws: ModelError.tooLarge("51000 properties in 51 entities, 50000 are allowed")) {
            try inheriting(50, EntityDefinition("A", fetchedProperties: fetched))
        }
    }
}
