import CofferLinux
import TestSupport
import Testing

@Test
func `stores are added, listed in every format and removed`() throws {
    try withLibrary { (coffer) throws in
        #expect(try coffer("store", "list", "--json").json["name"] == "Library")
        let csv = try coffer("store", "list", "--format", "csv")
        #expect(csv.lines.first == "application,configuration,name,bytes,open,path,type")
        #expect(csv.lines.last?.hasPrefix("org.coffer.Tool,Default,Library,") == true)
        let table = try coffer("store", "list")
        #expect(table.lines.first?.hasPrefix("APPLICATION      CONFIGURATION  NAME") == true)
        #expect(table.lines.count == 2)

        #expect(try coffer("store", "list", "--application", "org.example.Other").lines.count == 1)
        #expect(try coffer("store", "remove", "Library").code == 64, "nobody is there to say yes")
        #expect(try coffer("store", "remove", "Library", "--yes").lines.last == "Library")
        #expect(try coffer("store", "list", "--format", "csv").lines.count == 1)
        #expect(try coffer("store", "remove", "Library", "--yes").code == 66)
    }
}

@Test
func `another application's stores are its own`() throws {
    try withLibrary { (coffer) throws in
        let model = coffer.path("model")
        #expect(
            try coffer("store", "add", "Library", "--model", model, "--application", "org.example.Other").code
                == 0)
        #expect(
            try coffer("insert", "Library", "Author", "code=a", "--application", "org.example.Other").code
                == 0)
        #expect(try coffer("fetch", "Library", "Author", "--count", "--json").json["count"] == "0")
        #expect(try coffer("store", "list", "--all", "--format", "csv").lines.count == 3)
    }
}

@Test(
    arguments: [
        ([], "The bus knows no service org.coffer.Storage1: install its service file"),
        (["/bin/false"], "Its log says why: 'journalctl --user -u cofferd'."),
    ])
func `a service that is not there, or does not start, is told of with what to do`(
    programs: [String], expected: String
) throws {
    let services = programs.map { PrivateBus.Service(name: "org.coffer.Storage1", executable: $0) }
    let bus = try PrivateBus(services: services, isQuiet: true)
    defer { bus.stop() }
    let coffer = try Tool(bus: bus)
    for command in [["status", "--start"], ["trace"], ["store", "list"]] {
        let outcome = try coffer.run(command)
        #expect(outcome.code == 69)
        #expect(outcome.errors.contains(expected), "\(outcome.errors)")
    }
}

@Test
func `a store whose name is written with other characters that look alike is told of`() throws {
    try withTool { (coffer) throws in
        let model = try coffer.write("model", libraryModel)
        try #require(coffer("store", "add", "Caf\u{e9}", "--model", model).code == 0)
        let missing = try coffer("fetch", "Cafe\u{301}", "Author")
        #expect(missing.code == 66)
        #expect(
            missing.errors.contains(
                "but with the name in the very characters of 'coffer store list' there is."),
            "\(missing.errors)")
        #expect(try coffer("fetch", "Caf\u{e9}", "Author", "--count").code == 0)
    }
}

@Test
func `a store that others have is told of with the options that find it`() throws {
    try withTool { (coffer) throws in
        let model = try coffer.write("model", libraryModel)
        for name in ["One", "Two"] {
            try coffer("store", "add", "Library", "--model", model, "--application", "org.example.\(name)")
        }
        let expected = """
            coffer: There is no store 'Library' of 'org.coffer.Tool', but with --application org.example.One or \
            --application org.example.Two there is.

            """
        for command in [
            ["fetch", "Library", "Author"], ["store", "remove", "Library", "--yes"],
            ["store", "backup", "Library", coffer.path("copy")], ["metadata", "Library"],
        ] {
            let missing = try coffer.run(command)
            #expect(missing.code == 66)
            #expect(missing.errors == expected)
        }
        let other = try coffer(
            "fetch", "Library", "Author", "--application", "org.example.One", "--store-configuration", "X")
        #expect(
            other.errors.contains("but with --store-configuration Default or --application org.example.Two"))
        let own = try coffer.shell(
            "COFFER_APPLICATION=org.example.One exec \"$coffer\" fetch Library Author --count")
        #expect(try own.outputLines()?.rest() == ["COUNT", "    0"])
        #expect(try own.waitForExit() == .code(0))
    }
}

