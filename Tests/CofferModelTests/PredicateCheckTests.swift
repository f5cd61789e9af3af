import CofferModel
import FoundationEssentials
import Testing

@Suite struct PredicateCheckTests {
    /// What a check makes of a format for notes.
    private func checked(_ format: String, _ arguments: [any QueryArgument] = []) throws -> QueryPredicate {
        let model = try notesModel()
        let entity = try #require(model.entity(named: "Note"))
        return try QueryPredicate(format: format, arguments: arguments).check(for: entity, in: model)
    }

    private func failureOf(_ format: String, _ arguments: any QueryArgument...) throws -> QueryError? {
        let model = try notesModel()
        let entity = try #require(model.entity(named: "Note"))
        let predicate = try QueryPredicate(format: format, arguments: arguments)
        return failure { () throws(QueryError) in _ = try predicate.check(for: entity, in: model) }
    }

    @Test(
        arguments: [
            ("size == 1", "size == 1.0"), ("isDone == 1", "isDone == YES"), ("0 == isDone", "NO == isDone"),
            ("price > 1", "price > CAST(\"1\", \"NSDecimalNumber\")"),
            ("price == 1.1", "price == CAST(\"1.1\", \"NSDecimalNumber\")"),
            ("weight == 1.5", "weight == CAST(1.5, \"Float\")"), ("stars == 2.0", "stars == 2"),
            ("stars > 2.5", "stars > 2.5"),
            (
                "token == '00000000-0000-0000-0000-00000000000A'",
                "token == CAST(\"00000000-0000-0000-0000-00000000000A\", \"NSUUID\")"
            ),
            ("created < '2001-01-02'", "created < CAST(86400.0, \"NSDate\")"),
            ("created IN {'2001-01-01T01:00+01:00', nil}", "created IN {CAST(0.0, \"NSDate\"), nil}"),
            ("link BEGINSWITH 'http'", "link BEGINSWITH CAST(\"http\", \"NSURL\")"),
            ("size IN {1, 2}", "size IN {1.0, 2.0}"), ("size BETWEEN {1, 2}", "size BETWEEN {1.0, 2.0}"),
            ("ANY tags.name ==[c] 'x'", "ANY tags.name ==[c] \"x\""), ("tags.@count > 2", "tags.@count > 2"),
            ("folder.parent.name == nil", "folder.parent.name == nil"), ("folder == nil", "folder == nil"),
            ("folder.notes.@sum.stars > 5", "folder.notes.@sum.stars > 5"),
            ("SUBQUERY(tags, $t, $t.name LIKE 'a*' AND $t.notes.@count == 1).@count > 0", nil),
            ("SUBQUERY(folder.notes, $n, $n.size > size * 2).@max.size > 1.0", nil),
            ("title CONTAINS[cd] 'x' AND stars + 1 > 3", nil), ("TERNARY(isDone == YES, stars, 0) > 1", nil),
            ("created < now()", nil), ("length(title) > 3", nil), ("NONE tags.name IN {'a', 'b'}", nil),
            ("SELF IN {SELF}", nil), ("title MATCHES '[a-z]+'", nil), ("tags.name CONTAINS 'x'", nil),
            ("YES == YES", nil),
            ("folder.notes.@distinctUnionOfObjects.title CONTAINS 'x'", nil),
            ("CAST(stars, 'NSString') == '1'", nil),
        ] as [(String, String?)])
    func `what fits passes, with constants in the types of attributes`(format: String, expected: String?)
        throws
    {
        #expect(try checked(format).format == expected ?? QueryPredicate(format: format).format)
    }

