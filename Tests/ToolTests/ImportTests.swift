import CofferLinux
import TestSupport
import Testing

private let authors = #"{"authors": [{"code": "ab", "name": "Ann"}, {"code": "cd", "name": null}]}"#
private let books = #"""
    [{"title": "ab-1", "next": "2", "copies": 3}, {"title": "ab-2", "price": 0.1}, {"title": "cd-1", "next": "9"},
     {"title": "xx-1"}]
    """#

@Test
func `an import relates objects by parts of their fields, to later ones too`() throws {
    try withLibrary { (coffer) throws in
        let people = try coffer(
            "import", "Library", "Author", try coffer.write("authors.json", authors), "--json")
        #expect(try people.json["inserted"] == "2", "\(people.errors)")
        let file = try coffer.write("books.json", books)
        let imported = try coffer(
            "import", "Library", "Book", file, "--key", "title", "--batch", "1", "--relate",
            "author=code:{title~1-2}",
            "--relate", "sequel=title:{next}", "--relate", "sequel=title:{title~1-2}-{next}", "--json")
        #expect(imported.code == 0, "\(imported.errors)")
        let line = imported.lines.last ?? ""
        #expect(
            line.contains(#""related":{"author":3,"sequel":1},"unrelated":{"author":1,"sequel":1}"#),
            "\(line)")
        let found = try coffer(
            "fetch", "Library", "Book", "--sort", "title", "--properties",
            "title,author.code,sequel.title,copies,price",
            "--format", "csv")
        #expect(
            found.lines == [
                "title,author.code,sequel.title,copies,price", "ab-1,ab,ab-2,3,", "ab-2,ab,,,0.1",
                "cd-1,cd,,,", "xx-1,,,,",
            ])
    }
}

@Test
func `an import with a key can be repeated`() throws {
    try withLibrary { (coffer) throws in
        let file = try coffer.write("authors.json", authors)
        #expect(
            try coffer("import", "Library", "Author", file, "--key", "code").lines.last?.hasPrefix(
                "Author         2        0") == true)
        _ = try coffer.write("authors.json", #"[{"code": "ab", "name": "Bea"}, {"code": "ef"}]"#)
        let again = try coffer("import", "Library", "Author", file, "--key", "code", "--format", "csv")
        #expect(again.lines.last?.hasPrefix("Author,1,1,0,,,1,") == true, "\(again.lines)")
        #expect(
            try coffer(
                "fetch", "Library", "Author", "--properties", "code,name", "--sort", "code", "--format", "csv"
            ).lines == ["code,name", "ab,Bea", "cd,", "ef,"])
    }
}

@Test
func `an import with a key refuses rows that lack it, since they would come anew each time`() throws {
    try withLibrary { (coffer) throws in
        for row in [#"{"name": "Bea"}"#, #"{"code": null}"#] {
            let file = try coffer.write("authors.json", #"[{"code": "ab"}, \#(row)]"#)
            let refused = try coffer("import", "Library", "Author", file, "--key", "code")
            #expect(refused.code == 65)
            #expect(
                refused.errors.hasPrefix("coffer: Row 2: It has no 'code', by which --key"),
                "\(refused.errors)")
        }
        #expect(try coffer("fetch", "Library", "Author", "--count", "--json").json["count"] == "0")
    }
}

@Test
func `values of JSON keep their digits, and characters that are written as numbers`() throws {
    try withLibrary { (coffer) throws in
        let file = try coffer.write(
            "books.json",
            #"""
            [{"title": "\ud83d\ude00 \u00e9\b\/\\", "copies": 3.0, "price": 1234567890123456789012345678901234.5678,
              "weight": 1.7976931348623157e308}, {"title": 1.50, "copies": -2e2, "lent": false, "weight": 5e-324}]
            """#)
        let imported = try coffer("import", "Library", "Book", file)
        #expect(imported.code == 0, "\(imported.errors)")
        let all = ["fetch", "Library", "Book", "--sort", "copies", "--properties"]
        let values = try coffer.run(all + ["title,copies,price,weight,lent", "--json"])
        #expect(
            values.lines == [
                #"{"title":"1.50","copies":-200,"price":null,"weight":5e-324,"lent":false}"#,
                #"{"title":"😀 é\u0008/\\","copies":3,"price":1234567890123456789012345678901234.5678,"#
                    + #""weight":1.7976931348623157e+308,"lent":null}"#,
            ])
        let large = try coffer.write("large.json", #"[{"title": "x", "weight": 1e999}]"#)
        let refused = try coffer("import", "Library", "Book", large)
        #expect(
            refused.errors == "coffer: Row 1: '1e999' does not fit 'Book.weight', which takes a number.\n")
    }
}

@Test
func `an import tells each transaction once it is durable`() throws {
    try withLibrary { (coffer) throws in
        let file = try coffer.write("authors.json", authors)
        let each = try coffer("import", "Library", "Author", file, "--batch", "1", "--each", "--json")
        #expect(each.lines == [#"{"transaction":1,"rows":1}"#, #"{"transaction":2,"rows":2}"#])
    }
}

@Test
func `an import lets everybody else have the disk first, and is counted`() throws {
    try withLibrary { (coffer) throws in
        // The store's counters are those of the time while a client has it open.
        let watcher = try coffer.start("watch", "Library", "--count", "4")
        #expect(try watcher.errorLines()?.next(timeout: .seconds(60)) == "Watching 'Library'")
        let file = try coffer.write("authors.json", authors)
        #expect(try coffer("import", "Library", "Author", file, "--batch", "1").code == 0)
        #expect(try coffer("insert", "Library", "Author", "code=z").code == 0)
        let status = try coffer("status", "--format", "csv").lines
        for (name, value) in [("Saves", 3), ("BackgroundSaves", 2), ("IdleWork", 2), ("IdleLifts", 0)] {
            let end = ",\(name),\(value)"
            #expect(status.contains { $0.hasPrefix("store,") && $0.hasSuffix(end) }, "\(end): \(status)")
        }
        #expect(try coffer("insert", "Library", "Author", "code=y").code == 0)
        #expect(try watcher.waitForExit() == .code(0))
    }
}

@Test
func `files that cannot be imported are refused with a reason`() throws {
    try withLibrary { (coffer) throws in
        for (text, expected) in [
            ("[{]", ":1:3: not valid JSON: a name in double quotes was expected."),
            ("[\n {\"é\": 1,\n  \"a\" 2}]", ":3:7: not valid JSON: ':' was expected."),
            ("[{\"a\": tru}]", ":1:8: not valid JSON: a value"), ("[] []", ":1:4: not valid JSON: the end"),
            ("[{\"a\": \"x}]", ":1:12: not valid JSON: '\"' was"),
            ("[{\"a\": 1.}]", ":1:10: not valid JSON: a digit"),
            ("", ":1:1: not valid JSON: a value was expected."),
            ("[{\"a\": 007}]", ":1:8: not valid JSON: a number must not begin"),
            ("[{\"a\": -01}]", ":1:9: not valid JSON: a number must not"),
            ("[{\"a\": .5}]", ":1:8: not valid JSON: a value"),
            ("[{\"a\": +1}]", ":1:8: not valid JSON: a value"),
            ("[{\"a\": 1e}]", ":1:10: not valid JSON: a digit"),
            ("[1,]", ":1:4: not valid JSON: a value was expected."),
            ("[{\"a\": 1,}]", ":1:10: not valid JSON: a name"),
            (#"["\u12"]"#, ":1:7: not valid JSON: one of four hexadecimal digits was expected."),
            (#"["\x"]"#, ":1:3: not valid JSON: '\\\\' for a backslash"),
            (#"["é\ud800"]"#, ":1:4: not valid JSON: '\\u' has half"),
            (#"["\ud800\u0041"]"#, ":1:3: not valid JSON: '\\u' has half"),
            (#"["\udc00"]"#, ":1:3: not valid JSON: '\\u' has half"),
            (
                String(repeating: "[", count: 2_000),
                ":1:513: not valid JSON: it is nested more than 512 deep."
            ),
            ("3", "no array of objects"), ("[1]", "row 1"),
            (#"[{"colour": 1}]"#, "--skip-unknown"),
            (#"[{"code": [1]}]"#, "not a list or object"),
            (#"[{"books": 1}]"#, "'Author.books' is a relationship: --relate"),
        ] {
            let refused = try coffer("import", "Library", "Author", try coffer.write("bad.json", text))
            #expect(refused.code == 65)
            #expect(refused.errors.contains(expected), "\(refused.errors)")
        }
        try Folder(at: "\(coffer.bus.path)/home").replace("bad.json", with: Array("[\n\"é".utf8) + [0xFF])
        let bytes = try coffer("import", "Library", "Author", coffer.path("bad.json"))
        #expect(
            bytes.errors.hasSuffix("/bad.json:2:3: not valid JSON: this is not UTF-8.\n"), "\(bytes.errors)")
        #expect(try coffer("import", "Library", "Author", coffer.path("none.json")).code == 66)
        #expect(
            try coffer("import", "Library", "Book", coffer.path("bad.json"), "--relate", "author=code").code
                == 64)
        let rule = try coffer(
            "import", "Library", "Book", coffer.path("bad.json"), "--relate", "author=code:{a")
        #expect(
            rule.errors.contains("It must have the form RELATIONSHIP=ATTRIBUTE:TEMPLATE"), "\(rule.errors)")
        let file = try coffer.write("extra.json", #"[{"code": "a", "colour": 1}]"#)
        #expect(try coffer("import", "Library", "Author", file, "--skip-unknown").code == 0)
    }
}

@Test
func `an import in batches larger than a predicate may be finds what exists`() throws {
    try withLibrary { (coffer) throws in
        let rows = (1...21_000).map { #"{"title": "\#($0)"}"# }.joined(separator: ",")
        let file = try coffer.write("many.json", "[\(rows)]")
        for expected in ["Book,21000,0,", "Book,0,0,21000,"] {
            let outcome = try coffer(
                "import", "Library", "Book", file, "--key", "title", "--batch", "100000", "--format", "csv")
            #expect(outcome.lines.last?.hasPrefix(expected) == true, "\(outcome)")
        }
    }
}

@Test
func `a pipe is imported like a file, and a file that cannot be read is refused with the reason`() throws {
    try withLibrary { (coffer) throws in
        let piped = try coffer.shell(
            "exec bash -c '\"$0\" import Library Author <(echo \"[{\\\"code\\\": \\\"a\\\"}]\")' \"$coffer\"")
        let told = try piped.errorLines()?.rest() ?? []
        #expect(try piped.waitForExit() == .code(0), "\(told)")
        #expect(try coffer("fetch", "Library", "Author", "--count", "--json").json["count"] == "1")
        let missing = try coffer("import", "Library", "Author", coffer.path("none.json"))
        #expect(
            missing.code == 66 && missing.errors.hasSuffix("No such file or directory.\n"),
            "\(missing.errors)")
        let folder = try coffer("import", "Library", "Author", coffer.path(""))
        #expect(folder.code == 66 && folder.errors.hasSuffix("Is a directory.\n"), "\(folder.errors)")
    }
}

@Test
func `an import that is interrupted says how many rows are in the store`() throws {
    try withLibrary { (coffer) throws in
        let rows = (1...50_000).map { #"{"title": "\#($0)"}"# }.joined(separator: ",")
        let file = try coffer.write("many.json", "[\(rows)]")
        let child = try coffer.start(
            "import", "Library", "Book", file, "--batch", "1", "--each", "--format", "csv")
        let lines = try #require(child.outputLines())
        for expected in ["transaction,rows", "1,1"] {
            #expect(try lines.next(timeout: .seconds(60)) == expected)
        }
        try child.kill(.interrupt)
        let saved = 1 + (try lines.rest().count)
        let errors = try child.errorLines()?.rest() ?? []
        #expect(try child.waitForExit() == .code(130))
        let told = saved == 1 ? "Row 1 is in the store." : "Rows 1 to \(saved) are in the store."
        #expect(errors == ["coffer: Interrupted.", told])
        #expect(saved < 50_000)
        #expect(
            try coffer("fetch", "Library", "Book", "--count", "--json").json["count"]?.description
                == "\(saved)")
    }
}
