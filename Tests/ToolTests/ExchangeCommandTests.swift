import Coffer
import CofferLinux
import TestSupport
import Testing

@Test
func `what watches a store ends when that is removed, and nothing is put in the place of none`() throws {
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a")
        let copy = coffer.path("copy.store")
        #expect(try coffer("store", "backup", "Library", copy).code == 0)
        let watcher = try coffer.start("watch", "Library")
        let errors = try #require(watcher.errorLines())
        #expect(try errors.next(timeout: .seconds(60)) == "Watching 'Library'")
        #expect(try coffer("store", "replace", "Library", copy, "--yes").code == 0)
        #expect(try coffer("store", "remove", "Library", "--yes", "--even-if-open").code == 0)
        let told = try errors.rest()
        #expect(
            told.contains("The stores were exchanged")
                && told.last == "coffer: The store 'Library' was removed.")
        #expect(try watcher.waitForExit() == .code(66))
        let replaced = try coffer("store", "replace", "Library", copy, "--yes")
        #expect(
            replaced.code == 66
                && replaced.errors.hasPrefix("coffer: There is no store 'org.coffer.Tool/Default/Library'."))
        #expect(try coffer("store", "list", "--format", "csv").lines.count == 1)
    }
}

@Test
func `a file of another model takes no store's place, and the first differences are told`() throws {
    try withLibrary { (coffer) throws in
        let entities = (0..<500).map {
            #"<entity name="E\#($0)"><attribute name="a" attributeType="String"/></entity>"#
        }
        let text = libraryModel.replacing("</model>", with: entities.joined() + "</model>")
        let file = coffer.path("other.store")
        let model = try coffer.write("other", text)
        #expect(try coffer("store", "add", file, "--embedded", "--model", model).code == 0)
        let watcher = try coffer.start("watch", "Library")
        #expect(try watcher.errorLines()?.next(timeout: .seconds(60)) == "Watching 'Library'")
        let refused = try coffer("store", "replace", "Library", file, "--yes")
        #expect(refused.code == 65)
        #expect(refused.errors.contains("not in the model: E0, E1, "), "\(refused.errors)")
        #expect(
            refused.errors.contains(", and 490 more.") && refused.errors.utf8.count < 2_000,
            "\(refused.errors)"
        )
        try watcher.kill()
        _ = try watcher.waitForExit()
    }
}

@Test
func `consumers of all applications are listed, and each can be forgotten`() throws {
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a")
        let connection = try ServiceConnection(
            application: "org.example.Other", bus: .explicit(coffer.bus.address))
        let description = StoreDescription(name: "Library", mustExist: true)
        let opened = try connection.openStore(description, application: "org.coffer.Tool")
        let context = ManagedObjectContext(coordinator: opened.coordinator)
        let token = HistoryToken(numbers: [opened.coordinator.stores[0].uuid: 1])
        for name in ["export", "sync"] { try context.acknowledgeHistory(upTo: token, consumer: name) }
        #expect(try coffer("history", "Library", "--consumer", "export", "--json").lines.count == 1)
        func listed() throws -> [String] {
            try coffer("history", "Library", "--consumers", "--format", "csv").lines.dropFirst().map { line in
                line.split(separator: ",").prefix(2).joined(separator: " ")
            }
        }
        #expect(
            try listed() == ["export org.coffer.Tool", "export org.example.Other", "sync org.example.Other"])
        let several = try coffer("history", "Library", "--forget", "export")
        #expect(
            several.code == 64 && several.errors.contains("say with --of-application whose"),
            "\(several.errors)")
        let nobody = try coffer(
            "history", "Library", "--forget", "sync", "--of-application", "org.example.None")
        #expect(
            nobody.code == 66 && nobody.errors.contains("but for one of 'org.example.Other'."),
            "\(nobody.errors)")
        #expect(try coffer("history", "Library", "--forget", "sync").code == 0)
        let other = try coffer(
            "history", "Library", "--forget", "export", "--of-application", "org.example.Other")
        #expect(other.code == 0, "\(other.errors)")
        #expect(try listed() == ["export org.coffer.Tool"])
        #expect(try context.historyConsumers()["Library"] == [])
        #expect(try coffer("history", "Library", "--consumer", "export", "--read-only").code == 64)
    }
}

@Test
func `a consumer of a store that was replaced is told what helps, and it does`() throws {
    try withLibrary { (coffer) throws in
        let copy = coffer.path("copy.store")
        for code in ["a", "b", "c"] { try coffer("insert", "Library", "Author", "code=\(code)") }
        let arguments = ["history", "Library", "--consumer", "export", "--csv"]
        #expect(try coffer.run(arguments + ["--limit", "2"]).lines.count == 3)
        #expect(try coffer("store", "backup", "Library", copy).code == 0)
        #expect(try coffer("store", "replace", "Library", copy, "--yes").code == 0)
        try coffer("insert", "Library", "Author", "code=d")
        let stuck = try coffer.run(arguments)
        let help = "coffer history Library --forget export"
        #expect(stuck.code == 66 && stuck.errors.contains("'\(help)'"), "\(stuck)")
        #expect(try coffer.run(help.split(separator: " ").dropFirst().map { String($0) }).code == 0)
        #expect(try coffer.run(arguments).lines.count > 1)
    }
}

@Test
func `what is not a store takes no store's place, and is told of as what it is`() throws {
    try withLibrary { (coffer) throws in
        let alien = coffer.path("alien.sqlite")
        let make = try coffer.shell(
            "python3 -c \"import sqlite3; c = sqlite3.connect('\(alien)'); c.execute('CREATE TABLE t(a)'); c.commit()\""
        )
        #expect(try make.waitForExit() == .code(0))
        let refused = try coffer("store", "replace", "Library", alien, "--yes")
        #expect(refused.code == 65)
        #expect(
            refused.errors
                == "coffer: That file is not a store: it is a database without the tables of a store. Nothing was changed.\n"
        )
        let missing = try coffer("store", "replace", "Library", coffer.path("nothing"), "--yes")
        #expect(
            missing.errors
                == "coffer: '\(coffer.path("nothing"))' cannot be read: No such file or directory.\n",
            "\(missing)")
        // Looking at it leaves nothing beside it.
        #expect(try coffer("fetch", alien, "Author", "--embedded").code == 65)
        #expect(try Folder(at: coffer.path("")).names().filter { $0.hasPrefix("alien") } == ["alien.sqlite"])
        let pipe = coffer.path("pipe")
        #expect(try ChildProcess("mkfifo", arguments: [pipe]).waitForExit() == .code(0))
        #expect(try coffer("store", "replace", "Library", pipe, "--yes").code == 66, "nobody waits for it")
    }
}
