import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import Foundation
import TestSupport
import Testing

/// Dumps of files with pages that cannot be read.
@Suite struct DamagedDumpTests {
    private static let count = 2_000

    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Note",
                attributes: [
                    AttributeDefinition("title", .string, isOptional: true),
                    AttributeDefinition("price", .decimal, isOptional: true),
                ]),
            EntityDefinition("Task", superentity: "Note"),
            EntityDefinition("Zone", attributes: [AttributeDefinition("name", .string, isOptional: true)]),
        ])
    }

    /// Lends the path of a file with notes, every tenth of which is a task, and two zones; `change` may add.
    private func withNotes(_ change: String = "", _ body: (String) throws -> Void) throws {
        try withTemporaryFolder { path in
            do {
                let file = try StoreFile.open(
                    in: Folder(at: path), fileName: "Notes.sqlite", model: StoreModel(Self.model()))
                let connection = try file.makeWriter().connection
                try connection.execute(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.count)) "
                        + "INSERT INTO ZNOTE(Z_PK, Z_ENT, Z_OPT, ZTITLE) "
                        + "SELECT i, 1 + (i % 10 = 0), 1, 'note number ' || i FROM n")
                try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(Self.count) WHERE Z_ENT = 1")
                try connection.execute("INSERT INTO ZZONE(Z_PK, Z_ENT, Z_OPT) VALUES(1, 3, 1), (2, 3, 1)")
                if !change.isEmpty { try connection.execute(change) }
            }
            try body(path)
        }
    }

    /// Writes nonsense over pages that a query finds.
    private func damage(_ pages: String, in path: String) throws {
        var numbers: [Int] = []
        do {
            let connection = try SQLiteConnection(path: path + "/Notes.sqlite", mode: .readWrite)
            let statement = try connection.prepare("SELECT pageno FROM dbstat WHERE \(pages)")
            while try statement.step() { numbers.append(Int(statement.int64(0))) }
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "/Notes.sqlite"))
        for number in numbers {
            try file.seek(toOffset: UInt64(number - 1) * 4096)
            try file.write(contentsOf: Data(repeating: 0xEE, count: 4096))
        }
        try file.close()
        #expect(!numbers.isEmpty)
    }

    /// The keys of the objects of an entity that a dump of the file has, and the dump.
    private func dump(_ path: String, _ entity: String? = nil) throws -> (keys: [Int], dump: StoreDump) {
        let dump = try StoreDump("Notes.sqlite", in: Folder(at: path), entity: entity, format: .json)
        let bytes = try bytes(of: dump)
        let keys = try bytes.split(separator: UInt8(ascii: "\n")).map { line in
            let object = try #require(JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
            let id = try #require(object["id"] as? String)
            return try #require(id.split(separator: "p").last.flatMap { Int($0) })
        }
        return (keys, dump)
    }

    private func leaf(_ number: Int) -> String {
        "name = 'ZNOTE' AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET \(number)"
    }

    @Test func `a dump goes on behind pages that cannot be read, and tells what is left out`() throws {
        try withNotes { path in
            try damage(leaf(3), in: path)
            try damage(leaf(6), in: path)
            let before = try FolderSnapshot(of: path)
            let (notes, dump) = try dump(path, "Note")
            #expect(try FolderSnapshot(of: path) == before)
            #expect(notes.first == 1 && notes.last == Self.count - 1 && notes == notes.sorted())
            #expect(Set(notes).count == notes.count && notes.allSatisfy { $0 % 10 != 0 })
            let lost = Self.count * 9 / 10 - notes.count
            #expect(lost > 20 && lost < Self.count / 2)
            #expect(dump.unreadable.count == 2)
            #expect(dump.unreadable.texts.allSatisfy { $0.contains("unknown number of at most") })
            #expect(dump.damagedPages().contains { $0.lowercased().contains("page") })
            // What is said covers what is lost, and nothing that is there.
            var covered: Set<Int> = []
            for text in dump.unreadable.texts {
                let bounds = text.split(separator: "Note/p").dropFirst().compactMap { part in
                    Int(part.prefix { $0.isNumber })
                }
                covered.formUnion(bounds[0]...bounds[1])
            }
            #expect(covered.isDisjoint(with: notes))
            #expect(Set(1...Self.count).filter { $0 % 10 != 0 }.subtracting(notes).isSubset(of: covered))
            // The others of the table are read likewise.
            let tasks = try self.dump(path, "Task").keys
            #expect(tasks.last == Self.count && tasks.count > 50 && tasks.count < 200)
        }
    }

    @Test(arguments: [0, -1])
    func `a damaged page at an end of a table costs its rows alone`(place: Int) throws {
        try withNotes { path in
            let order = place < 0 ? "ORDER BY path DESC LIMIT 1" : "ORDER BY path LIMIT 1"
            try damage("name = 'ZNOTE' AND pagetype = 'leaf' \(order)", in: path)
            let (keys, dump) = try dump(path)
            #expect(keys.suffix(2) == [1, 2] && keys.count > Self.count / 2 && keys.count < Self.count)
            #expect(dump.unreadable.count == 2)  // Of notes, and of tasks.
            let text = dump.unreadable.texts.first ?? ""
            #expect(text.contains(place < 0 ? "on, an unknown number" : "from Note/p1 to"), "\(text)")
        }
    }

    @Test func `a table of which nothing can be read is told, and the next is written`() throws {
        try withNotes { path in
            try damage("name = 'ZNOTE' AND path = '/'", in: path)
            let (keys, dump) = try dump(path)
            #expect(keys == [1, 2])
            #expect(dump.unreadable.texts.first?.contains("'Note': the objects from Note/p1 on") == true)
        }
    }

    @Test func `an object whose long value cannot be read is named`() throws {
        let long = "UPDATE ZNOTE SET ZTITLE = hex(zeroblob(20000)) WHERE Z_PK IN (5, 6)"
        try withNotes(long) { path in
            try damage("name = 'ZNOTE' AND pagetype = 'overflow'", in: path)
            let (keys, dump) = try dump(path, "Note")
            #expect(keys.count == Self.count * 9 / 10 - 2 && !keys.contains(5) && !keys.contains(6))
            #expect(dump.unreadable.objectCount == 2)
            #expect(dump.unreadable.texts.first?.contains("'Note/p5' is left out") == true)
        }
    }

    @Test func `what says that it is not a number is dumped as that, and no file of another type takes it`()
        throws
    {
        try withNotes("UPDATE ZNOTE SET ZPRICE = 'NaN' WHERE Z_PK = 5") { path in
            let dump = try StoreDump("Notes.sqlite", in: Folder(at: path), entity: "Note", format: .json)
            let lines = try String(decoding: bytes(of: dump), as: UTF8.self).split(separator: "\n")
            #expect(lines.count { $0.contains("\"price\":\"NaN\"") } == 1)
            let file = try StoreFile.open(
                in: Folder(at: path), fileName: "Notes.sqlite", model: StoreModel(Self.model()))
            for type in [StoreType.xml, .binary] {
                let error = #expect(throws: StoreError.self) {
                    try StoreCopy(of: file, as: type).run(as: "Copy", in: Folder(at: path))
                }
                #expect(error?.description.contains("the decimal NaN has no form") == true, "\(error as Any)")
            }
            _ = try StoreCopy(of: file, as: .sqlite).run(as: "Copy.sqlite", in: Folder(at: path))
            let copy = try SQLiteConnection(path: path + "/Copy.sqlite", mode: .readWrite)
            #expect(try copy.prepare("SELECT 1 FROM ZNOTE WHERE ZPRICE = 'NaN'").step())
        }
    }

    @Test func `a file so damaged that no check can be made of it has that as its problem`() throws {
        try withNotes { path in
            let file = try StoreFile.open(
                in: Folder(at: path), fileName: "Notes.sqlite", model: StoreModel(Self.model()))
            let writer = try file.makeWriter()
            try writer.checkpointFully()
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "/Notes.sqlite"))
            try handle.seek(toOffset: 100)
            try handle.write(contentsOf: Data(repeating: 0xEE, count: 3_900))
            try handle.close()
            let problems = try file.integrityCheck(on: file.makeReader())
            #expect(problems.count == 1 && problems[0].hasPrefix("the check could not go on"), "\(problems)")
        }
    }
}
