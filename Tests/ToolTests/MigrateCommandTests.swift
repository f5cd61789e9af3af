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
        #expect(try coffer("migrate", file, "--to", next).code == 64)
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
