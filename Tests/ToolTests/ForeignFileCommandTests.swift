import CofferLinux
import TestSupport
import Testing

/// Makes a file that Coffer never wrote into, with one author, in a folder of its own; says its path.
func makeForeignFile(_ coffer: Tool) throws -> String {
    let made = coffer.path("made.sqlite")
    let model = try coffer.write("model", libraryModel)
    #expect(try coffer("store", "add", made, "--embedded", "--model", model).code == 0)
    #expect(try coffer("insert", made, "Author", "code=a", "--embedded").code == 0)
    _ = try Folder(at: coffer.path("")).makeFolders("foreign")
    let file = coffer.path("foreign/Foreign.sqlite")
    try makeForeign(made, as: file, coffer)
    return file
}

/// Copies a file of ours without what Coffer adds to Core Data's tables.
func makeForeign(_ made: String, as file: String, _ coffer: Tool) throws {
    let program =
        "import sqlite3; c = sqlite3.connect('\(made)', isolation_level=None)\n"
        + "for n, in c.execute(\\\"select name from sqlite_master where name glob 'COFFER_*' and type = 'table'\\\").fetchall(): "
        + "c.execute('drop table ' + n)\n"
        + "c.execute('pragma journal_mode=delete'); c.execute(\\\"vacuum into '\(file)'\\\")"
    let child = try coffer.shell("python3 -c \"\(program)\"")
    #expect(try child.waitForExit() == .code(0))
}

@Test
func `commands that read a file that Coffer did not make change neither it nor its folder`() throws {
    try withTool { (coffer) throws in
        let file = try makeForeignFile(coffer)
        let before = try FolderSnapshot(of: coffer.path("foreign"))
        #expect(try coffer("fetch", file, "Author", "--embedded", "--count").lines == ["COUNT", "    1"])
        #expect(try coffer("fetch", file, "Author", "--embedded", "--read-only", "--count").code == 0)
        #expect(try coffer("history", file, "--embedded").code == 0)
        #expect(try coffer("history", file, "--consumers", "--embedded").code == 0)
        #expect(try coffer("metadata", file, "--embedded").code == 0)
        let model = coffer.path("model")
        #expect(try coffer("store", "add", file, "--embedded", "--model", model).code == 0)
        #expect(try coffer("store", "backup", file, coffer.path("copy.sqlite"), "--embedded").code == 0)
        let watch = try coffer.start("watch", file, "--embedded")
        #expect(try watch.errorLines()?.next() == "Watching '\(file)'")
        try watch.kill(.kill)
        _ = try watch.waitForExit()
        #expect(try FolderSnapshot(of: coffer.path("foreign")) == before)
        #expect(try FolderSnapshot(of: coffer.path("")).files["copy.sqlite"]?.byteCount ?? 0 > 0)
    }
}

@Test
func `a command that writes into a file that Coffer did not make asks once`() throws {
    try withTool { (coffer) throws in
        let file = try makeForeignFile(coffer)
        let folder = coffer.path("foreign")
        let before = try FolderSnapshot(of: folder)
        for command in [
            ["insert", file, "Author", "code=b", "--embedded"], ["metadata", file, "a=b", "--embedded"],
            ["history", file, "--consumer", "export", "--embedded"],
        ] {
            let refused = try coffer.run(command)
            #expect(refused.code == 77 && refused.errors.contains("Agree with '--adopt'"), "\(refused)")
        }
        // A user at a terminal is asked.
        let asked =
            "script -qec \"$coffer insert \(file) Author code=b --embedded\" /dev/null"
        let no = try coffer.shell("printf 'n\\n' | \(asked)")
        #expect(try no.outputLines()?.rest().contains { $0.contains("Agree now? [y/N]") } == true)
        #expect(try no.waitForExit() == .code(1))
        #expect(try FolderSnapshot(of: folder) == before)
        // A copy that cannot be made keeps all as it is.
        let nowhere = try coffer.run(
            ["insert", file, "Author", "code=b", "--embedded", "--adopt", "--copy-first", "/nowhere/at/all"])
        #expect(nowhere.code == 66, "\(nowhere)")
        #expect(try FolderSnapshot(of: folder) == before)
        let copy = coffer.path("copy.sqlite")
        let adopted = try coffer.run(
            ["insert", file, "Author", "code=b", "--embedded", "--adopt", "--copy-first", copy])
        #expect(adopted.code == 0, "\(adopted)")
        #expect(try coffer("insert", file, "Author", "code=c", "--embedded").code == 0)
        #expect(try coffer("fetch", file, "Author", "--embedded", "--count").lines == ["COUNT", "    3"])
        #expect(try coffer("fetch", copy, "Author", "--embedded", "--count").lines == ["COUNT", "    1"])
        // The copy is as the file was.
        #expect(try coffer("insert", copy, "Author", "code=b", "--embedded").code == 77)
        let yes = try coffer.shell(
            "printf 'y\\n' | script -qec \"$coffer insert \(copy) Author code=b --embedded\" /dev/null")
        _ = try yes.outputLines()?.rest()
        #expect(try yes.waitForExit() == .code(0))
    }
}

/// Those that keep no model.
private let storesWithoutModel = [
    "elements/recipes/Recipes.sqlite", "stores/bookmigration/Model1.sqlite",
    "stores/surfjournal/SurfJournalModel.sqlite",
]

@Test(
    .leftToAll,
    .enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"),
    arguments: StoreFixtures.all)
func `commands that read a store of Core Data's change neither it nor its folder`(fixture: String) throws {
    try withTool { (coffer) throws in
        _ = try Folder(at: coffer.path("")).makeFolders("foreign")
        let folder = coffer.path("foreign")
        let file = try "\(folder)/" + StoreFixtures.copy(fixture, to: folder)
        let before = try FolderSnapshot(of: folder)
        let metadata = try coffer("metadata", file, "--embedded", "--format", "csv")
        let entity = try #require(metadata.lines.first { $0.hasPrefix("versionHash,") })
        let name = String(entity.split(separator: ",")[1])
        let fetched = try coffer("fetch", file, name, "--embedded", "--count")
        #expect(fetched.code == 0)
        #expect(try coffer("history", file, "--embedded").code == 0)
        #expect(try coffer("store", "backup", file, coffer.path("copy"), "--embedded").code == 0)
        let guesses = storesWithoutModel.contains(fixture)
        #expect(fetched.errors.contains("is guessed from what it has") == guesses, "\(fetched)")
        if guesses {
            let written = try coffer("insert", file, name, "--embedded", "--adopt")
            #expect(written.code != 0 && written.errors.contains("keeps no model"), "\(written)")
        }
        #expect(try FolderSnapshot(of: folder) == before)
        let refused = try coffer("metadata", file, "a=b", "--embedded")
        #expect([65, 77].contains(refused.code))
        #expect(try FolderSnapshot(of: folder) == before)
    }
}
