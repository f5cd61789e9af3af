import CofferFormats
import CofferModel
import FoundationEssentials
import Testing

struct ModelBundleTests {
    private let model = "<model><entity name='NAME'/></model>"

    /// Runs `body` with a folder that holds `files` (text by path), and removes it.
    private func withFolder(_ files: [String: String], _ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "coffer-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (path, text) in files {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try body(folder.path)
    }

    private func bundle(_ names: [String], current: String?) -> [String: String] {
        var files: [String: String] = [:]
        for name in names {
            let entity = "E" + name.filter { $0 != " " }
            files["M.xcdatamodeld/\(name).xcdatamodel/contents"] = model.replacing("NAME", with: entity)
        }
        files["M.xcdatamodeld/.xccurrentversion"] = current.map {
            "<plist><dict><key>_XCCurrentVersionName</key><string>\($0)</string></dict></plist>"
        }
        return files
    }

    @Test func `versions come in order, and the current one is known`() throws {
        let files = bundle(["M", "M 10", "M 2"], current: "M 2.xcdatamodel")
        try withFolder(files) { folder throws in
            let versions = try ModelFile.versions(path: "\(folder)/M.xcdatamodeld")
            #expect(versions.map(\.name) == ["M", "M 2", "M 10"])
            #expect(versions.map(\.isCurrent) == [false, true, false])
            #expect(try ModelFile.read(path: "\(folder)/M.xcdatamodeld").entities.map(\.name) == ["EM2"])
            #expect(try ModelFile.read(path: "\(folder)/M.xcdatamodeld/").entities.map(\.name) == ["EM2"])
        }
    }

    @Test func `the only version is the current one`() throws {
        try withFolder(bundle(["M"], current: nil)) { folder throws in
            #expect(try ModelFile.versions(path: "\(folder)/M.xcdatamodeld").map(\.isCurrent) == [true])
            #expect(try ModelFile.read(path: "\(folder)/M.xcdatamodeld").entities.map(\.name) == ["EM"])
            let version = "\(folder)/M.xcdatamodeld/M.xcdatamodel"
            #expect(try ModelFile.versions(path: version).map(\.name) == ["M"])
            #expect(try ModelFile.versions(path: "\(version)/").map(\.name) == ["M"])
            #expect(try ModelFile.read(path: "\(version)/contents").entities.map(\.name) == ["EM"])
        }
    }

    @Test func `a link to a model is followed`() throws {
        try withFolder(["contents": model]) { folder throws in
            let link = "\(folder)/link"
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: "\(folder)/contents")
            #expect(try ModelFile.read(path: link).entities.map(\.name) == ["NAME"])
        }
    }

    @Test func `several versions without a current one are an error to read, not to list`() throws {
        try withFolder(bundle(["A", "B"], current: nil)) { folder throws in
            #expect(throws: FormatError.self) { try ModelFile.read(path: "\(folder)/M.xcdatamodeld") }
            #expect(
                try ModelFile.versions(path: "\(folder)/M.xcdatamodeld").map(\.isCurrent) == [false, false])
        }
    }

    @Test func `a current version that does not exist is an error`() throws {
        try withFolder(bundle(["A"], current: "B.xcdatamodel")) { folder throws in
            let error = #expect(throws: FormatError.self) {
                try ModelFile.read(path: "\(folder)/M.xcdatamodeld")
            }
            #expect(error?.description.contains("'B.xcdatamodel' does not exist") == true)
        }
    }

    @Test func `an old binary model that is damaged is an error that says so`() throws {
        let files = [
            "M.xcdatamodel/elements": "bplist00", "N.xcdatamodeld/M.xcdatamodel/elements": "bplist00",
        ]
        try withFolder(files) { folder throws in
            for path in ["M.xcdatamodel", "N.xcdatamodeld"] {
                let error = #expect(throws: FormatError.self) {
                    try ModelFile.read(path: "\(folder)/\(path)")
                }
                #expect(error?.description.contains("property list") == true)
            }
        }
    }

    @Test func `what is not there, empty or no file is an error`() throws {
        try withFolder(["empty/x": ""]) { folder throws in
            for path in ["none", "none.xcdatamodeld", "empty", "empty/x"] {
                #expect(throws: FormatError.self) { try ModelFile.read(path: "\(folder)/\(path)") }
                #expect(throws: FormatError.self) { try ModelFile.versions(path: "\(folder)/\(path)") }
            }
            #expect(throws: FormatError.self) { try ModelFile.read(path: "/dev/zero") }
            let link = "\(folder)/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/zero")
            #expect(throws: FormatError.self) { try ModelFile.read(path: link) }
        }
    }
}
