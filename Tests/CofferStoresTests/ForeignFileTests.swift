import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import TestSupport
import Testing

/// Files that Coffer did not make: read as they are, and written with consent.
@Suite struct ForeignFileTests {
    private func count(_ entity: String, in file: StoreFile) throws -> Int {
        let reader = try StoreReader(connection: file.makeReader(), schema: file.schema)
        var fetch = FetchDescription(entityName: entity)
        fetch.resultType = .count
        return Int(try reader.fetch(FetchRequestMessage(store: 1, fetch: fetch)).count)
    }

    @Test(arguments: [("delete", false), ("wal", false), ("wal", true)])
    func `reading one changes neither it nor its folder`(mode: String, keepsLog: Bool) throws {
        try ForeignStore.lend(mode: mode, keepsLog: keepsLog) { store in
            let before = try store.snapshot()
            do {
                let file = try store.open(.read)
                #expect(file.isReadOnly && file.isOpenedReadOnly)
                #expect(try count("Tag", in: file) == 3)
                let names = try file.makeReader().prepare("SELECT ZNAME FROM ZTAG WHERE Z_PK = 1")
                #expect(try names.step() && names.isNull(0) == !keepsLog)
                #expect(throws: StoreError.readOnly(path: file.path)) { try file.makeWriter() }
                withExtendedLifetime(file) {}
            }
            #expect(try store.snapshot() == before)
        }
    }

