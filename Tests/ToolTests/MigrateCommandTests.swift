import CofferLinux
import TestSupport
import Testing

@Test(.timeLimit(.minutes(15)))
func `a store file is migrated after a look at what that does`() throws {
    try withTool { (coffer) throws in
        let file = coffer.path("library.sqlite")
        let model = try coffer.write("model", libraryModel)
        #expect(try coffer("store", "add", file, "--embedded", "--model", model).code == 0)
        #expect(try coffer("insert", file, "Author", "code=a", "--embedded").code == 0)
        let renamed = libraryModel.replacing(
            "<attribute name=\"code\"", with: "<attribute name=\"mark\" elementID=\"code\""
        )
        .replacing("value=\"code\"", with: "value=\"mark\"")
        let next = try coffer.write("next", renamed)

        let plan = try coffer("migrate", file, "--embedded", "--to", next, "--dry-run", "--csv")
        #expect(plan.code == 0 && plan.lines.contains { $0.contains("code → mark") }, "\(plan)")
        #expect(
            try coffer("fetch", file, "Author", "--embedded", "--csv").lines.first?.contains("code") == true)

        let done = try coffer("migrate", file, "--embedded", "--to", next, "--json")
        #expect(done.code == 0 && done.lines.first?.contains("\"number\":2") == true, "\(done)")
        let rows = try coffer("fetch", file, "Author", "--embedded", "--csv", "--where", "mark == \"a\"")
        #expect(rows.lines.count == 2, "\(rows)")
        let again = try coffer("migrate", file, "--embedded", "--to", next)
        #expect(again.code == 0 && again.errors.contains("has this model already"))
        #expect(try coffer("migrate", file, "--embedded", "--bus", "session", "--to", next).code == 64)
    }
}

@Test(.timeLimit(.minutes(15)))
func `a store file that cannot be migrated is told of with all that is in the way`() throws {
    try withTool { (coffer) throws in
        let file = coffer.path("library.sqlite")
        let model = try coffer.write("model", libraryModel)
        #expect(try coffer("store", "add", file, "--embedded", "--model", model).code == 0)
        #expect(try coffer("insert", file, "Author", "code=a", "--embedded").code == 0)
        let numbered = libraryModel.replacing(
            "<attribute name=\"code\" attributeType=\"String\" maxValueString=\"4\"/>",
            with: "<attribute name=\"code\" attributeType=\"Integer 64\"/>")
        let next = try coffer.write("next", numbered)
        for command in [["--dry-run"], []] {
            let outcome = try coffer.run(["migrate", file, "--embedded", "--to", next] + command)
            #expect(outcome.code == 65, "\(outcome)")
            #expect(outcome.errors.contains("1 value of 'Author.code' cannot be turned"), "\(outcome)")
        }
        #expect(try coffer("fetch", file, "Author", "--embedded", "--count", "--json").json["count"] == "1")
    }
}

@Test(.timeLimit(.minutes(15)))
func `a store of the service is migrated by its name, after a look at what that does`() throws {
    try withLibrary { (coffer) throws in
        #expect(try coffer("insert", "Library", "Author", "code=a", "name=Ada").code == 0)
        let without = libraryModel.replacing(
            "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/>", with: "")
        let next = try coffer.write("next", without)
        let plan = try coffer("migrate", "Library", "--to", next, "--dry-run", "--json")
        #expect(plan.code == 0 && plan.lines.first?.contains("\"droppedCount\":1") == true, "\(plan)")
        #expect(plan.lines.first?.contains("Ada") == true && plan.lines.first?.contains("number") == false)
        #expect(try coffer("fetch", "Library", "Author", "--csv").lines.first?.contains("name") == true)

        let done = try coffer("migrate", "Library", "--to", next)
        #expect(done.code == 0 && done.errors.contains("Library.sqlite.backup-"), "\(done)")
        let rows = try coffer("fetch", "Library", "Author", "--csv")
        #expect(rows.lines.first?.contains("name") == false && rows.lines.count == 2, "\(rows)")
        let again = try coffer("migrate", "Library", "--to", next)
        #expect(again.code == 0 && again.errors.contains("has this model already"), "\(again)")
        let former = try coffer.write("former", libraryModel)
        let back = try coffer("migrate", "Library", "--to", former, "--no-backup")
        #expect(back.code == 0 && back.errors.contains("takes it back"), "\(back)")
        #expect(!back.errors.contains("backup"), "\(back)")

        let numbered = libraryModel.replacing(
            "<attribute name=\"code\" attributeType=\"String\" maxValueString=\"4\"/>",
            with: "<attribute name=\"code\" attributeType=\"Integer 64\"/>")
        let bad = try coffer.write("bad", numbered)
        for command in [["--dry-run"], []] {
            let outcome = try coffer.run(["migrate", "Library", "--to", bad] + command)
            #expect(outcome.errors.contains("1 value of 'Author.code' cannot be turned"), "\(outcome)")
            #expect(outcome.code != 0)
        }
        #expect(try coffer("migrate", "Nobody", "--to", next).code == 66)
    }
}

@Test(.timeLimit(.minutes(15)))
func `a file that Coffer did not make is migrated where somebody agrees`() throws {
    try withTool { (coffer) throws in
        let file = try makeForeignFile(coffer)
        let before = try FolderSnapshot(of: coffer.path("foreign"))
        let without = libraryModel.replacing(
            "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/>", with: "")
        let next = try coffer.write("next", without)
        let plan = try coffer("migrate", file, "--embedded", "--to", next, "--dry-run", "--csv")
        #expect(plan.code == 0 && plan.lines.contains { $0.contains("name,removed") }, "\(plan)")
        let refused = try coffer("migrate", file, "--embedded", "--to", next)
        #expect(refused.code == 77 && refused.errors.contains("Agree with '--adopt'"), "\(refused)")
        #expect(try FolderSnapshot(of: coffer.path("foreign")) == before)
        let done = try coffer("migrate", file, "--embedded", "--to", next, "--adopt", "--json")
        #expect(done.code == 0 && done.lines.first?.contains("\"number\":") == true, "\(done)")
        let rows = try coffer("fetch", file, "Author", "--embedded", "--csv")
        #expect(rows.lines.count == 2 && rows.lines.first?.contains("name") == false, "\(rows)")
    }
}
