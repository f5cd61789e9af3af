import CofferLinux
import Foundation
import TestSupport
import Testing

/// `coffer inspect`, over files that Coffer made and over others.
@Test
func `inspect tells a file's type, model, objects and health as one object, and changes nothing`() throws {
    try withTool { (coffer) throws in
        _ = try Folder(at: coffer.path("")).makeFolders("stores")
        let file = coffer.path("stores/Library.sqlite")
        let model = try coffer.write("model", libraryModel)
        #expect(try coffer("store", "add", file, "--embedded", "--model", model).code == 0)
        #expect(try coffer("insert", file, "Author", "code=a", "--embedded").code == 0)
        let before = try FolderSnapshot(of: coffer.path("stores"))
        let found = try coffer("inspect", file, "--json", "--model-out", coffer.path("models"))
        #expect(found.code == 0 && found.lines.count == 1, "\(found)")
        #expect(try FolderSnapshot(of: coffer.path("stores")) == before)
        let object = try #require(
            JSONSerialization.jsonObject(with: Data((found.lines.first ?? "").utf8)) as? [String: Any])
        #expect(object["storeType"] as? String == "SQLite" && object["modelSource"] as? String == "store")
        #expect(UUID(uuidString: object["uuid"] as? String ?? "") != nil)
        let entities = try #require(object["entities"] as? [[String: Any]])
        #expect(entities.map { $0["name"] as? String } == ["Author", "Book"])
        #expect(entities.map { $0["rows"] as? Int } == [1, 0])
        #expect((entities[0]["attributes"] as? [[String: Any]])?.count == 2)
        #expect((object["history"] as? [String: Any])?["changes"] as? Int == 1)
        let health = try #require(object["health"] as? [String: Any])
        #expect(health["well"] as? Bool == true && health["integrity"] as? [String] == [])
        // What was written is a model like another.
        let shown = try coffer("model", "show", coffer.path("models/Library.xcdatamodel"), "--csv")
        #expect(try shown.lines == coffer("model", "show", model, "--csv").lines)
        let again = try coffer("inspect", file, "--model-out", coffer.path("models"))
        #expect(again.code == 73 && again.errors.contains("exists already"), "\(again)")
    }
}

@Test
func `inspect says of a damaged file what is left, and ends with the code for data`() throws {
    try withTool { (coffer) throws in
        let file = coffer.path("Library.sqlite")
        let model = try coffer.write("model", libraryModel)
        #expect(try coffer("store", "add", file, "--embedded", "--model", model).code == 0)
        let bytes = try Folder(at: coffer.path("")).read("Library.sqlite", limit: 1 << 24)
        // The last page is that of an index or a table; none of them is all ones.
        try Folder(at: coffer.path("")).replace(
            "Library.sqlite", with: bytes.dropLast(4_096) + [UInt8](repeating: 0xFF, count: 4_096))
        let found = try coffer("inspect", file)
        #expect(found.code == 65 && found.errors.isEmpty, "\(found)")
        #expect(found.lines.contains { $0.hasPrefix("integrity") && !$0.contains("well") })
        #expect(found.lines.contains { $0.hasPrefix("Author") })
        let none = try coffer("inspect", model)
        #expect(none.code == 65 && none.errors.contains("not a store"), "\(none)")
        let missing = try coffer("inspect", coffer.path("nowhere.sqlite"))
        #expect(missing.code == 66, "\(missing)")
    }
}