    @Test(arguments: [("delete", false), ("wal", false), ("wal", true)])
    func `writing one takes consent, and says what it gets`(mode: String, keepsLog: Bool) throws {
        try ForeignStore.lend(mode: mode, keepsLog: keepsLog) { store in
            let before = try store.snapshot()
            let error = #expect(throws: StoreError.self) { try store.open(.refused) }
            guard case .notAdopted(let path, let additions)? = error else {
                return #expect(Bool(false), "\(error as Any)")
            }
            #expect(path == "\(store.folder)/\(ForeignStore.name)")
            for part in ["COFFER_", "history"] { #expect(additions.contains { $0.contains(part) }) }
            #expect(additions.contains { $0.contains("WAL") } == (mode != "wal"))
            #expect(error?.reason == "not_adopted" && error?.description.contains("--adopt") == true)
            #expect(try store.snapshot() == before)
        }
    }

    @Test(arguments: [("delete", false), ("wal", false), ("wal", true)])
    func `an adopted one is a store like any other`(mode: String, keepsLog: Bool) throws {
        try ForeignStore.lend(mode: mode, keepsLog: keepsLog) { store in
            do {
                let bench = try Bench(store.open(.adopted))
                #expect(try bench.save(inserts: [bench.insert("Tag")]).saved.firstKeys == [4])
                #expect(try bench.writer.integrityCheck() == [])
                let logged = try bench.query("SELECT count(*) FROM ZTAG WHERE ZNAME = 'in the log'")
                #expect(logged == [keepsLog ? "1" : "0"])
            }
            // Once is enough.
            let file = try store.open(.refused)
            #expect(!file.isReadOnly && file.adoption == nil)
            #expect(try count("Tag", in: file) == 4)
        }
    }

    private static let unknownHistory =
        "CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZCHANGETYPE INTEGER); "
        + "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR)"

    private static let uncounted =
        "CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, "
        + "ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB); "
        + "CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, "
        + "ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, "
        + "ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR); "
        + "CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)"

    private static let counters =
        "; INSERT INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES(16001, 'CHANGE', 0, 0), "
        + "(16002, 'TRANSACTION', 0, 0), (16003, 'TRANSACTIONSTRING', 0, 0)"

    private static let bareTree =
        "CREATE VIRTUAL TABLE Z_RT_Tag_x USING RTREE (Z_PK INTEGER PRIMARY KEY, ZX_MIN FLOAT, ZX_MAX FLOAT)"

    private static let treeTriggers = [
        "CREATE TRIGGER Z_RT_Tag_x_INSERT AFTER INSERT ON ZTAG FOR EACH ROW BEGIN INSERT OR REPLACE INTO Z_RT_Tag_x "
            + "(Z_PK, ZX_MIN, ZX_MAX) VALUES (NEW.Z_PK, NEW.Z_OPT ,NEW.Z_OPT) ; END",
        "CREATE TRIGGER Z_RT_Tag_x_UPDATE AFTER UPDATE ON ZTAG FOR EACH ROW BEGIN DELETE FROM Z_RT_Tag_x "
            + "WHERE Z_PK = NEW.Z_PK ; INSERT INTO Z_RT_Tag_x (Z_PK, ZX_MIN, ZX_MAX) "
            + "VALUES (NEW.Z_PK, NEW.Z_OPT ,NEW.Z_OPT) ; END",
        "CREATE TRIGGER Z_RT_Tag_x_DELETE AFTER DELETE ON ZTAG FOR EACH ROW BEGIN DELETE FROM Z_RT_Tag_x "
            + "WHERE Z_PK = OLD.Z_PK ; END",
    ]

    /// An r-tree with those of its triggers, and one of them with words exchanged.
    private static func tree(_ triggers: [Int], _ old: String = "ON ZTAG", _ new: String = "ON ZTAG")
        -> String
    {
        let all = triggers.map { treeTriggers[$0] }
        let changed = all.dropLast() + all.suffix(1).map { $0.replacing(old, with: new) }
        return ([bareTree] + changed).joined(separator: "; ")
    }

    private static let texts =
        "CREATE VIRTUAL TABLE words USING fts5(name); CREATE TRIGGER words_insert AFTER INSERT ON ZTAG BEGIN "
        + "INSERT INTO words(rowid, name) VALUES (NEW.Z_PK, NEW.ZNAME); END"

    private static let tree =
        "CREATE VIRTUAL TABLE Z_RT_Tag_x USING RTREE (Z_PK INTEGER PRIMARY KEY, ZX_MIN FLOAT, ZX_MAX FLOAT); "
        + "CREATE TRIGGER Z_RT_Tag_x_DELETE AFTER DELETE ON ZTAG FOR EACH ROW BEGIN "
        + "DELETE FROM Z_RT_Tag_x WHERE Z_PK = OLD.Z_PK ; END; "
        + "CREATE TRIGGER other AFTER UPDATE OF ZNAME ON ZTAG BEGIN UPDATE ZBOX SET Z_OPT = 1 WHERE Z_PK = NEW.Z_PK; END"

    private static let endless =
        "CREATE TRIGGER ever AFTER INSERT ON ZTAG BEGIN "
        + "SELECT (WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c); END"

    @Test(arguments: [
        ("CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY)", "CloudKit"),
        ("CREATE TABLE COFFER_MODEL (id)", "'COFFER_MODEL'"), (unknownHistory, "columns than Core Data"),
        (uncounted + "; INSERT INTO ATRANSACTION(Z_PK) VALUES(1)", "Z_PRIMARYKEY"), (tree, "r-trees"),
        (endless, "trigger 'ever'"), (bareTree, "'Z_RT_Tag_x' would go stale"),
        (tree([0, 1]), "'Z_RT_Tag_x' would go stale"), (tree([0, 2]), "'Z_RT_Tag_x' would go stale"),
        (tree([2, 0, 1], "ON ZTAG", "ON ZBOX"), "'Z_RT_Tag_x' would go stale"),
        (texts, "'words' would go stale"), ("CREATE VIRTUAL TABLE words USING fts5(name)", "'words'"),
    ])
    func `what could not be kept right is refused with its reason, and read and copied all the same`(
        sql: String, reason: String
    ) throws {
        try ForeignStore.lend(adding: sql) { store in
            let before = try store.snapshot()
            for policy in [ForeignFiles.refused, .adopted] {
                let error = #expect(throws: StoreError.self) { try store.open(policy) }
                guard case .unadoptable(_, let detail)? = error else {
                    return #expect(Bool(false), "\(error as Any)")
                }
                #expect(detail.contains(reason) && error?.reason == "unadoptable")
            }
            #expect(try store.snapshot() == before)
            do {
                let file = try store.open(.read)
                #expect(try count("Tag", in: file) == 3)
                try withTemporaryFolder { path in
                    let made = try StoreBackup(of: file, in: Folder(at: path), as: "Copy.sqlite").run()
                    #expect(made?.uuid == file.uuid)
                }
            }
            #expect(try store.snapshot() == before)
        }
    }

    @Test func `an r-tree that its file keeps along is right after what an adopted store saves`() throws {
        try ForeignStore.lend(adding: Self.tree([0, 1, 2])) { store in
            let bench = try Bench(store.open(.adopted))
            try bench.save(inserts: [bench.insert("Tag")])
            try bench.save(updates: [bench.update("Tag", 4, version: 1, [bench.text("Tag", "name", ["a"])])])
            let places = "SELECT CAST(ZX_MIN AS INTEGER) FROM Z_RT_Tag_x WHERE Z_PK = 4"
            #expect(try bench.query(places) == ["2"])
            try bench.save(deletes: [bench.delete("Tag", [4], version: 2)])
            #expect(try bench.query(places) == [])
        }
    }

    @Test(arguments: [uncounted, uncounted + counters])
    func `a history without a row is adopted, whether or not the file counts it`(sql: String) throws {
        try ForeignStore.lend(adding: sql) { store in
            let bench = try Bench(store.open(.adopted))
            #expect(try bench.save(inserts: [bench.insert("Tag")]).saved.number == 1)
            #expect(try bench.query("SELECT Z_PK, ZENTITYPK FROM ACHANGE") == ["1|4"])
            let counted = "SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 AND Z_MAX > 0 ORDER BY Z_ENT"
            #expect(try bench.query(counted) == ["CHANGE", "TRANSACTION", "TRANSACTIONSTRING"])
        }
        try ForeignStore.lend(adding: sql) { store in
            let error = #expect(throws: StoreError.self) { try store.open(.refused) }
            #expect(error?.description.contains("NSPersistentHistoryTrackingKey") == false)
        }
    }

    @Test func `consent is asked for history tracking in words that say what it means for others`() throws {
        try ForeignStore.lend { store in
            let error = #expect(throws: StoreError.self) { try store.open(.refused) }
            let text = error?.description ?? ""
            #expect(text.contains("without NSPersistentHistoryTrackingKey can only read it"), "\(text)")
            #expect(text.contains("--plain"), "\(text)")
        }
    }

    @Test func `a history that is not read is told of as that, and not as damage`() throws {
        try ForeignStore.lend(adding: Self.unknownHistory) { store in
            let file = try store.open(.read)
            let reader = try HistoryReader(connection: file.makeReader(), file: file)
            #expect(throws: StoreError.unknownHistory(path: file.path)) {
                try reader.reply(to: HistoryRequestMessage(store: 1, storeUUID: nil, after: 0))
            }
        }
    }

