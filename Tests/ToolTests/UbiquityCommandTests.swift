import CofferLinux
import TestSupport
import Testing

/// Lends the tool, signed in, with a store `Library` that is shared as long as `body` runs.
private func withSharedLibrary(_ body: (Tool) throws -> Void) throws {
    try withLibrary { (coffer) throws in
        _ = try Folder.make(at: coffer.path("Sync"))
        #expect(try coffer("account", "sign-in", "home", coffer.path("Sync")).code == 0)
        let watcher = try coffer.start("watch", "Library", "--shared-as", "Books")
        defer {
            try? ProcessControl.kill(watcher.id, .terminate)
            _ = try? watcher.waitForExit()
        }
        try waitUntil("that the store is shared") { try coffer("ubiquity", "status").lines.count == 2 }
        try body(coffer)
    }
}

@Test
func `a store is shared as long as a command has it open that says so`() throws {
    try withSharedLibrary { coffer in
        #expect(try coffer("insert", "Library", "Author", "code=1", "name=Ada").code == 0)
        var status = try coffer("ubiquity", "status", "--json")
        try waitUntil("that the author is in the folder") {
            status = try coffer("ubiquity", "status", "--json")
            return try status.json["objects"] == "1" && status.json["unwritten"] == "0"
        }
        #expect(try status.json["contentName"] == "Books" && status.json["condition"] == "there", "\(status)")
        let other = try coffer("fetch", "Library", "Author", "--shared-as", "Other")
        #expect(other.code == 77 && other.errors.contains("shared as 'Books' already"), "\(other)")
        let file = try coffer("fetch", coffer.path("x"), "Author", "--embedded", "--shared-as", "Books")
        #expect(file.code == 64 && file.errors.contains("--shared-as needs the service"), "\(file)")
    }
}

@Test
func `what a store keeps for other machines is compared with its rows`() throws {
    try withSharedLibrary { coffer in
        for number in 1...3 { try coffer("insert", "Library", "Author", "code=\(number)", "name=Ada") }
        try waitUntil("that all is folded") {
            try coffer("ubiquity", "status", "--json").json["objects"] == "3"
        }
        let verified = try coffer("ubiquity", "verify", "Library", "--json")
        #expect(verified.code == 0, "\(verified)")
        #expect(
            try verified.json["objects"] == "3" && verified.json["unfolded"] == "0"
                && verified.json["differing"] == "0", "\(verified)")
        #expect(
            try verified.json["digest"] == coffer("ubiquity", "status", "--json").json["digest"],
            "\(verified)")
        let violations = try coffer("ubiquity", "violations", "Library", "--json")
        #expect(violations.code == 0 && violations.lines.isEmpty, "\(violations)")
        let model = try coffer.write("plain", libraryModel)
        #expect(try coffer("store", "add", "Plain", "--model", model).code == 0)
        for command in ["verify", "violations"] {
            let plain = try coffer("ubiquity", command, "Plain")
            #expect(plain.code == 66 && plain.errors.contains("'Plain' is not shared"), "\(plain)")
        }
    }
}

@Test
func `more or less is logged of shared stores`() throws {
    try withTool { coffer in
        for level in ["0", "3"] {
            #expect(try coffer("ubiquity", "log-level", level).code == 0)
            #expect(
                try coffer("status", "--json").lines.contains { $0.contains("\"UbiquityLogLevel\":\(level)") }
            )
        }
        let high = try coffer("ubiquity", "log-level", "4")
        #expect(high.code == 64 && high.errors.contains("from 0 to 3"), "\(high)")
    }
}

@Test
func `how far a shared store is can be watched`() throws {
    try withSharedLibrary { coffer in
        let watcher = try coffer.start("ubiquity", "watch", "--json")
        let lines = try #require(watcher.outputLines())
        let first = try #require(try lines.next(timeout: .seconds(60)))
        #expect(first.contains("\"name\":\"Library\"") && first.contains("\"objects\":0"), "\(first)")
        #expect(try coffer("insert", "Library", "Author", "code=1", "name=Ada").code == 0)
        var line = first
        while !(line.contains("\"objects\":1") && line.contains("\"unexported\":0")) {
            line = try #require(try lines.next(timeout: .seconds(60)))
        }
        #expect(line.contains("\"condition\":\"there\"") && line.contains("\"unread\":0"), "\(line)")
        try watcher.kill()
        try watcher.waitForExit()
    }
}

@Test
func `a store on one machine has no conflicts, and none to undo`() throws {
    try withSharedLibrary { coffer in
        #expect(try coffer("insert", "Library", "Author", "code=1", "name=Ada").code == 0)
        let all = try coffer("ubiquity", "conflicts", "Library", "--json")
        #expect(all.code == 0 && all.lines.isEmpty, "\(all)")
        let undone = try coffer("ubiquity", "conflicts", "Library", "--undo", "1")
        #expect(undone.code != 0 && undone.errors.contains("There is no conflict 1"), "\(undone)")
    }
}
