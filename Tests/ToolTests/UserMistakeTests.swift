import CofferLinux
import TestSupport
import Testing

/// What happens to a user who has mistaken one thing for another.
@Suite struct UserMistakeTests {
    @Test
    func `a file that is not a store is not removed, nor what is beside it`() throws {
        try withTool { (coffer) throws in
            let home = try Folder(at: "\(coffer.bus.path)/home")
            let diary = try coffer.write("notes.md", "Dear diary")
            let log = try coffer.write("notes.md-wal", "more")
            _ = try home.makeFolders(".notes_SUPPORT")
            for (file, reason) in [
                (diary, "not an SQLite database"), (coffer.path("."), "folder"), (coffer.path(""), "folder"),
            ] {
                let outcome = try coffer("store", "remove", file, "--embedded", "--yes")
                #expect(outcome.code == 65 && outcome.errors.contains(reason), "\(outcome.errors)")
            }
            #expect(try home.read("notes.md", limit: 100) == Array("Dear diary".utf8))
            #expect(try home.exists("notes.md-wal") && home.exists(".notes_SUPPORT"), "\(log)")
            // A real one goes, and leaves the other.
            let model = try coffer.write("model", libraryModel)
            let store = coffer.path("Library.sqlite")
            #expect(try coffer("store", "add", store, "--embedded", "--model", model).code == 0)
            #expect(try coffer("store", "remove", store, "--embedded", "--yes").code == 0)
            #expect(try !home.exists("Library.sqlite") && home.exists("notes.md"))
        }
    }

    @Test(
        arguments: [
            ("fetsh", "'coffer' has no command 'fetsh'. Did you mean 'fetch'?"),
            ("help hitsory", "Did you mean 'history'?"),
            ("store ad", "'store' has no command 'ad'. Did you mean 'add'?"),
            ("export", "Did you mean 'import'?"),
            ("frobnicate", "'coffer' has no command 'frobnicate'. There are store, model, fetch,"),
        ])
    func `a command that there is not is told of with the one that was meant`(
        line: String, expected: String
    ) throws {
        try withTool { (coffer) throws in
            let outcome = try coffer.run(line.split(separator: " ").map(String.init))
            #expect(outcome.code == 64 && outcome.errors.contains(expected), "\(outcome.errors)")
        }
    }

    @Test
    func `a placeholder on the command line is told of as one`() throws {
        try withLibrary { (coffer) throws in
            let outcome = try coffer("fetch", "Library", "Author", "--where", "code = %@")
            #expect(
                outcome.code == 65 && outcome.errors.contains("write the value itself"), "\(outcome.errors)")
        }
    }

    @Test
    func `rows that change nothing are counted as unchanged`() throws {
        try withLibrary { (coffer) throws in
            let rows = try coffer.write("rows.json", #"[{"code": "a"}, {"code": "b"}]"#)
            let arguments = ["import", "Library", "Author", rows, "--key", "code", "--format", "csv"]
            #expect(try coffer.run(arguments).lines.last?.hasPrefix("Author,2,0,0,") ?? false)
            let again = try coffer.run(arguments)
            #expect(again.lines.last?.hasPrefix("Author,0,0,2,") ?? false, "\(again.lines)")
        }
    }

    @Test
    func `a property that no store keeps, or that the store computes, takes no value`() throws {
        try withTool { (coffer) throws in
            let model = try coffer.write(
                "model",
                """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                    <entity name="Thing" syncable="YES">
                        <attribute name="name" optional="YES" attributeType="String"/>
                        <attribute name="scratch" optional="YES" transient="YES" attributeType="String"/>
                        <attribute name="upper" optional="YES" attributeType="String" derived="YES" \
                derivationExpression="uppercase:(name)"/>
                    </entity>
                </model>
                """)
            #expect(try coffer("store", "add", "Things", "--model", model).code == 0)
            for (key, reason) in [("scratch", "no store keeps it"), ("upper", "derives it")] {
                for command in [["insert", "Things", "Thing"], ["update", "Things", "Thing", "--all"]] {
                    let outcome = try coffer.run(command + ["\(key)=x"])
                    #expect(
                        outcome.code == 65 && outcome.errors.contains("'\(key)' of 'Thing'")
                            && outcome.errors.contains(reason), "\(outcome.errors)")
                }
            }
            #expect(try coffer("fetch", "Things", "Thing", "--count", "--json").json["count"] == "0")
        }
    }

    @Test
    func `what contradicts itself, or has no name, is told of before anything is done`() throws {
        try withLibrary { (coffer) throws in
            for arguments in [
                ["update", "Library", "Author", "name=x", "--all", "--where", "code == 'a'"],
                ["update", "Library", "Author", "name=x"], ["history", "Library", "--consumer", ""],
            ] {
                let outcome = try coffer.run(arguments)
                #expect(outcome.code == 64, "\(outcome.errors)")
                #expect(outcome.errors.contains("One of --where") || outcome.errors.contains("has a name"))
            }
        }
    }

    @Test
    func `a service that cannot start says why, and what to do`() throws {
        try withTool { (coffer) throws in
            #expect(try coffer("status", "--start").code == 0)
            let program = try BuiltProducts.path(of: "cofferd")
            for (bus, reason) in [
                (coffer.bus.address, "Another service has the name org.coffer.Storage1: end it first"),
                ("unix:path=/nowhere", "no bus answers at 'unix:path=/nowhere'"),
            ] {
                let child = try ChildProcess(
                    program, arguments: ["--data", coffer.path("other"), "--bus", bus],
                    environment: coffer.bus.environment, errors: .pipe)
                let lines = try child.errorLines()?.rest() ?? []
                #expect(lines.contains { $0.contains(reason) }, "\(lines)")
                #expect(try child.waitForExit() == .code(69))
            }
        }
    }
}
