import CofferLinux
import TestSupport
import Testing

@Test
func `objects are inserted, fetched, updated and deleted`() throws {
    try withLibrary { (coffer) throws in
        #expect(
            try coffer("insert", "Library", "Author", "code=a", "name=Ann", "--json").json["id"]
                == "Author/p1")
        #expect(try coffer("insert", "Library", "Book", "title=One, two", "author=code:a").code == 0)
        #expect(
            try coffer("insert", "Library", "Book", "title=\"null\"", "author=Author/p1", "--format", "csv")
                .lines.last == "Book/p2,3")

        let table = try coffer(
            "fetch", "Library", "Book", "--properties", "title,author.name", "--sort", "-title")
        #expect(table.lines == ["TITLE     author.name", "null      Ann", "One, two  Ann"])
        let csv = try coffer(
            "fetch", "Library", "Book", "--properties", "title,author.code", "--sort", "title", "--limit",
            "1", "--format", "csv")
        #expect(csv.lines == ["title,author.code", "\"One, two\",a"])
        let json = try coffer(
            "fetch", "Library", "Book", "--where", "author.name == 'Ann'", "--sort", "title", "--offset", "1",
            "--json")
        #expect(try json.json["title"] == "null")
        #expect(try json.json["author"] == "Author/p1")
        #expect(try coffer("fetch", "Library", "Book", "--count").lines == ["COUNT", "    2"])

        #expect(
            try coffer("update", "Library", "Book", "--where", "title == 'null'", "author=", "--json").json[
                "updated"] == "1")
        #expect(
            try coffer("fetch", "Library", "Book", "--where", "author == nil", "--count", "--json").json[
                "count"] == "1")
        #expect(
            try coffer("delete", "Library", "Book", "--where", "author == nil", "--format", "csv").lines.last?
                .hasPrefix("1,") == true)
        #expect(try coffer("delete", "Library", "Book", "--all", "--json").json["deleted"] == "1")
    }
}

@Test
func `objects are changed and deleted in the service, and consumers read history on`() throws {
    try withLibrary { (coffer) throws in
        for code in ["a", "b", "c"] {
            try coffer("insert", "Library", "Author", "code=\(code)", "name=Ann")
        }
        let updated = try coffer(
            "update", "Library", "Author", "--where", "code != 'c'", "--batch", "name=Bob", "--json")
        #expect(try updated.json["updated"] == "2" && updated.json["transaction"] == "4")
        #expect(
            try coffer("fetch", "Library", "Author", "--where", "name == 'Bob'", "--count", "--json").json[
                "count"] == "2")
        #expect(try coffer("history", "Library", "--consumer", "export", "--format", "csv").lines.count == 5)
        #expect(try coffer("history", "Library", "--consumer", "export", "--format", "csv").lines.count == 1)
        let deleted = try coffer(
            "delete", "Library", "Author", "--where", "name == 'Bob'", "--batch", "--json")
        #expect(try deleted.json["deleted"] == "2")
        #expect(try coffer("history", "Library", "--consumer", "export", "--format", "csv").lines.count == 2)
        #expect(
            try coffer("history", "Library", "--consumers", "--format", "csv").lines.last?.hasPrefix(
                "export,")
                == true)
        #expect(try coffer("history", "Library", "--forget", "export", "--format", "csv").lines.count == 1)
    }
}

@Test
func `a long result is read page by page, and comes whole and in its order`() throws {
    try withLibrary { (coffer) throws in
        let titles = (0..<4_500).map { "b\($0)" }
        let books = titles.map { "{\"title\": \"\($0)\", \"copies\": \($0.count)}" }
        let file = try coffer.write("many.json", "[\(books.joined(separator: ","))]")
        #expect(try coffer("import", "Library", "Book", file).code == 0)
        func fetch(_ arguments: String...) throws -> [String] {
            let all = ["fetch", "Library", "Book", "--format", "csv"] + arguments
            return Array(try coffer.run(all).lines.dropFirst())
        }
        let sorted = titles.sorted()
        let objects = try fetch("--sort", "title")
        #expect(objects.count == titles.count && Set(objects).count == titles.count)
        #expect(zip(objects, sorted).allSatisfy { $0.contains($1) })
        #expect(try fetch("--sort", "title", "--limit", "3000", "--offset", "1000").count == 3_000)
        #expect(try fetch("--sort", "title", "--properties", "title") == sorted)
        let part = try fetch(
            "--sort", "title", "--properties", "title", "--limit", "2500", "--offset", "1900")
        #expect(part == Array(sorted[1_900..<4_400]))
        #expect(try fetch("--properties", "title", "--limit", "2000").count == 2_000)
        #expect(try fetch("--properties", "title", "--limit", "0").isEmpty)
        #expect(try Set(fetch("--properties", "title")) == Set(titles))
        #expect(
            try fetch("--properties", "copies", "--distinct", "--sort", "copies") == ["2", "3", "4", "5"])
    }
}

