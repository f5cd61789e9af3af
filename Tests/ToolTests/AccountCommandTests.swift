import CofferLinux
import TestSupport
import Testing

@Test(.timeLimit(.minutes(15)))
func `somebody signs in to a folder, is told so, and signs out again`() throws {
    try withTool { (coffer) throws in
        _ = try Folder.make(at: coffer.path("Sync"))
        let none = try coffer("account", "status")
        #expect(none.code == 66 && none.errors.contains("Nobody is signed in"), "\(none)")
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
