import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// Objects that a program takes from another one, to keep them, before it deletes that one.
@Suite struct DetachedBeforeDeleteTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Person") {
                Field("name", .string).optional()
                One("photo", "Photo", inverse: "person", deleteRule: .cascade)
                One("home", "Home", inverse: "people", deleteRule: .cascade)
                One("car", "Car", deleteRule: .cascade)
                One("boss", "Person", inverse: "staff", deleteRule: .deny)
                Many("staff", "Person", inverse: "boss")
            }
            Entity("Photo") {
                Field("name", .string).optional()
                One("person", "Person", inverse: "photo")
            }
            Entity("Home") {
                Field("name", .string).optional()
                Many("people", "Person", inverse: "home")
            }
            Entity("Car") { Field("name", .string).optional() }
        }
    }

    private func withPerson(
        _ backing: Backing, _ body: (PersistentContainer, ManagedObjectContext, ManagedObject) throws -> Void
    ) throws {
        try withContainer(Self.model(), on: backing) { container in
            let writer = container.newContext()
            let person = try writer.make("Person", ["name": "ann"])
            for (key, entity) in [("photo", "Photo"), ("home", "Home"), ("car", "Car")] {
                try person.setObjects([writer.make(entity, ["name": "hers"])], forKey: key)
            }
            try person.setObjects([writer.make("Person", ["name": "ben"])], forKey: "boss")
            try writer.save()
            let context = container.newContext()
            let request = try FetchRequest<ManagedObject>(entityName: "Person").matching("name == 'ann'")
            try body(container, context, #require(try context.fetch(request).first))
        }
    }

    @Test(arguments: Backing.all(with: ["photo", "home", "car"], [false, true]))
    func `what was taken from an object stays when the object is deleted with the same save`(
        key: String, isNested: Bool, on backing: Backing
    ) throws {
        try withPerson(backing) { container, context, person in
            try person.setObjects([], forKey: "boss")
            let child = isNested ? context.newChild() : context
            let found = child.object(with: person.objectID)
            try found.setObjects([], forKey: key)
            child.delete(found)
            try child.save()
            try context.save()
            let reader = container.newContext()
            #expect(try reader.texts("Person", "name") == ["ben"])
            for (other, entity) in [("photo", "Photo"), ("home", "Home"), ("car", "Car")] {
                #expect(try reader.texts(entity, "name") == (other == key ? ["hers"] : []), "\(entity)")
            }
        }
    }

    @Test(arguments: [false, true], Backing.all)
    func `what left the object by its own end stays too`(isNested: Bool, on backing: Backing) throws {
        try withPerson(backing) { container, context, person in
            try person.setObjects([], forKey: "boss")
            let child = isNested ? context.newChild() : context
            for entity in ["Photo", "Home"] {
                let end = try #require(try child.all(entity).first)
                try end.setObjects([], forKey: entity == "Photo" ? "person" : "people")
            }
            child.delete(child.object(with: person.objectID))
            try child.save()
            try context.save()
            let reader = container.newContext()
            #expect(try reader.texts("Photo", "name") == ["hers"])
            #expect(try reader.texts("Home", "name") == ["hers"])
            #expect(try reader.texts("Car", "name") == [])
        }
    }

    @Test(arguments: Backing.all)
    func `what took the place of what left goes in its stead`(on backing: Backing) throws {
        try withPerson(backing) { container, context, person in
            try person.setObjects([], forKey: "boss")
            for (key, entity) in [("photo", "Photo"), ("home", "Home"), ("car", "Car")] {
                try person.setObjects([context.make(entity, ["name": "new"])], forKey: key)
            }
            context.delete(person)
            try context.save()
            let reader = container.newContext()
            for entity in ["Photo", "Home", "Car"] {
                #expect(try reader.texts(entity, "name") == ["hers"], "\(entity)")
            }
        }
    }

    @Test(arguments: Backing.all)
    func `a rule that denies is asked about what is there at last`(on backing: Backing) throws {
        try withPerson(backing) { container, context, person in
            context.delete(person)
            #expect(throws: CofferError.self) { try context.save() }
            context.rollback()
            try person.setObjects([], forKey: "boss")
            context.delete(person)
            try context.save()
            #expect(try container.newContext().texts("Person", "name") == ["ben"])
        }
    }
}