@Test
func `a file that is only read stays as it is`() throws {
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a")
        let copy = coffer.path("copy.store")
        #expect(try coffer("store", "backup", "Library", copy).code == 0)
        let folder = try Folder(at: "\(coffer.bus.path)/home")
        let (names, bytes) = (try folder.names().sorted(), try folder.read("copy.store", limit: 1 << 24))
        let reading = ["--embedded", "--read-only"]
        #expect(try coffer.run(["fetch", copy, "Author", "--count"] + reading).lines == ["COUNT", "    1"])
        #expect(try coffer.run(["history", copy, "--format", "csv"] + reading).lines.count == 2)
        #expect(try coffer.run(["metadata", copy] + reading).code == 0)
        #expect(try coffer.run(["metadata", copy, "a=b"] + reading).code == 77)
        #expect(try coffer("metadata", "Library", "a=b", "--read-only").code == 77)
        #expect(try coffer("fetch", "Library", "Author", "--count", "--read-only").code == 0)
        #expect(try folder.read("copy.store", limit: 1 << 24) == bytes)
        #expect(
            try folder.names().filter { !$0.hasPrefix("errors-") }.sorted()
                == names.filter { !$0.hasPrefix("errors-") })
    }
}

@Test
func `a model is shown with its version hashes`() throws {
    try withTool { (coffer) throws in
        let model = try coffer.write("model", libraryModel)
        let json = try coffer("model", "show", model, "--json")
        #expect(json.lines.count == 2)
        let hash = try json.json["versionHash"]?.description ?? ""
        #expect(hash.count == 44 && hash.hasSuffix("="))
        let csv = try coffer("model", "show", model, "--format", "csv", "--entity", "Book")
        #expect(csv.lines.contains("Book,,entity,,,\(hash)"))
        #expect(csv.lines.contains("Book,price,Decimal,true,,"))
        let limits = try coffer("model", "show", model, "--format", "csv", "--entity", "Author")
        #expect(limits.lines.contains("Author,code,String,false,at most 4 characters,"), "\(limits.lines)")
        let table = try coffer("model", "show", model)
        #expect(table.lines.first?.hasPrefix("ENTITY  PROPERTY") == true)
        let parted = libraryModel.replacing(
            "</model>",
            with: #"<configuration name="Shop"><memberEntity name="Book"/></configuration></model>"#)
        let shown = try coffer("model", "show", try coffer.write("parted", parted), "--json")
        #expect(shown.lines.map { $0.hasSuffix(#""configurations":["Shop"]}"#) } == [false, true])
        #expect(try coffer("model", "show", coffer.path("nothing")).code == 66)
        #expect(try coffer("model", "show", try coffer.write("broken", "<model")).code == 65)
    }
}

@Test(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
func `a mapping model is shown with what becomes of which objects`() throws {
    try withTool { (coffer) throws in
        let file =
            try FixtureFolder.required()
            + "/models/kodeco/UnCloudNotes/UnCloudNotesMappingModel_v2_to_v3.xcmappingmodel"
        let shown = try coffer("model", "show", file, "--csv")
        #expect(
            shown.lines.contains { $0.hasPrefix("NoteToAttachment,,") && $0.hasSuffix("where image != nil") })
        #expect(shown.lines.contains { $0.hasSuffix(",relationship,,,what 'NoteToNote' made of $source") })
        #expect(try coffer("model", "show", file, "--entity", "None").code == 65)
        #expect(try coffer("model", "show", file, "--format", "svg").code == 64)
    }
}

@Test
func `metadata is changed and shown`() throws {
    try withLibrary { (coffer) throws in
        let set = try coffer("metadata", "Library", "source=a, b", "other=x", "--format", "csv")
        #expect(set.lines.prefix(3) == ["kind,key,value", "entry,other,x", "entry,source,\"a, b\""])
        #expect(
            try coffer("metadata", "Library", "other=", "--json").lines.first
                == #"{"kind":"entry","key":"source","value":"a, b"}"#)
        #expect(try coffer("metadata", "Library").lines.contains { $0.hasPrefix("versionHash  Author") })
        let typed = try coffer(
            "metadata", "Library", #"limits:=[1, 2.5, {"on": true}]"#, "count:=5", "--json")
        #expect(typed.lines.contains(#"{"kind":"entry","key":"limits","value":[1,2.5,{"on":true}]}"#))
        #expect(try coffer("metadata", "Library", "count=6", "--json").lines.first?.hasSuffix(":6}") ?? false)
        #expect(typed.lines.contains(#"{"kind":"store","key":"type","value":"SQLite"}"#))
        #expect(try coffer("metadata", "Library", "NSStoreType=x").errors.contains("stays"))
        #expect(try coffer("metadata", "Library", "broken:={").code == 64)
    }
}

@Test(arguments: ["sqlite", "binary", "xml"])
func `metadata of a file of any type are read and changed without a model`(type: String) throws {
    try withLibrary { (coffer) throws in
        let file = coffer.path("own.\(type)")
        #expect(
            try coffer(
                "store", "add", file, "--embedded", "--model", coffer.path("model"), "--type", type
            ).code == 0)
        #expect(try coffer("metadata", file, "source=a", "rows:=7", "--embedded").code == 0)
        let shown = try coffer("metadata", file, "--embedded", "--json").lines
        #expect(shown.first == #"{"kind":"entry","key":"rows","value":7}"#)
        #expect(shown.contains(#"{"kind":"entry","key":"source","value":"a"}"#))
        let name = ["sqlite": "SQLite", "binary": "Binary", "xml": "XML"][type] ?? ""
        #expect(shown.contains(#"{"kind":"store","key":"type","value":"\#(name)"}"#))
        #expect(try coffer("insert", file, "Author", "code=b", "--embedded").code == 0, "it is whole")
    }
}

@Test
func `history tells who changed what`() throws {
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a", "--author", "Ann")
        try coffer("insert", "Library", "Author", "code=b", "--author", "Bob")
        try coffer("update", "Library", "Author", "--all", "name=N")
        let all = try coffer("history", "Library", "--json")
        #expect(all.lines.count == 3)
        #expect(try all.json["updated"] == "2")
        let some = try coffer("history", "Library", "--since", "1", "--limit", "1", "--format", "csv")
        #expect(some.lines.count == 2)
        #expect(
            some.lines.last?.contains(",save,Bob,org.coffer.Tool,coffer,coffer,1,0,0,insert 1 Author") == true
        )
        #expect(try coffer("history", "Library").lines.first?.hasPrefix("NUMBER  TIME") == true)
    }
}

