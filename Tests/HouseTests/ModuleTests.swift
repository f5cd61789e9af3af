import FoundationEssentials
import Testing

/// The house from the ground up, and what each module may import of it: nothing beside it, nothing above.
private let house: [(module: String, imports: Set<String>)] = [
    ("CSQLite", []),
    ("CDBus", []),
    ("CProtobufC", []),
    ("CExpat", []),
    ("CZlib", []),
    ("CSodium", []),
    ("CLinux", []),
    ("CSQLiteVFS", ["CSQLite"]),
    ("CCofferMessages", ["CProtobufC"]),
    ("CofferModel", []),
    ("CofferLinux", ["CLinux"]),
    ("CofferDBus", ["CDBus", "CofferLinux"]),
    ("CofferSQLite", ["CSQLite", "CSQLiteVFS"]),
    ("CofferFormats", ["CExpat", "CZlib", "CSodium", "CofferModel"]),
    ("CofferGeneration", ["CofferFormats", "CofferModel"]),
    ("CofferWire", ["CCofferMessages", "CProtobufC", "CofferModel"]),
    ("CofferMerge", ["CofferModel"]),
    ("CofferContainer", ["CofferMerge", "CofferFormats", "CofferWire", "CofferLinux", "CofferModel"]),
    ("CofferStores", ["CofferSQLite", "CofferFormats", "CofferWire", "CofferModel", "CofferLinux"]),
    ("CofferCoordination", ["CofferStores", "CofferSQLite", "CofferWire", "CofferModel", "CofferLinux"]),
    (
        "CofferUbiquity",
        [
            "CofferCoordination", "CofferStores", "CofferContainer", "CofferMerge", "CofferSQLite",
            "CofferFormats", "CofferWire", "CofferLinux", "CofferModel",
        ]
    ),
    ("Coffer", ["CofferWire", "CofferDBus", "CofferLinux", "CofferFormats", "CofferModel", "Logging"]),
    (
        "CofferEmbedded",
        [
            "Coffer", "CofferCoordination", "CofferStores", "CofferFormats", "CofferWire", "CofferLinux",
            "CofferModel",
        ]
    ),
    (
        "CofferService",
        [
            "Coffer", "CofferEmbedded", "CofferCoordination", "CofferStores", "CofferFormats",
            "CofferDBus", "CofferWire", "CofferLinux",
            "CofferModel", "CofferUbiquity", "CofferContainer", "CofferMerge", "Logging",
        ]
    ),
    ("cofferd", ["CofferService", "CofferDBus", "CofferLinux", "ArgumentParser", "Logging"]),
    (
        "coffer",
        [
            "Coffer", "CofferEmbedded", "CofferStores", "CofferGeneration", "CofferFormats", "CofferWire",
            "CofferDBus",
            "CofferLinux", "CofferModel", "ArgumentParser",
        ]
    ),
    ("coffer-model", ["CofferGeneration", "CofferFormats"]),
    // What it depends on is the program that it runs; the module is the package manager's.
    ("CofferModelPlugin", ["coffer-model"]),
    (
        "coffer-bench",
        [
            "Coffer", "CofferEmbedded", "CofferStores", "CofferSQLite", "CofferDBus", "CofferWire",
            "CofferLinux", "CofferModel", "ArgumentParser",
        ]
    ),
]

private let tools: Set<String> = ["cofferd", "coffer", "coffer-bench", "CofferModelPlugin"]

/// Parts of the system that every module may import.
private let everywhere: Set<String> = ["Swift", "Synchronization", "Observation", "FoundationEssentials"]

/// The wrappers may call the C library; so may a place that says why in a comment on its line.
private let wrappers: Set<String> = ["CofferLinux", "CofferDBus", "CofferSQLite"]

@Test func `modules import only what stands below them`() {
    let allowed = Dictionary(uniqueKeysWithValues: house.map { ($0.module, $0.imports) })
    var wrong: [String] = []
    for file in SourceTree.sources {
        guard let below = allowed[file.module] else {
            wrong.append("\(file.path):1: the module \(file.module) is not in the table of this test")
            continue
        }
        for (line, name) in file.imports where !everywhere.contains(name) && !below.contains(name) {
            let isExplained = file.lines[line].contains("//")
            if name == "Glibc", wrappers.contains(file.module) || isExplained { continue }
            if name == "PackagePlugin", file.module.hasSuffix("Plugin") { continue }
            if name == "Foundation", tools.contains(file.module) { continue }
            wrong.append(file.place(line))
        }
    }
    #expect(wrong.isEmpty, "imports that point sideways, up or out: \(list(wrong))")
}

