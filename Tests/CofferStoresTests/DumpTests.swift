import CofferLinux
import CofferSQLite
import CofferStores
import Foundation
import TestSupport
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

/// The objects of a dump as JSON.
private func objects(of dump: StoreDump) throws -> [[String: Any]] {
    try bytes(of: dump).split(separator: UInt8(ascii: "\n")).map { line in
        try #require(JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
    }
}

/// Objects as they are written.
struct DumpTests {
    /// Lends a folder with the store of pictures whose data are in files.
    private func withPictures(_ body: (String) throws -> Void) throws {
        try withTemporaryFolder { path in
            do {
                let bench = try Bench(Gallery.open(in: path))
                try bench.save(inserts: [bench.pictures([Gallery.large(1), Gallery.large(2)])])
            }
            try body(path)
        }
    }

    private func dump(_ path: String, _ format: DumpFormat, entity: String? = nil) throws -> StoreDump {
        try StoreDump("Test.sqlite", in: Folder(at: path), entity: entity, format: format)
    }

    @Test func `a dump has the values of files, and changes nothing`() throws {
        try withPictures { path in
            let before = try FolderSnapshot(of: path)
            let found = try objects(of: dump(path, .json))
            #expect(try FolderSnapshot(of: path) == before)
            #expect(found.map { $0["id"] as? String } == ["Picture/p1", "Picture/p2"])
            let data = found.map { ($0["values"] as? [String: Any])?["data"] as? String }
            #expect(data == [1, 2].map { Data(Gallery.large($0)).base64EncodedString() })
        }
    }

    @Test func `a value whose file is gone is null and told, and the others are there`() throws {
        try withPictures { path in
            let name = try #require(try Gallery.files(in: path).placed.sorted().first)
            _ = try Folder(at: path).unlink(".Test_SUPPORT/_EXTERNAL_DATA/\(name)")
            let dump = try dump(path, .json)
            let values = try objects(of: dump).map { $0["values"] as? [String: Any] }
            #expect(values.count { $0?["data"] is NSNull } == 1)
            #expect(values.count { $0?["data"] is String } == 1)
            #expect(dump.missingValueCount == 1)
            #expect(dump.missingValues.first?.contains(name) == true, "\(dump.missingValues)")
        }
    }

    @Test(arguments: ["<&>\"'", "a,b\n\r\tc", " ", "", "\u{1}\u{0}x", "\u{FFFE}", "Zoë 🎈"])
    func `any text comes through each format`(text: String) throws {
        try withPictures { path in
            do {
                let connection = try SQLiteConnection(path: path + "/Test.sqlite", mode: .readWrite)
                let statement = try connection.prepare("UPDATE ZPICTURE SET ZCODE = ?1 WHERE Z_PK = 1")
                try statement.bind(text, at: 1)
                try statement.run()
            }
            let found = try objects(of: dump(path, .json))
            #expect((found[0]["values"] as? [String: Any])?["code"] as? String == text)
            let document = try Elements(bytes(of: dump(path, .xml)))
            #expect(document.texts["Picture/p1 code"] == text)
            let copy = try SQLiteConnection(path: path + "/copy.db", mode: .readWriteCreate)
            try copy.execute(String(decoding: bytes(of: dump(path, .sql)), as: UTF8.self))
            let statement = try copy.prepare("SELECT code FROM Picture WHERE id = 'Picture/p1'")
            #expect(try statement.step() && statement.text(0) == text)
            let table = try String(decoding: bytes(of: dump(path, .csv, entity: "Picture")), as: UTF8.self)
            let quoted = "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
            #expect(table.contains("\nPicture/p1,,\(quoted),") || table.contains("\nPicture/p1,,\(text),"))
            #expect(table.hasPrefix("id,album,code,data,mask\n"))
        }
    }

    @Test func `what was written until a dump was given up can be read`() throws {
        try withPictures { path in
            for format in [DumpFormat.xml, .sql] {
                let dump = try dump(path, format)
                var piece: [UInt8] = []
                #expect(try dump.write(to: &piece))
                dump.abandon(&piece)
                let count = dump.objectCount
                #expect(count == 1)
                var rest: [UInt8] = []
                #expect(try !dump.write(to: &rest) && rest.isEmpty)
                if format == .xml {
                    #expect(try Elements(piece).ids == ["Picture/p1"])
                } else {
                    let copy = try SQLiteConnection(path: path + "/copy.db", mode: .readWriteCreate)
                    try copy.execute(String(decoding: piece, as: UTF8.self))
                    #expect(try copy.pragma("schema_version") == "0")
                }
            }
        }
    }

