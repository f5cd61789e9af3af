import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import Foundation
import TestSupport
import Testing

/// What is found out of a file when nothing may change.
struct InspectionTests {
    /// Lends a folder with the store of two pictures whose data are in files.
    private func withPictures(_ body: (String) throws -> Void) throws {
        try withTemporaryFolder { path in
            do {
                let bench = try Bench(Gallery.open(in: path))
                try bench.save(inserts: [bench.pictures([Gallery.large(1), Gallery.large(2)])])
            }
            try body(path)
        }
    }

    private func inspect(_ path: String, _ name: String = "Test.sqlite") throws -> StoreInspection {
        try StoreInspector.inspect(name, in: Folder(at: path))
    }

    /// Lets a plain connection change the store's file.
    private func change(_ path: String, _ statements: String...) throws {
        let connection = try SQLiteConnection(path: path + "/Test.sqlite", mode: .readWrite)
        for statement in statements { try connection.execute(statement) }
    }

    @Test func `a store of ours is told with its model, objects, history and files`() throws {
        try withPictures { path in
            let before = try FolderSnapshot(of: path)
            let found = try inspect(path)
            #expect(try FolderSnapshot(of: path) == before)
            #expect(found.isOwn && found.modelSource == .store && found.storeType == "SQLite")
            #expect(found.entities.map(\.name) == ["Album", "Picture"])
            #expect(found.entities.map(\.rows) == [0, 2])
            #expect(found.entities[1].attributes.map(\.name) == ["code", "data", "mask"])
            #expect(found.entities[1].relationships.map(\.destination) == ["Album"])
            #expect(found.history?.changes == 2)
            #expect(found.sizes.externalFiles == 2 && found.sizes.external == 300_000)
            #expect(found.health.isWell && found.health.integrity == [] && found.health.writing == .ready)
        }
    }

    @Test func `a file with a value that is gone is named`() throws {
        try withPictures { path in
            let name = try #require(try Gallery.files(in: path).placed.sorted().first)
            _ = try Folder(at: path).unlink(".Test_SUPPORT/_EXTERNAL_DATA/\(name)")
            let found = try inspect(path)
            #expect(found.health.missingFiles == [".Test_SUPPORT/_EXTERNAL_DATA/\(name)"])
            #expect(found.health.missingFileCount == 1 && !found.health.isWell)
            #expect(found.entities.map(\.rows) == [0, 2])
        }
    }

    @Test func `tables and triggers that nobody knows are named, and harm nothing`() throws {
        try withPictures { path in
            try change(
                path, "CREATE TABLE notes (text)",
                "CREATE TRIGGER watch AFTER INSERT ON ZALBUM BEGIN INSERT INTO notes VALUES ('new'); END")
            let found = try inspect(path)
            #expect(found.health.unknownTables == ["notes"])
            #expect(found.health.unknownTriggers == ["watch"])
            #expect(found.health.isWell)
        }
    }

    @Test func `rows of an entity that there is none of are told`() throws {
        try withPictures { path in
            try change(path, "UPDATE ZPICTURE SET Z_ENT = 77 WHERE Z_PK = 1")
            let found = try inspect(path)
            #expect(found.entities.map(\.rows) == [0, 1])
            #expect(found.health.problems.contains { $0.contains("1 rows of ZPICTURE are of the entity 77") })
        }
    }

    @Test func `what is wrong with many rows is told of some`() throws {
        try withPictures { path in
            try change(
                path,
                "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) "
                    + "INSERT INTO ZPICTURE(Z_PK, Z_ENT, Z_OPT) SELECT i, i, 1 FROM n")
            #expect(try inspect(path).health.problems.count == 100)
        }
    }

    @Test func `of a store with damaged pages the rest is told all the same`() throws {
        try withPictures { path in
            try change(path, "PRAGMA wal_checkpoint(TRUNCATE)")
            let root: Int = try {
                let connection = try SQLiteConnection(path: path + "/Test.sqlite", mode: .readWrite)
                let statement = try connection.prepare(
                    "SELECT rootpage FROM sqlite_master WHERE name = 'ZPICTURE'")
                _ = try statement.step()
                return Int(statement.int64(0))
            }()
            let file = try #require(FileHandle(forUpdatingAtPath: path + "/Test.sqlite"))
            try file.seek(toOffset: UInt64((root - 1) * 4_096))
            try file.write(contentsOf: [UInt8](repeating: 0xFF, count: 4_096))
            try file.close()
            let found = try inspect(path)
            #expect(found.entities.map(\.rows) == [0, nil])
            #expect(found.health.integrity?.isEmpty != true && !found.health.isWell)
            #expect(found.uuid != nil && found.history != nil)
        }
    }

