import CofferLinux
import CofferSQLite
import Testing

/// The file of the store of entries, looked at with SQLite alone while no other process writes.
struct LogFile {
    /// A saved entry.
    struct Entry: Hashable {
        let writer: Int64
        let sequence: Int64
    }

    let path: String
    private let connection: SQLiteConnection

    /// Opens the file of `store`; a service that has it open must not write meanwhile.
    init(_ service: ServiceUnderTest, store: String = "Log") throws {
        path = LogFile.path(service, store)
        connection = try SQLiteConnection(path: path, mode: .readWrite)
    }

    /// Where a store is.
    static func path(_ service: ServiceUnderTest, _ store: String = "Log") -> String {
        "\(folder(service))/\(store).sqlite"
    }

    /// The folder of the stores of these tests.
    static func folder(_ service: ServiceUnderTest) -> String { "\(service.data)/org.coffer.Tests/Default" }

    /// The entries, each as often as it is there.
    func entries() throws -> [Entry: Int] {
        let statement = try connection.prepare("SELECT ZWRITER, ZSEQUENCE FROM ZENTRY")
        var entries: [Entry: Int] = [:]
        while try statement.step() {
            entries[Entry(writer: statement.int64(0), sequence: statement.int64(1)), default: 0] += 1
        }
        return entries
    }

    /// The sizes of the pictures that are in files of their own, each once with the row that names it; all
    /// that the folder has.
    func pictures() throws -> (inRows: [String], inFolder: [String], sizes: [Int]) {
        let statement = try connection.prepare(
            "SELECT CAST(substr(ZDATA, 2, 36) AS TEXT) FROM ZPICTURE WHERE hex(substr(ZDATA, 1, 1)) = '02'"
        )
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        let support = try Folder(at: "\(path.dropLast("Log.sqlite".count)).Log_SUPPORT")
        let folder = try support.folder("_EXTERNAL_DATA")
        let present = try folder.names().sorted()
        let waiting = try support.folder("_PENDING_Log.sqlite").names()
        return (
            names.sorted(), present + waiting,
            try present.compactMap { try folder.facts(of: $0)?.byteCount }.sorted()
        )
    }

    /// The copies that migrations have kept.
    func copies() throws -> [String] {
        let statement = try connection.prepare(
            "SELECT substr(name, 8) FROM COFFER_STATE WHERE name GLOB 'backup:*' ORDER BY name")
        var names: [String] = []
        while try statement.step() { names.append(statement.text(0)) }
        return names
    }

    /// The entry that each transaction inserted.
    func insertions() throws -> [Int64: Entry] {
        let statement = try connection.prepare(
            "SELECT ZTRANSACTIONID, ZWRITER, ZSEQUENCE FROM ACHANGE JOIN ZENTRY ON ZENTITYPK = ZENTRY.Z_PK")
        var insertions: [Int64: Entry] = [:]
        while try statement.step() {
            insertions[statement.int64(0)] = Entry(writer: statement.int64(1), sequence: statement.int64(2))
        }
        return insertions
    }

    /// Expects what holds of every store: whole, keys below Z_MAX and numbers of transactions without gaps.
    func expectWhole() throws {
        #expect(try connection.integrityCheck() == [])
        #expect(
            try number(
                "SELECT max(Z_PK) - (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Entry') FROM ZENTRY") == 0
        )
        #expect(
            try number("SELECT max(Z_PK) - min(Z_PK) + 1 - count(*) FROM ATRANSACTION") == 0,
            "numbers have no gaps")
        #expect(
            try number(
                "SELECT max(Z_PK) - (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'TRANSACTION') FROM ATRANSACTION"
            )
                <= 0, "history's counter runs ahead")
    }

    /// The number that a statement gives.
    func number(_ sql: String) throws -> Int64 {
        let statement = try connection.prepare(sql)
        return try statement.step() ? statement.int64(0) : -1
    }
}