    @Test func `a file that keeps no model is written by the one that is given`() throws {
        try withPictures { path in
            do {
                let connection = try SQLiteConnection(path: path + "/Test.sqlite", mode: .readWrite)
                for table in ["Z_MODELCACHE", "COFFER_MODEL", "COFFER_STATE"] {
                    try connection.execute("DROP TABLE \(table)")
                }
            }
            #expect(try dump(path, .json).isModelGuessed)
            let found = try objects(
                of: StoreDump("Test.sqlite", in: Folder(at: path), model: Gallery.model(), format: .json))
            #expect(found.map { $0["id"] as? String } == ["Picture/p1", "Picture/p2"])
        }
    }

    @Test func `an entity that there is none of is refused`() throws {
        try withPictures { path in
            let error = #expect(throws: StoreError.self) { try dump(path, .json, entity: "Film") }
            #expect(error == .unknownEntity("Film"))
        }
    }
}

/// What an XML dump holds.
private final class Elements: NSObject, XMLParserDelegate {
    private(set) var ids: [String] = []
    private(set) var texts: [String: String] = [:]
    private var path = ""
    private var isEncoded = false
    private var text = ""

    init(_ bytes: [UInt8]) throws {
        super.init()
        let parser = XMLParser(data: Data(bytes))
        parser.delegate = self
        try #require(parser.parse(), "\(parser.parserError as Any)")
    }

    func parser(
        _ parser: XMLParser, didStartElement element: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        if let id = attributes["id"] { ids.append(id) }
        path = "\(ids.last ?? "") \(attributes["name"] ?? "")"
        isEncoded = attributes["encoding"] == "base64"
        text = ""
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(
        _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
    ) {
        guard element == "attribute" || element == "relationship" else { return }
        texts[path] =
            isEncoded
            ? Data(base64Encoded: text).map { String(decoding: $0, as: UTF8.self) } : text
    }
}

/// What Core Data wrote, compared with plain SQL.
@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct DumpFixtureTests {
    @Test(arguments: StoreFixtures.all)
    func `every object of a store of Core Data's is in each dump with its texts and numbers`(
        fixture: String
    ) throws {
        try withTemporaryFolder { path in
            let name = try StoreFixtures.copy(fixture, to: path)
            let folder = try Folder(at: path)
            let before = try FolderSnapshot(of: path)
            guard try StoreInspector.inspect(name, in: folder).model != nil else {
                let error = #expect(throws: StoreError.self) {
                    try StoreDump(name, in: folder, format: .json)
                }
                #expect(error?.reason == "unknown_model", "\(error as Any)")
                return
            }
            let found = try objects(of: StoreDump(name, in: folder, format: .json))
            let statements = try bytes(of: StoreDump(name, in: folder, format: .sql))
            let document = try Elements(bytes(of: StoreDump(name, in: folder, format: .xml)))
            #expect(try FolderSnapshot(of: path) == before)
            #expect(document.ids == found.map { $0["id"] as? String ?? "" })

            let copy = try SQLiteConnection(path: path + "/copy.db", mode: .readWriteCreate)
            try copy.execute(String(decoding: statements, as: UTF8.self))
            let connection = try SQLiteConnection(path: "\(path)/\(name)", mode: .readWrite)
            var count = 0
            let inspection = try StoreInspector.inspect(name, in: folder)
            for entity in inspection.entities {
                let own = found.filter { $0["entity"] as? String == entity.name }
                #expect(own.count == entity.rows, "\(entity.name)")
                let copied = try copy.prepare("SELECT count(*) FROM \"\(entity.name)\"")
                #expect(try copied.step() && Int(copied.int64(0)) == entity.rows)
                try compare(own, entity, of: inspection, on: connection)
                count += own.count
            }
            #expect(count == found.count)
        }
    }

    /// Compares attributes whose columns have their plain names.
    private func compare(
        _ objects: [[String: Any]], _ entity: StoreInspection.Entity, of inspection: StoreInspection,
        on connection: SQLiteConnection
    ) throws {
        var root = entity
        while let parent = inspection.entities.first(where: { $0.name == root.parent }) { root = parent }
        let table = "Z" + root.name.uppercased()
        var columns: Set<String> = []
        let names = try connection.prepare("SELECT name FROM pragma_table_info('\(table)')")
        while try names.step() { columns.insert(names.text(0)) }
        for attribute in entity.attributes {
            let column = "Z" + attribute.name.uppercased()
            guard columns.contains(column), !columns.contains(column + "1") else { continue }
            let isText = attribute.type == "String"
            guard isText || attribute.type.hasPrefix("Integer") else { continue }
            let row = try connection.prepare("SELECT \(column) FROM \(table) WHERE Z_PK = ?1")
            for object in objects {
                let key = try #require((object["id"] as? String)?.split(separator: "/p").last)
                try row.bind(#require(Int64(key)), at: 1)
                try #require(try row.step())
                let value = (object["values"] as? [String: Any])?[attribute.name]
                if row.isNull(0) {
                    #expect(value is NSNull)
                } else if isText {
                    #expect(value as? String == row.text(0))
                } else {
                    #expect((value as? NSNumber)?.int64Value == row.int64(0))
                }
                row.reset()
            }
        }
    }
}