    @Test func `without a model entities are counted by what the file numbers`() throws {
        try withPictures { path in
            try change(path, "DELETE FROM Z_MODELCACHE", "DROP TABLE COFFER_MODEL", "DROP TABLE COFFER_STATE")
            let found = try inspect(path)
            #expect(found.modelSource == .guessed && found.model?.entities.count == 2)
            #expect(found.entities.map(\.name) == ["Album", "Picture"])
            #expect(found.entities.map(\.rows) == [0, 2])
            let given = try StoreInspector.inspect(
                "Test.sqlite", in: Folder(at: path), model: Gallery.model())
            #expect(given.modelSource == .given && given.entities[1].attributes.count == 3)
        }
    }

    @Test(arguments: ["", "not a store", "SQLite format 3\0 and then nothing of it"])
    func `a file that is not a store is said not to be one`(content: String) throws {
        try withTemporaryFolder { path in
            try Folder(at: path).replace("Test.sqlite", with: Array(content.utf8))
            let error = #expect(throws: StoreError.self) { try inspect(path) }
            #expect(error?.reason == "not_a_store", "\(error as Any)")
        }
    }

    @Test func `an XML store is told with its objects`() throws {
        try withTemporaryFolder { path in
            let text = """
                <?xml version="1.0"?>
                <database><databaseInfo><version>134481920</version>
                <UUID>343C8D7F-A000-42C4-8463-43FA1E5EF3FB</UUID><nextObjectID>103</nextObjectID>
                <metadata><plist version="1.0"><dict><key>NSPersistenceFrameworkVersion</key><integer>977</integer>
                <key>NSStoreModelVersionHashes</key><dict><key>Truck</key><data>AA==</data><key>Car</key><data>AA==</data></dict>
                <key>NSStoreType</key><string>XML</string></dict></plist></metadata></databaseInfo>
                <object type="CAR" id="z102"><attribute name="year" type="int32">2006</attribute></object></database>
                """
            try Folder(at: path).replace("Cars.xml", with: Array(text.utf8))
            let found = try inspect(path, "Cars.xml")
            #expect(found.storeType == "XML" && found.frameworkVersion == 977)
            #expect(found.entities.map(\.name) == ["Car", "Truck"])
            #expect(found.entities.map(\.rows) == [1, 0])
            #expect(found.modelSource == .guessed && found.health.problems == [])
            guard case .refused = found.health.writing else {
                return #expect(Bool(false), "\(found.health.writing)")
            }
        }
    }

    @Test(arguments: [StoreType.binary, .xml])
    func `a whole-file store of ours is told with its model, and is ready`(type: StoreType) throws {
        try withTemporaryFolder { path in
            do {
                var options = StoreOptions()
                options.type = type
                let bench = try Bench(
                    StoreFile.open(
                        in: Folder(at: path), fileName: "Test", model: StoreModel(Gallery.model()),
                        options: options))
                try bench.save(inserts: [bench.pictures([[1], [2]])])
            }
            let found = try inspect(path, "Test")
            #expect(found.isOwn && found.modelSource == .store && found.health.writing == .ready)
            #expect(found.storeType.lowercased() == "\(type)")
            #expect(found.entities.first { $0.name == "Picture" }?.rows == 2)
            #expect(found.entities.last?.attributes.map(\.name) == ["code", "data", "mask"])
        }
    }
}

/// What Core Data wrote, counted again in plain SQL.
@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct InspectionFixtureTests {
    @Test(arguments: StoreFixtures.all)
    func `the entities of a store of Core Data's have as many rows as its tables say`(
        fixture: String
    ) throws {
        try withTemporaryFolder { path in
            let name = try StoreFixtures.copy(fixture, to: path)
            let before = try FolderSnapshot(of: path)
            let found = try StoreInspector.inspect(name, in: Folder(at: path))
            #expect(try FolderSnapshot(of: path) == before)
            #expect(found.health.isWell, "\(found.health)")
            let connection = try SQLiteConnection(path: "\(path)/\(name)", mode: .readWrite)
            let numbers = try connection.prepare("SELECT Z_NAME, Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT < 16001")
            var numbered = 0
            while try numbers.step() {
                numbered += 1
                // A store that was migrated in its place may keep the former name of an entity.
                let name = numbers.text(0) == "ExpensiveSportCar" ? "LuxuryCar" : numbers.text(0)
                let entity = try #require(
                    found.entities.first { $0.name == name }
                        ?? found.entities.first { $0.name == numbers.text(0) })
                var count = 0
                let tables = try connection.prepare(
                    "SELECT m.name FROM sqlite_master m, pragma_table_info(m.name) c "
                        + "WHERE m.type = 'table' AND m.name GLOB 'Z*' AND c.name = 'Z_OPT'")
                while try tables.step() {
                    let rows = try connection.prepare(
                        "SELECT count(*) FROM \"\(tables.text(0))\" WHERE Z_ENT = \(numbers.int64(1))")
                    if try rows.step() { count += Int(rows.int64(0)) }
                }
                #expect(entity.rows == count, "\(entity.name)")
            }
            #expect(numbered == found.entities.count)
        }
    }
}