@Test func `the table of imports points down, and is what Package.swift declares`() throws {
    var below: Set<String> = ["Logging", "ArgumentParser"]
    for (module, imports) in house {
        #expect(imports.isSubset(of: below), "\(module) imports \(imports.subtracting(below)), not below it")
        below.insert(module)
    }
    let declared = try declaredTargets()
    for (module, imports) in house {
        #expect(declared[module] == imports, "Package.swift and this test differ about \(module)")
    }
    let known = Set(house.map(\.module))
    #expect(Set(declared.keys).subtracting(known) == [], "targets that this test does not know")
}

@Test func `the page on architecture shows the table of imports`() throws {
    let page = try #require(SourceFile(path: "Sources/Coffer/Coffer.docc/Architecture.md"))
    let shown = page.lines.compactMap { line -> (String, Set<String>)? in
        let cells = line.split(separator: "|", omittingEmptySubsequences: false)
        guard cells.count == 5, let name = cells[1].firstMatch(of: #/^ `([\w-]+)` $/#)?.1 else { return nil }
        return (String(name), Set(cells[2].matches(of: #/`([\w-]+)`/#).map { String($0.1) }))
    }
    let drawn = house.reversed().filter { !$0.imports.isEmpty || shown.map(\.0).contains($0.module) }
    #expect(shown.map(\.0) == drawn.map(\.module))
    for (module, imports) in shown {
        #expect(house.first { $0.module == module }?.imports == imports, "\(module)")
    }
}

/// The targets of Package.swift other than tests, with what they depend on.
private func declaredTargets() throws -> [String: Set<String>] {
    let text = String(decoding: try #require(SourceTree.bytes(of: "Package.swift")), as: UTF8.self)
    let products = ["logging": "Logging", "arguments": "ArgumentParser"]
    var targets: [String: Set<String>] = [:]
    // Up to the next target, since no list of dependencies holds another call.
    for part in text.split(separator: #/\n +\./#) {
        guard
            let match = part.prefixMatch(
                of: #/(target|executableTarget|systemLibrary|plugin)\(\s*name: "([^"]+)"/#),
            !part.contains("path: \"Tests/")
        else { continue }
        let dependencies = part.firstMatch(of: #/dependencies: \[([^\]]*)\]/#)?.1 ?? ""
        targets[String(match.2)] = Set(
            dependencies.split { ", \n\"".contains($0) }.map { products[String($0)] ?? String($0) })
    }
    return targets
}

@Test func `only Coffer exports a module of another, and tests import none as testable`() {
    let exports = SourceTree.swiftFiles.flatMap { file in
        file.code.indices
            .filter { file.code[$0].contains("@_exported") }
            .filter { _ in file.module != "Coffer" }
            .map(file.place)
    }
    #expect(exports.isEmpty, "re-exports outside of Coffer: \(list(exports))")
    let testable = SourceTree.swiftFiles.flatMap { $0.places { $0.contains("@testable") } }
    #expect(testable.isEmpty, "imports that go round access levels: \(list(testable))")
}

@Test func `what the service links is free of the large Foundation`() {
    let found = SourceTree.sources
        .filter { !tools.contains($0.module) || $0.module == "cofferd" }
        .flatMap { file in file.imports.filter { $0.name == "Foundation" }.map { file.place($0.line) } }
    #expect(found.isEmpty, "import FoundationEssentials instead: \(list(found))")
}

extension SourceFile {
    /// The modules that the file imports, each with its line, counted from 0.
    var imports: [(line: Int, name: String)] {
        code.indices.compactMap { line in
            // "internal import struct X.Y" and the like too.
            let words = code[line].split(separator: " ")
            guard let keyword = words.firstIndex(of: "import"), keyword <= 2, words.count > keyword + 1,
                words[..<keyword].allSatisfy({ $0.first?.isLetter == true || $0.hasPrefix("@") })
            else { return nil }
            let kinds: Set<Substring> = [
                "struct", "class", "enum", "protocol", "func", "var", "let", "typealias",
            ]
            let name = kinds.contains(words[keyword + 1]) ? words.last : words[keyword + 1]
            return name.map { (line, String($0.prefix { $0 != "." })) }
        }
    }
}