@Test
func `the service's status is shown in every format, and does not start it`() throws {
    try withTool { (coffer) throws in
        #expect(try coffer("status").code == 69)
        #expect(try coffer("status", "--start", "--json").json["kind"] == "service")
        #expect(
            try coffer("status", "--format", "csv").lines.contains("service,/org/coffer/Storage1,Protocol,1"))
        let model = try coffer.write("model", libraryModel)
        try coffer("store", "add", "Library", "--model", model)
        let table = try coffer("status")
        #expect(table.lines.first?.hasPrefix("SERVICE") == true)
        #expect(table.lines.contains { $0.hasPrefix("Library  org.coffer.Tool") })
    }
}

@Test
func `a store file is used in process, and refused with the owner's pid while the service has it`() throws {
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a")
        let served = try coffer("store", "list", "--json").json["path"]?.description ?? ""
        let refused = try coffer("fetch", served, "Author", "--embedded")
        #expect(refused.code == 75)
        #expect(refused.errors.contains("process "), "\(refused.errors)")
        #expect(refused.errors.contains("leave --embedded out"), "\(refused.errors)")

        let file = coffer.path("own.store")
        #expect(try coffer("fetch", file, "Author", "--embedded").code == 66)
        #expect(try coffer("store", "add", file, "--embedded", "--model", coffer.path("model")).code == 0)
        #expect(
            try coffer("insert", file, "Author", "code=b", "--embedded", "--json").json["id"] == "Author/p1")
        #expect(
            try coffer("fetch", file, "Author", "--embedded", "--properties", "code", "--format", "csv").lines
                == ["code", "b"])
        #expect(try coffer("metadata", file, "a=b", "--embedded").code == 0)
        #expect(try coffer("history", file, "--embedded", "--json").lines.count == 1)
        #expect(try coffer("store", "remove", file, "--embedded", "--yes").code == 0)
    }
}

