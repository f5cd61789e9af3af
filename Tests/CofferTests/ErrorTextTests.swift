import Coffer
import CofferModel
import FoundationEssentials
import Testing

@Suite struct `Texts of errors` {
    @Test func `a conflict is named by object and property, without anybody's values`() throws {
        let world = try World()
        let (first, second) = (world.context("first"), world.context("second"))
        let note = first.insert(Note.self)
        note.title = "was secret"
        try first.save()
        second.automaticallyMergesChanges = false
        let copy = try #require(try second.fetch(Note.all).first)
        note.title = "is secret"
        try first.save()
        copy.title = "wanted secret"
        let error = #expect(throws: CofferError.self) { try second.save() }
        #expect(
            error?.description
                == "Objects of this save were changed by another save meanwhile; nothing was written: Note/p1 (title)."
        )
    }

    @Test func `what was found is listed, up to a limit`() throws {
        let model = try ManagedObjectModel {
            Entity("Part") {
                Field("code", .string).optional().validated("SELF == \"x\"", message: "is odd")
                Field("name", .string).optional().validated("length < 4", message: "is long")
            }
        }
        let context = ManagedObjectContext(
            coordinator: try ObservedCoordinator(model: model, stores: ["main"]))
        func insert() throws {
            let part = try context.insert(entityNamed: "Part")
            part["code"] = .string("secret")
            part["name"] = .string("secret")
        }
        try insert()
        let two = #expect(throws: CofferError.self) { try context.save() }
        #expect(
            two?.description
                == "The model's rules forbid it; nothing was written: Part (new) code: is odd; "
                + "Part (new) name: is long.")
        for _ in 0..<5 { try insert() }
        let twelve = #expect(throws: CofferError.self) { try context.save() }
        #expect(twelve?.description.hasSuffix("; and 2 more.") == true, "\(String(describing: twelve))")
        #expect(
            CofferError.incompatibleModel(differing: ["A"], missing: [], unknown: ["B", "C"]).description
                == "The store was made with another model; nothing was changed: entities differ: A; "
                + "not in the model: B, C.")
        #expect(CofferError.unknown(kind: "entity", name: "Nix").description == "There is no entity 'Nix'.")
        #expect(
            CofferError.refused(code: "NotFound", reason: "no_store", text: "There is none.", place: "Notes")
                .description == "There is none. (Notes)")
    }

    @Test func `bounds are told in the attribute's own measure`() throws {
        let model = try ManagedObjectModel {
            Entity("Part") {
                Field("code", .string).validated(min: 2, max: 4)
                Field("letter", .string).validated(max: 1)
                Field("made", .date).validated(min: 0, max: 86_400)
                Field("number", .integer32).validated(min: 2, max: 9)
                Field("weight", .double).validated(max: 0.5)
            }
        }
        let context = ManagedObjectContext(
            coordinator: try ObservedCoordinator(model: model, stores: ["main"]))
        let part = try context.insert(entityNamed: "Part")
        func texts(
            _ code: String, _ letter: String, _ made: Double, _ number: Int64, _ weight: Double
        ) -> [String] {
            part["code"] = .string(code)
            part["letter"] = .string(letter)
            part["made"] = .date(Date(timeIntervalSinceReferenceDate: made))
            part["number"] = .integer(number)
            part["weight"] = .double(weight)
            return part.validationFailures(for: .insert).map(\.text)
        }
        #expect(texts("ab", "a", 0, 2, 0.5).isEmpty)
        #expect(
            texts("abcde", "ab", 86_401, 10, 0.75) == [
                "'Part.code' is longer than 4 characters", "'Part.letter' is longer than 1 character",
                "'Part.made' is after 2001-01-02T00:00:00Z", "'Part.number' is above 9",
                "'Part.weight' is above 0.5",
            ])
        #expect(
            texts("a", "", -1, 1, 0) == [
                "'Part.code' is shorter than 2 characters", "'Part.made' is before 2001-01-01T00:00:00Z",
                "'Part.number' is below 2",
            ])
    }
}
