import CofferLinux
import FoundationEssentials
import TestSupport
import Testing

/// What `coffer fetch` prints, and when it must not print.
@Suite struct `Output of a fetch` {
    @Test
    func `a fetch goes on after a value that is lost, prints null for it and tells`() throws {
        try withNodes { (coffer) throws in
            let large = Data(repeating: 7, count: 300_000).base64EncodedString()
            let file = try coffer.write("nodes.json", #"[{"code":"a"},{"code":"b","data":"\#(large)"}]"#)
            #expect(try coffer("import", "Graph", "Node", file).code == 0)
            let all = ["fetch", "Graph", "Node", "--sort", "code"]
            #expect(try coffer.run(all + ["--json"]).lines.last?.contains(large) == true)
            let path = try #require(try coffer("store", "list", "--json").json["path"]?.description)
            let folder = path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
            let removed = try coffer.shell("exec rm '\(folder)'/.*_SUPPORT/_EXTERNAL_DATA/*")
            #expect(try removed.waitForExit() == .code(0))
            for format in ["table", "json", "csv"] {
                let damaged = try coffer.run(all + ["--format", format])
                #expect(damaged.code == 65, "\(damaged)")
                #expect(damaged.lines.contains { $0.contains("Node/p2") }, "\(damaged.lines)")
                #expect(!damaged.lines.contains { $0.contains(large) })
                #expect(damaged.errors.contains("Node/p2"), "\(damaged.errors)")
                #expect(damaged.errors.contains("data"), "\(damaged.errors)")
            }
            let lacking = try coffer.run(all + ["--properties", "code,data"])
            #expect(lacking.code == 65 && lacking.errors.contains("is missing"), "\(lacking)")
        }
    }

    @Test
    func `the output of a fetch keeps an object's id apart from an attribute called id`() throws {
        try withNodes { (coffer) throws in
            #expect(try coffer("insert", "Graph", "Node", "code=a", "id=77").code == 0)
            let csv = try coffer("fetch", "Graph", "Node", "--format", "csv").lines
            #expect(csv.first == "objectID,code,data,id,name,parent" && csv.last == "Node/p1,a,,77,,")
            let json = try coffer("fetch", "Graph", "Node", "--json")
            #expect(
                json.lines.last?.hasPrefix(#"{"objectID":"Node/p1","code":"a","data":null,"id":77,"#) == true)
            let watcher = try coffer.start("watch", "Graph", "--count", "1", "--hold", "Node")
            #expect(try watcher.errorLines()?.next(timeout: .seconds(60)) == "Watching 'Graph'")
            #expect(try coffer("update", "Graph", "Node", "--all", "id=78").code == 0)
            let line = try watcher.outputLines()?.next(timeout: .seconds(60)) ?? ""
            #expect(line.contains(#""held":[{"objectID":"Node/p1","id":78}]"#), "\(line)")
            #expect(try watcher.waitForExit() == .code(0))
            let twice = try coffer("fetch", "Graph", "Node", "--properties", "code,name,code")
            #expect(
                twice.code == 64 && twice.errors.contains("--properties names 'code' twice."),
                "\(twice.errors)")
        }
    }

    @Test
    func `a fetch counts as many different lines as it would print`() throws {
        try withNodes { (coffer) throws in
            for name in ["x", "x", "y", "x"] {
                #expect(try coffer("insert", "Graph", "Node", "code=a", "name=\(name)").code == 0)
            }
            let all = ["fetch", "Graph", "Node", "--properties", "name", "--distinct"]
            #expect(try coffer.run(all).lines.count == 3)
            #expect(try coffer.run(all + ["--count", "--json"]).json["count"] == "2")
            #expect(try coffer.run(all + ["--count", "--limit", "1", "--json"]).json["count"] == "1")
        }
    }
}

@Test
func `each value that the help of an option names is taken`() throws {
    try withLibrary { (coffer) throws in
        for format in ["table", "json", "csv"] {
            #expect(try coffer("fetch", "Library", "Author", "--format", format).code == 0, "\(format)")
        }
        for policy in ["error", "store", "object", "overwrite", "rollback"] {
            let update = try coffer(
                "update", "Library", "Author", "--all", "name=x", "--merge-policy", policy)
            #expect(update.code == 0, "\(policy): \(update.errors)")
        }
        let model = try coffer.write("Some.xcdatamodel", libraryModel)
        for access in ["internal", "package", "public"] {
            let made = try coffer(
                "model", "generate", model, "--output", coffer.path("Model-\(access)"), "--access", access)
            #expect(made.code == 0, "\(access): \(made.errors)")
        }
        try coffer("insert", "Library", "Author", "code=a")
        #expect(try coffer("fetch", "Library", "Author", "--csv").lines.first?.contains(",") == true)
        #expect(try coffer("fetch", "Library", "Author", "--csv", "--json").code == 64)
        let missing = try coffer("import", "Library", "Author", "/nowhere.json")
        #expect(missing.errors == "coffer: /nowhere.json cannot be read: No such file or directory.\n")
        let file = try coffer.write("rows.json", #"[{"code": "z"}]"#)
        let mistyped = try coffer("import", "Library", "Author", file, "--key", "cod")
        #expect(mistyped.errors.contains("it has code, name."), "\(mistyped)")
    }
}
