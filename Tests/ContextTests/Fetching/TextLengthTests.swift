import Coffer
import CofferModel
import ContextSupport
import Testing

/// The length of a text, which Core Data's formats and rules count in UTF-16 units.
@Suite struct TextLengthTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Note") {
                Field("code", .string).optional().validated(min: 2, max: 4)
                Field("link", .uri).optional().validated(max: 20)
                Field("mark", .string).optional().validated("length <= 2", message: "is too long")
                One("parent", "Note", inverse: "children")
                Many("children", "Note", inverse: "parent")
            }
        }
    }

    @Test(
        arguments: Backing.all(with: [
            ("a", false), ("ab", true), ("abcd", true), ("abcde", false),
            // One character of two units; a family of one character and eleven units; a combining mark by
            // itself.
            ("👍", true), ("👍👍", true), ("👍👍a", false), ("👨‍👩‍👧‍👦", false), ("e\u{301}", true), ("\r\n", true),
        ]))
    func `lengths of texts are bounded in UTF-16 units`(code: String, fits: Bool, on backing: Backing) throws
    {
        try withContainer(model(), on: backing) { container in
            let context = container.newContext()
            let note = try context.make("Note", ["code": .string(code)])
            #expect(note.validationFailures(for: .insert).isEmpty == fits)
            // The store itself checks what bypasses contexts.
            func insert() throws {
                _ = try context.execute(
                    BatchInsert(entityName: "Note", objects: [["code": .string(code)]]))
            }
            if fits { try insert() } else { #expect(throws: CofferError.self) { try insert() } }
        }
    }

    @Test(arguments: Backing.all)
    func `rules of the model ask for lengths of texts`(on backing: Backing) throws {
        try withContainer(model(), on: backing) { container in
            let note = try container.newContext().make("Note", [:])
            for (mark, fits) in [("ab", true), ("abc", false), ("👍", true), ("👍a", false)] {
                note["mark"] = .string(mark)
                let failures = note.validationFailures(for: .insert)
                #expect(failures.map(\.predicate) == (fits ? [] : ["length <= 2"]), "\(mark)")
            }
        }
    }

    @Test(
        arguments: Backing.all(with: [
            ("code.length == 2", ["👍"]), ("code.length == nil", ["-"]), ("parent.code.length > 2", ["👍"]),
            ("link.length == 3", ["abc"]), ("TERNARY(code != nil, code, 'x').length == 1", ["-"]),
            ("uppercase(code).length == 3", ["abc"]), ("code.length == length(code)", ["-", "abc", "👍"]),
            ("ANY children.code.length == 2", ["abc"]), ("NONE children.code.length == 2", ["-", "👍"]),
            ("SUBQUERY(children, $c, $c.code.length == 2).@count == 1", ["abc"]),
            ("CAST(code.length, 'NSString').length == 1", ["abc", "👍"]),
        ]))
    func `key paths ask for lengths of texts, in stores and in memory`(
        format: String, found: [String], on backing: Backing
    ) throws {
        try withContainer(model(), on: backing) { container in
            let context = container.newContext()
            for code in ["abc", "👍", nil] {
                let note = try context.make("Note", ["code": code.map { .string($0) } ?? .null])
                if code == "abc" { note["link"] = .uri("abc") }
            }
            let all = try context.all("Note")
            let abc = try #require(all.first { $0["code"] == "abc" })
            try all.first { $0["code"] == "👍" }?.setObjects([abc], forKey: "parent")
            try context.save()
            let reader = container.newContext()
            let predicate = try QueryPredicate(format: format)
            func names(_ notes: [ManagedObject]) -> [String] {
                notes.map { $0["code"].text }.sorted()
            }
            let request = FetchRequest<ManagedObject>(entityName: "Note", predicate)
            #expect(names(try reader.fetch(request)) == found)
            #expect(names(try reader.all("Note").filter { try predicate.evaluate(with: $0) }) == found)
        }
    }

    @Test(
        arguments: [
            "parent.length == 1", "code.length.length == 1", "code.size == 1", "children.length == 1",
        ], Backing.all)
    func `the length of a value that is not a text is refused`(format: String, on backing: Backing) throws {
        try withContainer(model(), on: backing) { container in
            let context = container.newContext()
            let note = try context.make("Note", ["code": "ab"])
            try context.save()
            let predicate = try QueryPredicate(format: format)
            #expect(throws: CofferError.self) {
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Note", predicate))
            }
            #expect(throws: CofferError.self) { try predicate.evaluate(with: note) }
        }
    }
}