@Test
func `a store is replaced by a file, and removed though it is open, when that is asked for`() throws {
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a")
        let file = coffer.path("backup.store")
        #expect(try coffer("store", "add", file, "--embedded", "--model", coffer.path("model")).code == 0)
        #expect(try coffer("insert", file, "Author", "code=b", "--embedded").code == 0)
        #expect(try coffer("store", "replace", "Library", file).code == 64, "nobody was asked")
        let replaced = try coffer("store", "replace", "Library", file, "--yes", "--json")
        #expect(try replaced.json["number"] == "2", "\(replaced)")
        #expect(
            try coffer("fetch", "Library", "Author", "--properties", "code", "--format", "csv").lines
                == ["code", "b"])
        #expect(try coffer("store", "replace", "Library", coffer.path("nothing"), "--yes").code == 66)
        #expect(try coffer("store", "replace", "Library", coffer.path("model"), "--yes").code == 65)
        let watcher = try coffer.start("watch", "Library")
        #expect(try watcher.errorLines()?.next(timeout: .seconds(60)) == "Watching 'Library'")
        let busy = try coffer("store", "remove", "Library", "--yes")
        #expect(busy.code == 75 && busy.errors.contains("--even-if-open"), "\(busy)")
        #expect(try coffer("store", "remove", "Library", "--yes", "--even-if-open", "--wait", "0").code == 64)
        #expect(try coffer("store", "remove", "Library", "--yes", "--even-if-open").code == 0)
        #expect(try watcher.waitForExit() == .code(66))
        #expect(try coffer("store", "list").code == 0)
    }
}

@Test
func `a store is copied into a file, which is a store and can take its place again`() throws {
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a")
        let file = coffer.path("copy.store")
        let copied = try coffer("store", "backup", "Library", file, "--json")
        #expect(copied.code == 0, "\(copied.errors)")
        #expect(try copied.json["number"] == "1" && copied.json["store"] == "Library")
        #expect(copied.errors == "", "no bar where nobody sees it")
        try coffer("insert", "Library", "Author", "code=b")
        #expect(try coffer("store", "backup", "Library", file).code == 73, "it exists already")
        let codes = ["--properties", "code", "--format", "csv"]
        #expect(try coffer("store", "backup", "Library", file, "--force", "--one-file").code == 0)
        #expect(try coffer("insert", "Library", "Author", "code=c").code == 0)
        #expect(try coffer("store", "replace", "Library", file, "--yes").code == 0)
        #expect(
            try coffer(
                "fetch", "Library", "Author", "--properties", "code", "--sort", "code", "--format", "csv"
            )
            .lines == ["code", "a", "b"])
        #expect(
            try coffer("fetch", file, "Author", "--embedded", codes[0], codes[1], codes[2], codes[3]).lines
                .count == 3)
        let path = "\(try #require(coffer("store", "list", "--json").json["path"]))"
        for (place, expected) in [
            (coffer.path("Z.sqlite-wal"), "belongs to what is kept beside the store 'Z.sqlite'"),
            ("/tmp", "'/tmp': it is a folder"), ("", "name the file"),
            (FileLocation(path).folder + "/Z.sqlite", "a service keeps its stores"),
        ] {
            let refused = try coffer("store", "backup", "Library", place, "--force")
            #expect(refused.code == 65 && refused.errors.contains(expected), "\(refused)")
        }
        #expect(try coffer("store", "backup", "Library", coffer.path("none/copy.store")).code == 66)
        #expect(try coffer("store", "backup", "Nothing", coffer.path("other.store")).code == 66)
    }
}