    @Test(arguments: [
        ("titel == 'x'", 0), ("stars > 1 AND  titel == 'x'", 15), ("stars == 1 AND stars == 'x'", 15),
        ("1 < length(titel)", 4), ("title == 'x' OR 'y' == folder.nam", 23), ("stars IN 3", 9),
        ("stars BEGINSWITH 'x'", 0), ("title BEGINSWITH 3", 17), ("title MATCHES '('", 14),
        ("stars == $x", 9), ("NOT (ANY title == 'x')", 5), ("created < 'soon'", 0),
        ("SUBQUERY(tags, $t, $t.nam == 'x').@count == 1", 19),
        ("TERNARY(stars == 'x', 1, 2) == stars", 8),
    ])
    func `what does not fit is shown at its place in the format`(format: String, offset: Int) throws {
        let model = try notesModel()
        let entity = try #require(model.entity(named: "Note"))
        let error = failure { () throws(QueryError) in
            _ = try QueryPredicate(format: format, for: entity, in: model)
        }
        guard case .misfit(let inner, let place)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(try inner == failureOf(format))
        #expect(place == FormatPlace(format: format, offset: offset))
        let lines = "\(error as Any)".split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3 && lines[0].hasSuffix(":") && !lines[0].hasSuffix(".:"))
    }

    @Test func `what fits is read as without a model`() throws {
        let model = try notesModel()
        let entity = try #require(model.entity(named: "Note"))
        for format in ["created < '2001-01-02'", "isDone == 1 AND ANY tags.name == 'x'"] {
            #expect(
                try QueryPredicate(format: format, for: entity, in: model) == QueryPredicate(format: format))
        }
        let one = try QueryPredicate(format: "%K == %@", arguments: ["title", "x"], for: entity, in: model)
        #expect(try one == QueryPredicate(format: "title == 'x'"))
    }

    @Test(arguments: [
        ("titel == 'x'", QueryError.unknownKey("titel", keyPath: "titel", entity: "Note")),
        ("folder.nam == 'x'", .unknownKey("nam", keyPath: "folder.nam", entity: "Folder")),
        ("reason == 'x'", .unknownKey("reason", keyPath: "reason", entity: "Note")),
        (
            "title.name == 'x'",
            .invalidKeyPath("title.name", entity: "Note", reason: "runs through the attribute 'title'")
        ),
        (
            "draft == 'x'",
            .invalidKeyPath(
                "draft", entity: "Note", reason: "asks for 'draft', which is transient and so not stored")
        ),
        (
            "tags.name == 'x'",
            .invalidKeyPath(
                "tags.name", entity: "Note", reason: "is to-many: '==' needs ANY, ALL, NONE or @count")
        ),
        (
            "stars == 'x'",
            .typeMismatch(keyPath: "stars", entity: "Note", expected: "an integer", found: "text")
        ),
        (
            "stars IN {1, 'x'}",
            .typeMismatch(keyPath: "stars", entity: "Note", expected: "an integer", found: "text")
        ),
        (
            "isDone == 2",
            .typeMismatch(keyPath: "isDone", entity: "Note", expected: "YES or NO", found: "an integer")
        ),
        (
            "created > 5",
            .typeMismatch(
                keyPath: "created", entity: "Note", expected: "a date such as \"2026-01-31T12:00:00Z\"",
                found: "an integer")
        ),
        ("token == 'x'", .typeMismatch(keyPath: "token", entity: "Note", expected: "a UUID", found: "text")),
        (
            "stars CONTAINS 'x'",
            .typeMismatch(
                keyPath: "stars", entity: "Note", expected: "text for 'CONTAINS'", found: "an integer")
        ),
        (
            "stars IN 3",
            .typeMismatch(
                keyPath: "3", entity: "Note", expected: "a collection such as {1, 2} for 'IN'",
                found: "an integer")
        ),
        (
            "folder == 5",
            .typeMismatch(
                keyPath: "folder", entity: "Note", expected: "an object of entity 'Folder'",
                found: "an integer")
        ),
        (
            "title == stars",
            .typeMismatch(keyPath: "title", entity: "Note", expected: "text", found: "an integer")
        ),
        ("folder > nil", .invalidKeyPath("folder", entity: "Note", reason: "has no order")),
        (
            "ANY title == 'x'",
            .invalidKeyPath(
                "title", entity: "Note", reason: "is not to-many, so ANY, ALL and NONE have no meaning")
        ),
        (
            "title.@count == 1",
            .invalidKeyPath(
                "title.@count", entity: "Note",
                reason: "has '@count' without a to-many relationship before it")
        ),
        (
            "tags.@count.name == 1",
            .invalidKeyPath("tags.@count.name", entity: "Note", reason: "has keys behind '@count'")
        ),
        (
            "tags.@sum.name == 1",
            .invalidKeyPath(
                "tags.@sum.name", entity: "Note", reason: "asks for a sum of values that are not numbers")
        ),
        ("stars == $x", .unfilledVariable("x")),
        (
            "uppercase(stars) == 'x'",
            .typeMismatch(
                keyPath: "stars", entity: "Note", expected: "text for 'uppercase:'", found: "an integer")
        ),
        ("title MATCHES '('", .invalidPattern("(", reason: "a '(' has no ')'")),
    ])
    func `what does not fit names key path and entity`(format: String, expected: QueryError) throws {
        #expect(try failureOf(format) == expected)
    }

    @Test func `an object of another entity's tree is not a member`() throws {
        let model = try notesModel()
        let note = try #require(model.entity(named: "SpecialNote"))
        let tag = try #require(model.entity(named: "Tag"))
        let noteID = ManagedObjectID(entity: note, storeUUID: nil, key: .permanent(1))
        let tagID = ManagedObjectID(entity: tag, storeUUID: nil, key: .permanent(1))
        #expect(try failureOf("SELF IN %@", [noteID]) == nil)
        #expect(try failureOf("SELF IN %@", [tagID]) != nil)
        #expect(try failureOf("tags CONTAINS %@", tagID) == nil)
        #expect(try failureOf("ANY tags == %@", noteID) != nil)
        #expect(try failureOf("%@ IN tags", tagID) == nil)
    }

    @Test func `a key path is resolved into its steps`() throws {
        let model = try notesModel()
        let note = try #require(model.entity(named: "SpecialNote"))
        let path = try KeyPathResolver.resolve(["folder", "notes", "@sum", "stars"], from: note, in: model)
        #expect(path.steps.map(\.property.name) == ["folder", "notes"])
        #expect(path.steps.map(\.entity.name) == ["SpecialNote", "Folder"])
        #expect(path.operand.map(\.property.name) == ["stars"])
        #expect(path.operand.map(\.entity.name) == ["Note"])
        #expect(path.collectionOperator == .sum && !path.isToMany && path.attributeType == .integer16)
        let plain = try KeyPathResolver.resolve(["tags", "name"], from: note, in: model)
        #expect(plain.isToMany && plain.attributeType == .string && plain.relationship == nil)
        #expect(try KeyPathResolver.resolve(["tags"], from: note, in: model).relationship?.name == "tags")
    }
}
