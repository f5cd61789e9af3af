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
                Many("clubs", "Club", inverse: "members", deleteRule: .cascade)
                Many("trips", "Trip", inverse: "guests", deleteRule: .cascade, ordered: true)
                Many("boxes", "Box", deleteRule: .cascade)
                Many("tasks", "Task", inverse: "doers", deleteRule: .deny)
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
            Entity("Box") { Field("name", .string).optional() }
            Entity("Club") {
                Field("name", .string).optional()
                Many("members", "Person", inverse: "clubs")
            }
            Entity("Task") {
                Field("name", .string).optional()
                Many("doers", "Person", inverse: "tasks")
            }
            Entity("Trip") {
                Field("name", .string).optional()
                Many("guests", "Person", inverse: "trips")
            }
        }
    }

    /// What goes with a person, and of which entity it is.
    private static let belongings = [
        ("photo", "Photo"), ("home", "Home"), ("car", "Car"), ("clubs", "Club"), ("trips", "Trip"),
        ("boxes", "Box"),
    ]

    private func withPerson(
        _ backing: Backing, _ body: (PersistentContainer, ManagedObjectContext, ManagedObject) throws -> Void
    ) throws {
        try withContainer(Self.model(), on: backing) { container in
            let writer = container.newContext()
            let person = try writer.make("Person", ["name": "ann"])
            for (key, entity) in Self.belongings {
                try person.setObjects([writer.make(entity, ["name": "hers"])], forKey: key)
            }
            try person.setObjects([writer.make("Person", ["name": "ben"])], forKey: "boss")
            try writer.save()
            let context = container.newContext()
            let request = try FetchRequest<ManagedObject>(entityName: "Person").matching("name == 'ann'")
            try body(container, context, #require(try context.fetch(request).first))
        }
    }

    @Test(arguments: Backing.all(with: Self.belongings.map(\.0), [false, true]))
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
            for (other, entity) in Self.belongings {
                #expect(try reader.texts(entity, "name") == (other == key ? ["hers"] : []), "\(entity)")
            }
        }
    }

    @Test(arguments: [false, true], Backing.all)
    func `what left the object by its own end stays too`(isNested: Bool, on backing: Backing) throws {
        try withPerson(backing) { container, context, person in
            try person.setObjects([], forKey: "boss")
            let child = isNested ? context.newChild() : context
            let ends = ["Photo": "person", "Home": "people", "Club": "members", "Trip": "guests"]
            for (entity, key) in ends {
                try #require(try child.all(entity).first).setObjects([], forKey: key)
            }
            child.delete(child.object(with: person.objectID))
            try child.save()
            try context.save()
            let reader = container.newContext()
            for entity in ends.keys { #expect(try reader.texts(entity, "name") == ["hers"], "\(entity)") }
            for entity in ["Box", "Car"] { #expect(try reader.texts(entity, "name") == []) }
        }
    }

    @Test(arguments: Backing.all(with: [MergePolicy.error, .mergeByPropertyObjectTrump], [false, true]))
    func `a deletion after which nothing is left to do is saved`(
        policy: MergePolicy, byOwnEnd: Bool, on backing: Backing
    ) throws {
        try withPerson(backing) { container, context, person in
            context.mergePolicy = policy
            context.automaticallyMergesChanges = false
            try person.setObjects([], forKey: "boss")
            let ends = ["Club": "members", "Trip": "guests", "Task": "doers"]
            for (entity, key) in ends {
                for end in try context.all(entity) where byOwnEnd { try end.setObjects([], forKey: key) }
            }
            if !byOwnEnd {
                for key in ["clubs", "trips", "boxes"] { try person.setObjects([], forKey: key) }
            }
            context.delete(person)

            let other = container.newContext()
            let theirs = other.object(with: person.objectID)
            try theirs.setObjects([], forKey: "boss")
            for key in ["clubs", "trips", "boxes"] { try theirs.setObjects([], forKey: key) }
            other.delete(theirs)
            try other.save()

            try context.save()
            let reader = container.newContext()
            #expect(try reader.texts("Club", "name") == ["hers"])
            #expect(try reader.texts("Trip", "name") == ["hers"])
        }
    }

    @Test(arguments: Backing.all)
    func `what took the place of what left goes in its stead`(on backing: Backing) throws {
        try withPerson(backing) { container, context, person in
            try person.setObjects([], forKey: "boss")
            for (key, entity) in Self.belongings {
                try person.setObjects([context.make(entity, ["name": "new"])], forKey: key)
            }
            context.delete(person)
            try context.save()
            let reader = container.newContext()
            for (_, entity) in Self.belongings {
                #expect(try reader.texts(entity, "name") == ["hers"], "\(entity)")
            }
        }
    }

    @Test(arguments: Backing.all(with: ["boss", "tasks"], [false, true]))
    func `a rule that denies is asked about what is there at last`(
        key: String, isNested: Bool, on backing: Backing
    ) throws {
        try withPerson(backing) { container, context, person in
            let entity = key == "boss" ? "Person" : "Task"
            if key == "tasks" {
                try person.setObjects([], forKey: "boss")
                try person.setObjects([context.make("Task", ["name": "hers"])], forKey: "tasks")
                try context.save()
            }
            context.delete(person)
            #expect(throws: CofferError.self) { try context.save() }
            context.rollback()
            let child = isNested ? context.newChild() : context
            let found = child.object(with: person.objectID)
            try found.setObjects([], forKey: key)
            child.delete(found)
            try child.save()
            try context.save()
            #expect(try container.newContext().texts(entity, "name") == [key == "boss" ? "ben" : "hers"])
        }
    }
}
