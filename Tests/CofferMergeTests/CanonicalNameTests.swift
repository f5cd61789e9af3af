import CofferMerge
import CofferModel
import Testing

@Suite("What registers call the elements of a model")
struct CanonicalNameTests {
    @Test("An element is called as its identifier says, whoever else has that name")
    func identifiersComeFirst() throws {
        let model = try ManagedObjectModel {
            Entity("Base", abstract: true) { Field("name", .string).renamed(from: "title") }
            Entity("Leaf", parent: "Base") {
                Field("title", .string)
                Field("size", .integer32)
            }
            Entity("Twig") { Field("size", .integer32) }.renamed(from: "Leaf")
        }
        let names = CanonicalNames(model)
        let called = Dictionary(
            uniqueKeysWithValues: model.entities.map { ($0.name, names.entities[$0.index]) })
        #expect(called == ["Base": "Base", "Leaf": "Leaf#2", "Twig": "Leaf"])
        let leaf = try #require(model.entity(named: "Leaf"))
        let properties = Dictionary(
            uniqueKeysWithValues: leaf.properties.map { ($0.name, names.properties[leaf.index][$0.index]) })
        #expect(properties == ["name": "title", "title": "title#2", "size": "size"])
    }

    @Test("Rules read names through the model: constraints, ends of relationships, circles")
    func rulesHaveCanonicalNames() throws {
        let model = MergeModel(
            try ManagedObjectModel {
                Entity("Place") {
                    Field("key", .string).renamed(from: "code")
                    One("above", "Place", inverse: "below").optional().renamed(from: "parent")
                    Many("below", "Place", inverse: "above")
                    Unique("key")
                }
                .renamed(from: "Folder")
            })
        let folder = try #require(model.entities["Folder"])
        #expect(folder.attributes.keys.sorted() == ["code"])
        #expect(folder.references["parent"]?.inverse == RelationshipName("Folder", "below"))
        #expect(model.constraints.map(\.properties) == [["code"]])
        #expect(folder.propertyIndex("code").map(folder.propertyName) == "code")
    }

    @Test("Whoever drops or changes an identifier is told what it was")
    func changedNamesAreFound() throws {
        let model = { (name: String, identifier: String) throws in
            try ManagedObjectModel {
                Entity("Note") { Field(name, .string).renamed(from: identifier) }
            }
        }
        let found = try CanonicalNames.changed(from: model("b", "a"), to: model("c", "b"))
        #expect(found.map { [$0.entity, $0.property, $0.canonical] } == [["Note", "c", "a"]])
        #expect(try CanonicalNames.changed(from: model("b", "a"), to: model("b", "b")).count == 1)
        #expect(try CanonicalNames.changed(from: model("b", "a"), to: model("c", "a")).isEmpty)
        #expect(try CanonicalNames.changed(from: model("a", "a"), to: model("b", "a")).isEmpty)
    }
}
