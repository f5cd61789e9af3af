import FoundationEssentials
import Testing

@Test func `the top of the repository holds only what belongs there`() {
    let allowed: Set<String> = ["Package.swift", "Sources", "Tests", "Protos", "dbus", "README.md"]
    // The package manager writes this one, and git leaves it out.
    let ignored: Set<String> = ["Package.resolved"]
    let found = SourceTree.names(in: ".").filter {
        !$0.hasPrefix(".") && !allowed.contains($0) && !ignored.contains($0)
    }
    #expect(found.isEmpty, "does not belong to the top: \(list(found))")
}

@Test func `no source file is longer than 500 lines`() {
    let paths = SourceTree.paths(below: "Sources") { path in
        !path.hasPrefix("Sources/CCofferMessages/")
            && [".swift", ".c", ".h"].contains(where: path.hasSuffix)
    }
    let found = paths.compactMap { path in
        let count = SourceTree.bytes(of: path)?.count { $0 == UInt8(ascii: "\n") } ?? 0
        return count > 500 ? "\(path):\(count): its last line" : nil
    }
    #expect(found.isEmpty, "which is the second idea in it? \(list(found))")
}

@Test func `folders are named for topics, not for kinds`() {
    let kinds: Set<Substring> = [
        "Protocols", "Extensions", "Utils", "Utilities", "Common", "Helpers", "New", "Misc",
    ]
    let found = SourceTree.paths(below: "Sources").filter { path in
        path.split(separator: "/").contains(where: kinds.contains)
    }
    #expect(found.isEmpty, "what is the topic? \(list(found))")
}

@Test func `every script has its run bit, and those that people call are there`() {
    let all = ["Sources", "Tests", "Protos", "dbus", ".ci"].flatMap { SourceTree.paths(below: $0) }
    let scripts = all.filter { SourceTree.bytes(of: $0)?.starts(with: "#!".utf8) == true }
    for path in [".ci/run", "Tests/run", "Protos/generate", "dbus/install", "dbus/demo"] {
        #expect(scripts.contains(path), "\(path):1: missing, or without its first line '#!…'")
    }
    let found = scripts.filter { !FileManager.default.isExecutableFile(atPath: "\(SourceTree.root)/\($0)") }
    #expect(found.isEmpty, "chmod +x: \(list(found))")
}

@Test func `the units let background work wait for everybody else's`() {
    for unit in ["dbus/cofferd.service", "dbus/cofferd-system.service"] {
        let lines = String(decoding: SourceTree.bytes(of: unit) ?? [], as: UTF8.self).split(separator: "\n")
        let refused = lines.firstIndex { $0.hasPrefix("SystemCallFilter=~") && $0.contains("@resources") }
        let allowed = lines.lastIndex { $0.hasPrefix("SystemCallFilter=") && $0.contains("ioprio_set") }
        // The group has 'ioprio_set' in it, and what a later line names counts.
        #expect((refused ?? -1) < (allowed ?? -1), "\(unit):\((refused ?? 0) + 1): refuses ioprio_set")
    }
}

@Test func `the units let the service open files`() {
    for unit in ["dbus/cofferd.service", "dbus/cofferd-system.service"] {
        let text = String(decoding: SourceTree.bytes(of: unit) ?? [], as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let place = lines.firstIndex { $0.hasPrefix("RestrictSUIDSGID=") && !$0.hasSuffix("=no") }
        #expect(!lines.isEmpty && place == nil, "\(unit):\((place ?? 0) + 1): systemd refuses openat2 for it")
    }
}

@Test func `messages hold text as bytes, and no optional fields`() {
    let files = SourceTree.files(below: ["Protos"]) { $0.hasSuffix(".proto") }
    #expect(!files.isEmpty, "no .proto files in Protos")
    let found = files.flatMap { file in
        file.places { line in
            let words = line.words
            return words.first == "optional" || words.first == "string"
                || words.prefix(2) == ["repeated", "string"]
                || words.first == "map" && words.contains("string")
        }
    }
    #expect(found.isEmpty, "text is bytes that are validated, presence a oneof: \(list(found))")
}

@Test func `every interface on the bus has its file in dbus`() throws {
    let names = try #require(SourceFile(path: "Sources/CofferService/Bus/BusNames.swift"))
    let text = names.lines.joined(separator: "\n")
    let main = "org.coffer.Storage1"
    let parts = text.matches(of: #/Interface = name \+ "(\.[A-Za-z0-9]+)"/#).map { main + $0.1 }
    #expect(
        text.contains(#"name = "\#(main)""#) && !parts.isEmpty, "BusNames.swift is not as this test reads it")
    let expected = Set([main] + parts)
    let files = SourceTree.files(below: ["dbus"]) { $0.hasSuffix(".xml") }
    for file in files {
        let described = file.lines.joined(separator: "\n").matches(of: #/<interface name="([^"]+)"/#).map {
            String($0.1)
        }
        #expect(
            ["dbus/\(described.first ?? "").xml"] == [file.path], "\(file.path):1: describes \(described)")
    }
    let found = Set(files.map { String($0.path.dropFirst("dbus/".count).dropLast(".xml".count)) })
    #expect(expected.subtracting(found) == [], "interfaces without a file")
    #expect(found.subtracting(expected) == [], "files of interfaces that the service does not have")
}
