import CofferLinux
import TestSupport
import Testing

@Test
func `somebody signs in to a folder, is told so, and signs out again`() throws {
    try withTool { (coffer) throws in
        _ = try Folder.make(at: coffer.path("Sync"))
        let none = try coffer("account", "status")
        #expect(none.code == 66 && none.errors.contains("No account is signed in"), "\(none)")
        let done = try coffer("account", "sign-in", "home", coffer.path("Sync"), "--json")
        #expect(done.code == 0, "\(done)")
        #expect(try done.json["signedIn"] == "true" && done.json["number"] == "1", "\(done)")
        #expect(try done.json["path"]?.description == coffer.path("Sync"))
        let status = try coffer("account", "status", "--json")
        #expect(try status.json["root"] == done.json["root"], "\(status)")
        let shown = try coffer("status", "--json")
        #expect(try shown.json["kind"] == "account" && shown.json["SignedIn"] == "true", "\(shown)")
        #expect(try coffer("account", "sign-out", "--json").json["signedIn"] == "false")
        #expect(try coffer("account", "sign-out").code != 0)
        #expect(try coffer("account", "list", "--csv").lines.count == 2)
        let missing = try coffer("account", "sign-in", "work", coffer.path("None"))
        #expect(missing.code == 66 && missing.errors.contains("cannot be reached"), "\(missing)")
    }
}

@Test
func `a sign-out tells what is not in the folder yet`() throws {
    try withLibrary { (coffer) throws in
        let root = coffer.path("Sync")
        _ = try Folder.make(at: root)
        #expect(try coffer("account", "sign-in", "home", root).code == 0)
        let watcher = try coffer.start("watch", "Library", "--shared-as", "Books")
        defer {
            try? ProcessControl.kill(watcher.id, .terminate)
            _ = try? watcher.waitForExit()
        }
        try waitUntil("that the store is there") {
            try coffer("ubiquity", "status", "--csv").lines.last?.contains(",there,") ?? false
        }
        #expect(try coffer("account", "status", "--json").json["unexported"] == "0")
        #expect(try coffer("account", "debts", "--csv").lines.count == 1)
        try Folder(at: coffer.path("")).rename("Sync", to: "Away", replacing: false)
        #expect(try coffer("insert", "Library", "Author", "code=1", "name=Ada").code == 0)
        try waitUntil("that it is told of") {
            try coffer("account", "debts", "--csv").lines.last == "org.coffer.Tool,Library,home,1"
        }
        let done = try coffer("account", "sign-out", "--json")
        #expect(try done.json["unexported"] == "1" && done.json["signedIn"] == "false", "\(done)")
        #expect(done.errors.contains("'Library'") && done.errors.contains("goes there when"), "\(done)")
        try Folder(at: coffer.path("")).rename("Away", to: "Sync", replacing: false)
        try waitUntil("that nothing is owed") { try coffer("account", "debts", "--csv").lines.count == 1 }
        #expect(try coffer("ubiquity", "former", "--csv").lines.count == 1)
        let none = try coffer("ubiquity", "former", "Library", "--restore", "7")
        #expect(none.code == 66 && none.errors.contains("Nothing of this number"), "\(none)")
        #expect(try coffer("ubiquity", "former", "--restore", "7").code == 64)
    }
}