@Test
func `values of every type come back as they were given`() throws {
    try withLibrary { (coffer) throws in
        let values = [
            ("copies", "-7"), ("cover", "AAEC/w=="), ("isbn", "123E4567-E89B-12D3-A456-426614174000"),
            ("lent", "true"),
            ("link", "https://example.org/?a=b"), ("price", "12.34"), ("printed", "1969-07-20T20:17:40.5Z"),
            ("weight", "0.1"), ("title", "Übermut"),
        ]
        let set = try coffer.shell(
            "\"$coffer\" insert Library Book " + values.map { "'\($0.0)=\($0.1)'" }.joined(separator: " "))
        #expect(try set.waitForExit() == .code(0))
        let found = try coffer("fetch", "Library", "Book", "--json").json
        for (key, value) in values { #expect(found[key]?.description == value) }
        try coffer(
            "update", "Library", "Book", "--all", "price=", "title=\"\"", "printed=2026-02-28T23:30+01:00")
        let changed = try coffer("fetch", "Library", "Book", "--json").json
        #expect(changed["price"] == "null")
        #expect(changed["title"] == "")
        #expect(changed["printed"] == "2026-02-28T22:30:00Z")
    }
}

@Test
func `a value that does not fit is refused with what would`() throws {
    try withLibrary { (coffer) throws in
        for (assignment, expected) in [
            ("copies=40000", "an integer from -32768 to 32767"), ("price=12,5", "a decimal number"),
            ("lent=maybe", "true or false"),
            ("printed=2026-02-30", "a date"), ("isbn=1", "a UUID"), ("cover=%", "base 64"),
            ("weight=inf", "a number"),
            ("colour=red", "is not a property of 'Book'; it has author, copies"),
            ("author=x", "attribute:text"),
            ("price=\(String(repeating: "7", count: 45))", "of at most 38 digits"),
            (
                "copies=\(String(repeating: "9", count: 5_000))",
                "\(String(repeating: "9", count: 60))…' does not fit"
            ),
        ] {
            let refused = try coffer("insert", "Library", "Book", "title=x", assignment)
            #expect(refused.code == 65, "\(assignment)")
            #expect(refused.errors.contains(expected), "\(refused.errors)")
        }
        #expect(try coffer("fetch", "Library", "Book", "--count", "--json").json["count"] == "0")
    }
}

@Test
func `assignments that say nothing, or too much, have exit code 64`() throws {
    try withLibrary { (coffer) throws in
        for code in ["a", "b"] { try coffer("insert", "Library", "Author", "code=\(code)") }
        for (assignments, expected) in [
            (["title"], "It must have the form 'key=value'."), (["=x"], "It must have the form 'key=value'."),
            (["title=x", "title=y"], "coffer: 'title' takes one value, and was given several.\n"),
            (
                ["author=code:a", "author=code:b"],
                "coffer: 'author' takes one object, and was given several.\n"
            ),
        ] {
            let refused = try coffer.run(["insert", "Library", "Book"] + assignments)
            #expect(refused.code == 64, "\(assignments)")
            #expect(refused.errors.contains(expected), "\(refused.errors)")
        }
    }
}

@Test
func `objects are found by the ids that are shown`() throws {
    try withLibrary { (coffer) throws in
        for code in ["a", "b", "c"] { try coffer("insert", "Library", "Author", "code=\(code)") }
        let codes = ["--properties", "code", "--sort", "code", "--format", "csv"]
        let ids = ["fetch", "Library", "Author", "--id", "Author/p1", "--id", "Author/p3"]
        #expect(try coffer.run(ids + codes).lines == ["code", "a", "c"])
        #expect(try coffer("update", "Library", "Author", "--id", "Author/p2", "name=Bob").code == 0)
        #expect(try coffer("update", "Library", "Author", "--id", "Author/p2", "--batch", "name=B").code == 0)
        #expect(
            try coffer("delete", "Library", "Author", "--id", "Author/p1", "--json").json["deleted"] == "1")
        #expect(try coffer.run(["fetch", "Library", "Author"] + codes).lines == ["code", "b", "c"])
        for (id, code, expected) in [
            ("Author/p1", 66, "There is no object 'Author/p1'."),
            ("Book/p1", 65, "'Book/p1' is not an object of 'Author'."),
            ("2", 64, "'2' is not an id, such as 'Author/p12'."),
        ] {
            for command in [["fetch", "Library", "Author"], ["delete", "Library", "Author", "--batch"]] {
                let refused = try coffer.run(command + ["--id", id])
                #expect(refused.code == code)
                #expect(refused.errors == "coffer: \(expected)\n")
            }
        }
        #expect(try coffer("delete", "Library", "Author", "--id", "Author/p2", "--all").code == 64)
        #expect(
            try coffer("fetch", "Library", "Author", "--id", "Author/p2", "--where", "code == 'b'").code == 64
        )
    }
}

