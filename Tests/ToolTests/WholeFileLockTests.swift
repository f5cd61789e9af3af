import CofferLinux
import TestSupport
import Testing

/// Stores on file systems that know only locks on whole files, by the real tool.
@Test(
    .enabled(if: CurrentProcess.userID == 0, "only root may take locks from others")
)
func `every command works where only whole files can be locked`() throws {
    try withTool { (coffer) throws in
        let model = try coffer.write("model", libraryModel)
        let store = coffer.path("Books.sqlite")
        func run(_ arguments: String..., fails: Bool = false) throws -> [String] {
            let outcome = try coffer.withoutRangeLocks(arguments)
            #expect((outcome.code != 0) == fails, "\(arguments) \(outcome)")
            return outcome.lines
        }
        func codes(_ store: String) throws -> [String] {
            try run(
                "fetch", store, "Author", "--embedded", "--properties", "code", "--sort", "code", "--format",
                "csv"
            ).dropFirst().compactMap { $0.split(separator: ",").last.map(String.init) }
        }
        _ = try run("store", "add", store, "--model", model, "--embedded")
        for code in ["a", "b"] { _ = try run("insert", store, "Author", "code=\(code)", "--embedded") }
        #expect(try codes(store) == ["a", "b"])
        // Without a log, which takes memory that several processes share.
        #expect(try !Folder(at: coffer.path("")).names().contains { $0.hasSuffix("-wal") })

        _ = try run("metadata", store, "edition=4", "--embedded")
        #expect(try run("metadata", store, "--embedded").joined().contains("edition"))
        let copy = coffer.path("Copy.sqlite")
        _ = try run("store", "backup", store, copy, "--embedded")
        #expect(try codes(copy) == ["a", "b"])
        for type in ["sqlite", "binary", "xml"] {
            let file = coffer.path("Other.\(type)")
            _ = try run("store", "copy", store, file, "--embedded", "--type", type, "--plain")
            #expect(try run("inspect", file).joined().contains("Author"))
        }
        _ = try run("store", "vacuum", store, "--embedded")
        let smaller = try coffer.write(
            "smaller",
            libraryModel.replacing(
                #"<attribute name="name" optional="YES" attributeType="String"/>"#, with: ""))
        _ = try run("migrate", store, "--to", smaller, "--embedded")
        #expect(try codes(store) == ["a", "b"])
        #expect(try run("dump", store, "--format", "json").joined().contains(#""code":"a""#))
        _ = try run("store", "remove", store, "--embedded", "--yes")
        #expect(try !Folder(at: coffer.path("")).exists("Books.sqlite"))
    }
}
