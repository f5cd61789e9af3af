import CofferLinux
import TestSupport
import Testing

@Test
func `a shared store is filled from a file, made anew, and removed for all machines`() throws {
    try withLibrary { (coffer) throws in
        let root = coffer.path("Sync")
        _ = try Folder.make(at: root)
        #expect(try coffer("account", "sign-in", "home", root).code == 0)
        for code in 1...3 {
            #expect(try coffer("insert", "Library", "Author", "code=\(code)", "name=Ada").code == 0)
        }
        #expect(try coffer("store", "backup", "Library", coffer.path("Bundle.sqlite")).code == 0)
        let wrong = try coffer("fetch", "Library", "Author", "--content-folder", "Shelf")
        #expect(wrong.code == 64 && wrong.errors.contains("need --shared-as"), "\(wrong)")
        let outside = try coffer(
            "fetch", "Library", "Author", "--shared-as", "Books", "--content-folder", "..")
        #expect(outside.code != 0 && outside.errors.contains("cannot be"), "\(outside)")
        let watcher = try coffer.start(
            "watch", "Library", "--shared-as", "Books", "--content-folder", "Shelf", "--container",
            "org.example.Group")
        defer {
            try? ProcessControl.kill(watcher.id, .terminate)
            _ = try? watcher.waitForExit()
        }
        func wait(for what: String, _ fields: [String: JSONText]) throws {
            try waitUntil(what) {
                let status = try coffer("ubiquity", "status", "--json")
                if status.lines.count != 1 { return false }
                let line = try status.json
                return fields.allSatisfy { line[$0.key] == $0.value }
            }
        }
        try wait(for: "that it is shared", ["condition": "there", "unwritten": "0"])
        #expect(try Folder(at: root).folder("org.example.Group/Shelf/Books").names().isEmpty == false)
        let seeded = try coffer("ubiquity", "seed", "Library", coffer.path("Bundle.sqlite"), "--json")
        #expect(try seeded.code == 0 && seeded.json["objects"] == "3", "\(seeded)")
        let again = try coffer("ubiquity", "seed", "Library", coffer.path("Bundle.sqlite"), "--json")
        #expect(try again.json["repeated"] == "true", "\(again)")
        try wait(for: "that it is exported", ["objects": "3", "unwritten": "0"])
        let rebuilt = try coffer("ubiquity", "rebuild", "Library")
        #expect(rebuilt.code == 0, "\(rebuilt)")
        try wait(for: "that it is filled again", ["objects": "3", "unwritten": "0"])
        let unasked = try coffer("ubiquity", "remove", "Library")
        #expect(unasked.code == 64 && unasked.errors.contains("--yes"), "\(unasked)")
        let removed = try coffer("ubiquity", "remove", "Library", "--yes", "--json")
        #expect(try removed.code == 0 && removed.json["removed"] == "Library", "\(removed)")
        let left = try Folder(at: root).folder("org.example.Group/Shelf/Books").names()
        #expect(left.allSatisfy { $0.hasPrefix("x-") || $0 == "data" }, "\(left)")
        let gone = try coffer("ubiquity", "remove", "Library", "--yes")
        #expect(gone.code != 0, "\(gone)")
    }
}