@Test
func `dates are compared with the texts that they are shown as`() throws {
    try withLibrary { (coffer) throws in
        for date in ["-0044-03-15", "1969-07-20T20:17:40.5Z", "2026-02-28", "12026-01-01"] {
            #expect(try coffer("insert", "Library", "Book", "title=\(date)", "printed=\(date)").code == 0)
        }
        let all = [
            "fetch", "Library", "Book", "--properties", "printed", "--sort", "printed", "--format", "csv",
        ]
        let shown = [
            "-0044-03-15T00:00:00Z", "1969-07-20T20:17:40.5Z", "2026-02-28T00:00:00Z",
            "12026-01-01T00:00:00Z",
        ]
        #expect(try coffer.run(all).lines.dropFirst() == shown[...])
        for (index, text) in shown.enumerated() {
            #expect(
                try coffer.run(all + ["--where", "printed <= '\(text)'"]).lines.dropFirst() == shown[...index]
            )
        }
        let odd = try coffer.run(all + ["--where", "printed > 'yesterday'"])
        #expect(odd.code == 65)
        #expect(
            odd.errors.contains("expected a date such as \"2026-01-31T12:00:00Z\", found text:\n"),
            "\(odd.errors)")
    }
}

@Test
func `what the model or a predicate forbids has exit code 65, what is missing 66`() throws {
    try withLibrary { (coffer) throws in
        #expect(try coffer("insert", "Library", "Author", "code=a").code == 0)
        #expect(try coffer("insert", "Library", "Author", "code=a").errors.contains("as Author/p1 has it"))
        #expect(try coffer("insert", "Library", "Author", "code=a").code == 65)
        #expect(try coffer("insert", "Library", "Author", "code=abcde").code == 65)
        #expect(try coffer("insert", "Library", "Book").code == 65, "the title is missing")
        #expect(try coffer("insert", "Library", "Book", "title=x", "author=code:none").code == 66)
        let missing = try coffer("insert", "Library", "Book", "title=x", "author=Author/p99")
        #expect(missing.code == 66 && missing.errors == "coffer: There is no object 'Author/p99'.\n")
        #expect(try coffer("fetch", "Library", "Author", "--where", "code = ").code == 65)
        let strange = try coffer("fetch", "Library", "Author", "--where", "colour == 1")
        #expect(strange.code == 65)
        #expect(
            strange.errors == """
                coffer: 'colour' is not a property of entity 'Author' (in key path 'colour'):
                colour == 1
                ^

                """)
        let place = "copies > 1 AND author.colour == 1\n               ^\n"
        let misfit = "copies > 1 AND author.colour == 1"
        for command in [
            ["fetch", "Library", "Book", "--where", misfit],
            ["update", "Library", "Book", "--where", misfit, "copies=1"],
            ["update", "Library", "Book", "--where", misfit, "copies=1", "--batch"],
            ["delete", "Library", "Book", "--where", misfit],
            ["watch", "Library", "--hold", "Book", "--where", misfit],
        ] {
            let refused = try coffer.run(command)
            #expect(refused.code == 65 && refused.errors.hasSuffix(place), "\(refused.errors)")
        }
        #expect(try coffer("fetch", "Library", "Nobody").errors.contains("it has Author, Book"))
    }
}

@Test
func `a fetch is explained by its SQL and plan, without values`() throws {
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a", "name=Ann")
        let explained = try coffer(
            "fetch", "Library", "Author", "--where", "code == 'abc'", "--explain", "--json")
        #expect(explained.code == 0, "\(explained.errors)")
        let text = explained.lines.joined(separator: "\n")
        #expect(text.contains("FROM ZAUTHOR") && text.contains("SEARCH"), "\(text)")
        #expect(!text.contains("abc") && !text.contains("Ann"), "\(text)")
    }
}