    @Test func `one that does not fit its model is refused as that, and stays as it is`() throws {
        try ForeignStore.lend(adding: "ALTER TABLE ZTAG RENAME COLUMN ZNAME TO ZOTHER") { store in
            let before = try store.snapshot()
            for policy in [ForeignFiles.refused, .read, .adopted] {
                let error = #expect(throws: StoreError.self) { try store.open(policy) }
                guard case .damaged? = error else { return #expect(Bool(false), "\(error as Any)") }
                #expect(try store.snapshot() == before)
            }
        }
    }

    @Test func `a write that was cut short is told of, and undone only by a writer`() throws {
        try ForeignStore.lend(tags: 2_000) { store in
            let folder = try Folder(at: store.folder)
            do {
                let writer = try SQLiteConnection(
                    path: "\(store.folder)/\(ForeignStore.name)", mode: .readWrite)
                try writer.execute("PRAGMA cache_size = 2; BEGIN")
                try writer.execute("UPDATE ZTAG SET ZNAME = Z_PK || hex(zeroblob(100))")
                for suffix in ["", "-journal"] {
                    let bytes = try folder.read(ForeignStore.name + suffix, limit: 1 << 30)
                    try folder.replace("Cut.sqlite" + suffix, with: bytes)
                }
                try writer.rollback()
            }
            for suffix in ["", "-journal"] {
                try folder.rename("Cut.sqlite" + suffix, to: ForeignStore.name + suffix)
            }
            let before = try store.snapshot()
            for policy in [ForeignFiles.refused, .read] {
                #expect(throws: StoreError.unfinishedWrite(path: "\(store.folder)/\(ForeignStore.name)")) {
                    try store.open(policy)
                }
                #expect(try store.snapshot() == before)
            }
            let bench = try Bench(store.open(.adopted))
            #expect(try bench.query("SELECT count(*) FROM ZTAG WHERE ZNAME IS NULL") == ["2000"])
            #expect(try bench.writer.integrityCheck() == [])
        }
    }
}
