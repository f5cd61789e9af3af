import CofferLinux
import TestSupport
import Testing

private let templateModel = libraryModel.replacing(
    "</model>",
    with: """
            <fetchRequest name="heavyBooks" entity="Book" \
        predicateString="weight &gt;= $LEAST AND author.name == $NAME"/>
            <fetchRequest name="twoBooks" entity="Book" fetchLimit="2"/>
            <fetchRequest name="broken" entity="Book" predicateString="weight &gt;="/>
        </model>
        """)

/// Lends the tool, and a store `Library` whose model has templates, with four books of Ann and of 12.
private func withTemplates(_ body: (Tool) throws -> Void) throws {
    try withTool { (coffer) throws in
        let model = try coffer.write("model", templateModel)
        let added = try coffer("store", "add", "Library", "--model", model)
        try #require(added.code == 0, "\(added.errors)")
        try coffer("insert", "Library", "Author", "code=a", "name=Ann")
        try coffer("insert", "Library", "Author", "code=b", "name=\"12\"")
        for (title, weight, code) in [("A", "1", "a"), ("B", "2.5", "a"), ("C", "3", "a"), ("D", "9", "b")] {
            let book = try coffer(
                "insert", "Library", "Book", "title=\(title)", "weight=\(weight)", "author=code:\(code)")
            try #require(book.code == 0, "\(book.errors)")
        }
        try body(coffer)
    }
}

@Test
func `a template of the model is fetched with its variables filled in`() throws {
    try withTemplates { (coffer) throws in
        func titles(_ least: String, _ name: String, _ sort: String = "title") throws -> [String] {
            try coffer(
                "fetch", "Library", "--template", "heavyBooks", "--variable", "LEAST=\(least)",
                "--variable", "NAME=\(name)", "--sort", sort, "--properties", "title", "--format", "csv"
            ).lines
        }
        #expect(try titles("2.5", "Ann") == ["title", "B", "C"])
        #expect(try titles("0", "Ann", "-title") == ["title", "C", "B", "A"])
        #expect(try titles("4", "Ann") == ["title"])
        #expect(
            try titles("0", "\"12\"") == ["title", "D"], "a text in quotes is a text, though it is a number")

        let counted = try coffer(
            "fetch", "Library", "--template", "heavyBooks", "--variable", "LEAST=2", "--variable", "NAME=Ann",
            "--count", "--json")
        #expect(try counted.json["count"] == "2")
        let whole = try coffer(
            "fetch", "Library", "--template", "heavyBooks", "--variable", "LEAST=9", "--variable",
            "NAME=\"12\"", "--json")
        #expect(whole.lines.count == 1)
        #expect(try whole.json["id"] == "Book/p4")
        #expect(try whole.json["author"] == "Author/p2")
    }
}

@Test
func `a template's own limit holds until another is asked for`() throws {
    try withTemplates { (coffer) throws in
        let own = try coffer("fetch", "Library", "--template", "twoBooks", "--format", "csv")
        #expect(own.lines.count == 3, "\(own.lines)")
        let other = try coffer(
            "fetch", "Library", "--template", "twoBooks", "--limit", "3", "--format", "csv")
        #expect(other.lines.count == 4, "\(other.lines)")
    }
}

@Test
func `a template that cannot be fetched is told of with what would help`() throws {
    try withTemplates { (coffer) throws in
        let unknown = try coffer("fetch", "Library", "--template", "heavy")
        #expect(unknown.code == 65)
        #expect(
            unknown.errors
                == "coffer: The model has no fetch request template 'heavy'; it has heavyBooks, twoBooks, broken.\n"
        )
        let missing = try coffer("fetch", "Library", "--template", "heavyBooks", "--variable", "LEAST=1")
        #expect(missing.code == 65)
        #expect(missing.errors == "coffer: The variable '$NAME' has no value.\n")
        #expect(missing.lines == [])
        let broken = try coffer("fetch", "Library", "--template", "broken")
        #expect(broken.code == 65)
        #expect(broken.errors.hasPrefix("coffer: "), "\(broken.errors)")
        let unfit = try coffer(
            "fetch", "Library", "--template", "heavyBooks", "--variable", "LEAST=much", "--variable",
            "NAME=Ann")
        #expect(unfit.code == 65, "\(unfit.lines) \(unfit.errors)")
    }
    try withLibrary { (coffer) throws in
        let none = try coffer("fetch", "Library", "--template", "heavyBooks")
        #expect(none.code == 65)
        #expect(none.errors == "coffer: The model has no fetch request templates.\n")
    }
}

@Test(
    arguments: [
        (["Book", "--template", "x"], "Either an entity or --template says what to fetch, and not both."),
        ([], "Either an entity or --template says what to fetch, and not both."),
        (["Book", "--variable", "A=1"], "--variable needs --template."),
        (["--template", "x", "--where", "a == 1"], "--template has its own --where."),
        (["--template", "x", "--variable", "A"], "--variable wants name=value, not 'A'."),
    ])
func `arguments that do not go with a template have exit code 64`(arguments: [String], expected: String)
    throws
{
    try withTool { (coffer) throws in
        let words = (["fetch", "Library"] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let refused = try coffer.shell("\"$coffer\" \(words)")
        let errors = try refused.errorLines()?.rest().joined(separator: "\n") ?? ""
        #expect(try refused.waitForExit() == .code(64))
        #expect(errors.contains(expected), "\(errors)")
    }
}