@Test
func `a conflict shows both values and is settled by a merge policy`() throws {
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a", "name=Old")
        for (policy, code, expected) in [
            ("error", 75, "Other"), ("object", 0, "Mine"), ("store", 0, "Other"),
        ] {
            try coffer("update", "Library", "Author", "--all", "name=Old")
            // Opened for both directions, the pipe lets its reader begin before anybody writes.
            let late = try coffer.shell(
                """
                rm -f "$HOME/answer"; mkfifo "$HOME/answer"; exec <> "$HOME/answer"
                exec "$coffer" update Library Author --all name=Mine --confirm --merge-policy \(policy)
                """)
            let errors = try #require(late.errorLines())
            #expect(try errors.next(timeout: .seconds(60))?.hasPrefix("Change 1 of 'Author'?") == true)
            #expect(try coffer("update", "Library", "Author", "--all", "name=Other").code == 0)
            #expect(try coffer.shell("echo y > \"$HOME/answer\"").waitForExit() == .code(0))
            #expect(try late.waitForExit() == .code(Int32(code)))
            let told = try errors.rest().joined(separator: "\n")
            if code != 0 { #expect(told.contains("name: was 'Old', is now 'Other', wanted 'Mine'")) }
            #expect(try coffer("fetch", "Library", "Author", "--json").json["name"]?.description == expected)
        }
    }
}

@Test
func `a watcher sees a push and merges it into what it holds`() throws {
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a", "name=Ann")
        let watcher = try coffer.start("watch", "Library", "--count", "2", "--hold", "Author")
        #expect(try watcher.errorLines()?.next(timeout: .seconds(60)) == "Watching 'Library'")
        try coffer("update", "Library", "Author", "--all", "name=Bea")
        let lines = try #require(watcher.outputLines())
        let first = try #require(try lines.next(timeout: .seconds(60)))
        #expect(first.contains(#""held":[{"id":"Author/p1","name":"Bea"}],"roundTrips":0"#), "\(first)")
        try coffer("insert", "Library", "Author", "code=b", "--author", "Bob")
        let second = try #require(try lines.next(timeout: .seconds(60)))
        #expect(second.hasPrefix(#"{"number":3,"#) && second.contains(#""author":"Bob""#), "\(second)")
        #expect(second.contains(#""kind":"insert","entity":"Author","objects":["Author/p2"]"#), "\(second)")
        #expect(try watcher.waitForExit() == .code(0))
    }
}

@Test
func `members of a to-many relationship are set, added and taken away, and all that changed is counted`()
    throws
{
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a")
        for title in ["One", "Two", "Three"] { try coffer("insert", "Library", "Book", "title=\(title)") }
        func members() throws -> [String] {
            try coffer(
                "fetch", "Library", "Book", "--where", "author.code == 'a'", "--sort", "title",
                "--properties", "title", "--csv"
            ).lines.dropFirst().map { $0 }
        }
        func update(_ changes: String...) throws -> Tool.Outcome {
            try coffer.run(["update", "Library", "Author", "--where", "code == 'a'", "--json"] + changes)
        }
        let added = try update("books+=title:One", "books+=title:Two")
        #expect(try added.json["updated"] == "1" && added.json["changed"] == "3", "\(added)")
        #expect(try members() == ["One", "Two"])
        #expect(
            try update("books+=title:Three", "books-=title:One", "books+=title:Two").json["changed"] == "3")
        #expect(try members() == ["Three", "Two"])
        #expect(try update("books=title:One").json["changed"] == "4", "two go, and one comes")
        #expect(try members() == ["One"])
        for mistake in [
            ["books=title:One", "books+=title:Two"], ["name+=x"], ["books+="],
        ] {
            #expect(
                try coffer.run(["update", "Library", "Author", "--all"] + mistake).code == 64, "\(mistake)")
        }
        #expect(try coffer("update", "Library", "Book", "--all", "author+=code:a").code == 64)
        #expect(try coffer("update", "Library", "Author", "--all", "--batch", "books-=title:One").code == 65)
        let unknown = try update("books+=titel:One")
        #expect(unknown.code == 65 && unknown.errors.contains("(copies, cover, isbn"), "\(unknown)")
        #expect(try coffer("insert", "Library", "Author", "code=b", "books+=title:Two", "--json").code == 0)
        #expect(try coffer("update", "--help").lines.joined(separator: " ").contains("'key=' sets all of it"))
    }
}
