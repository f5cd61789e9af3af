import Coffer
import CofferLinux
import TestSupport
import Testing

@Test
func `a store is copied into each type, and each has the same objects`() throws {
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a")
        try coffer("insert", "Library", "Author", "code=b")
        try coffer("metadata", "Library", "edition=4")
        let wanted = try coffer("fetch", "Library", "Author", "--properties", "code", "--format", "csv")
        #expect(wanted.lines.count == 3)
        for type in ["sqlite", "binary", "xml"] {
            let file = coffer.path("copy.\(type)")
            let made = try coffer("store", "copy", "Library", file, "--type", type, "--json")
            #expect(made.code == 0 && made.lines.joined().contains(#""objects":2"#), "\(made)")
            let reading = ["--embedded", "--read-only"]
            let found = try coffer.run(
                ["fetch", file, "Author", "--properties", "code", "--format", "csv"] + reading)
            #expect(
                found.lines.map { $0.split(separator: ",").last }
                    == wanted.lines.map { $0.split(separator: ",").last },
                "\(found)")
            #expect(try coffer.run(["metadata", file] + reading).lines.joined().contains("edition"))
            let again = try coffer("store", "copy", "Library", file, "--type", type)
            #expect(again.code == 73 && again.errors.contains("exists already"), "\(again)")
        }
        let unknown = try coffer("store", "copy", "Library", coffer.path("x"), "--type", "memory")
        #expect(unknown.code == 64 && unknown.errors.contains("sqlite, binary or xml"))
    }
}

@Test
func `a store is moved to each type in its place, and is the same by its name`() throws {
    try withLibrary { (coffer) throws in
        try coffer("insert", "Library", "Author", "code=a")
        try coffer("insert", "Library", "Author", "code=b")
        try coffer("metadata", "Library", "edition=4")
        for (number, type) in ["xml", "binary", "sqlite"].enumerated() {
            let moved = try coffer("store", "move", "Library", "--type", type, "--json")
            #expect(moved.code == 0, "\(moved)")
            let line = moved.lines.joined()
            #expect(line.contains(#""store":"Library""#) && line.contains(#""type":"\#(type)""#), "\(line)")
            #expect(line.contains(#""objects":\#(number + 2)"#), "\(line)")
            let inserted = try coffer("insert", "Library", "Author", "code=c\(number)")
            #expect(inserted.code == 0, "\(inserted)")
            let codes = try coffer(
                "fetch", "Library", "Author", "--properties", "code", "--format", "csv", "--sort", "code")
            let wanted = ["a", "b"] + (0...number).map { "c\($0)" }
            #expect(
                codes.lines.dropFirst().compactMap { $0.split(separator: ",").last.map(String.init) }
                    == wanted, "\(codes)")
            #expect(try coffer("metadata", "Library").lines.joined().contains("edition"))
            let again = try coffer("store", "move", "Library", "--type", type)
            #expect(again.code != 0 && again.errors.contains("already"), "\(again)")
        }
        let absent = try coffer("store", "move", "Libary", "--type", "xml")
        #expect(absent.code == 66 && absent.errors.contains("Libary"), "\(absent)")
    }
}

@Test
func `a file is copied without the service, plain, and stays as it is`() throws {
    try withTool { (coffer) throws in
        let model = try coffer.write("model", libraryModel)
        let file = coffer.path("Library.sqlite")
        #expect(try coffer("store", "add", file, "--embedded", "--model", model).code == 0)
        #expect(try coffer("insert", file, "Author", "code=a", "--embedded").code == 0)
        let copy = coffer.path("plain.sqlite")
        let made = try coffer("store", "copy", file, copy, "--type", "sqlite", "--plain", "--embedded")
        #expect(made.code == 0, "\(made)")
        // It is one of Core Data's, so to say: a second copy only reads it.
        let second = try coffer(
            "store", "copy", copy, coffer.path("again.xml"), "--type", "xml", "--embedded")
        #expect(second.code == 0, "\(second)")
        let refused = try coffer("insert", copy, "Author", "code=b", "--embedded")
        #expect(refused.code == 77 && refused.errors.contains("--adopt"), "\(refused)")
        let count = try coffer(
            "fetch", coffer.path("again.xml"), "Author", "--count", "--embedded", "--read-only")
        #expect(count.lines == ["COUNT", "    1"], "\(count)")
    }
}

@Test(arguments: [false, true])
func `a store is made smaller, behind the service and as a file`(isEmbedded: Bool) throws {
    try withLibrary { (coffer) throws in
        for number in 0..<3 { try coffer("insert", "Library", "Author", "code=\(number)") }
        var store = "Library"
        var rest: [String] = []
        if isEmbedded {
            store = coffer.path("copy.sqlite")
            rest = ["--embedded"]
            #expect(try coffer("store", "copy", "Library", store, "--type", "sqlite").code == 0)
        }
        let made = try coffer.run(["store", "vacuum", store, "--json"] + rest)
        #expect(made.code == 0, "\(made)")
        let line = made.lines.joined()
        #expect(line.contains(#""before":"#) && line.contains(#""bytes":"#), "\(line)")
        #expect(try coffer.run(["fetch", store, "Author", "--format", "csv"] + rest).lines.count == 4)
        let absent = try coffer.run(["store", "vacuum", store + "y"] + rest)
        #expect(absent.code == 66, "\(absent)")
    }
}