@Test
func `a bus that is not there, and wrong arguments, have exit codes of their own`() throws {
    try withTool { (coffer) throws in
        #expect(try coffer("store", "list", "--bus", "unix:path=\(coffer.path("no-bus"))").code == 69)
        #expect(try coffer("fetch", "Library").code == 64)
        for (option, range) in [("--limit", "0 or more"), ("--offset", "0 or more")] {
            let negative = try coffer("fetch", "Library", "Book", option, "-1")
            #expect(negative.code == 64 && negative.errors.contains("\(option) is \(range)"), "\(negative)")
        }
        #expect(try coffer("fetch", "Library", "Book", "--json", "--format", "csv").code == 64)
        #expect(try coffer("update", "Library", "Book", "title=x").code == 64, "neither --where nor --all")
        #expect(try coffer("fetch", "Library", "Book").code == 66)
        let none = try coffer.shell(
            "exec env -u DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR=/none \"$coffer\" status")
        #expect(try none.errorLines()?.rest().joined().hasSuffix("'dbus-run-session' starts one.") == true)
        #expect(try none.waitForExit() == .code(69))
        for command in ["status", "trace"] {
            #expect(try coffer(command, "--application", "x").code == 64, "it is about no application")
        }
        let help = try coffer("--help")
        #expect(help.code == 0)
        #expect(help.lines.contains { $0.contains("69 no service") })
    }
}

@Test(arguments: ["binary", "xml"])
func `a store of another type is added, written and read, by the service and as a file`(type: String) throws {
    try withLibrary { (coffer) throws in
        let model = coffer.path("model")
        #expect(try coffer("store", "add", "Other", "--type", type, "--model", model).code == 0)
        #expect(try coffer("insert", "Other", "Author", "code=a").code == 0)
        #expect(try coffer("fetch", "Other", "Author", "--count", "--json").json["count"] == "1")
        #expect(try coffer("store", "list", "--format", "csv").lines.contains { $0.hasSuffix(",\(type)") })
        let other = try coffer("store", "add", "Other", "--type", "memory", "--model", model)
        #expect(other.code != 0 && other.errors.contains("is of the type '\(type)'"), "\(other.errors)")
        let file = coffer.path("other.store")
        #expect(try coffer("store", "add", file, "--embedded", "--type", type, "--model", model).code == 0)
        #expect(try coffer("insert", file, "Author", "code=a", "name=Ann", "--embedded").code == 0)
        #expect(try coffer("fetch", file, "Author", "--embedded", "--json").json["name"] == "Ann")
        #expect(try coffer("store", "remove", file, "--embedded", "--yes").code == 0)
    }
}

@Test(.leftToAll, arguments: ["binary", "xml"], Seed.several(1))
func `a file that each save writes anew is whole whenever its writer is killed`(type: String, seed: Seed)
    throws
{
    var random = seed.generator()
    try withTool { (coffer) throws in
        let model = try coffer.write("model", libraryModel)
        let file = coffer.path("killed.store")
        #expect(try coffer("store", "add", file, "--embedded", "--type", type, "--model", model).code == 0)
        var count = 0
        for round in 0..<25 {
            let writer = try coffer.start("insert", file, "Author", "code=\(round)", "--embedded")
            let patience = Duration.microseconds(Int.random(in: 0...120_000, using: &random))
            if try writer.waitForExit(timeout: patience) == nil { try writer.kill(.kill) }
            let isSaved = try writer.waitForExit() == .code(0)
            let text = try coffer("fetch", file, "Author", "--count", "--embedded", "--json").json["count"]
            let found = try #require(text.flatMap { Int($0.description) })
            #expect(found == count + 1 || !isSaved && found == count, "after \(round), with the seed \(seed)")
            count = found
        }
    }
}
