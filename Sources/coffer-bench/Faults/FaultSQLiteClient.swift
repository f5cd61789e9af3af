import CofferLinux
import CofferSQLite

/// SQLite as a caller that knows keys uses it: one compiled statement, a row for each call.
///
/// Confined.
final class FaultSQLiteClient: FaultClient {
    private let contacts: SQLiteClient
    private let keyList: SQLiteStatement
    private let lookup: SQLiteStatement
    private let ageLookup: SQLiteStatement
    private var keys: [Int64] = []

    init(path: String) throws {
        contacts = try SQLiteClient(path: path)
        let connection = try SQLiteConnection(path: path)
        keyList = try connection.prepare("SELECT Z_PK FROM ZCONTACT ORDER BY Z_PK")
        lookup = try connection.prepare("SELECT \(SQLiteClient.columns) FROM ZCONTACT WHERE Z_PK = ?1")
        ageLookup = try connection.prepare("SELECT ZAGE FROM ZCONTACT WHERE Z_PK = ?1")
    }

    func walk(_ body: (Contact) -> Void) throws -> Int {
        try learnKeys()
        for key in keys {
            try lookup.bind(key, at: 1)
            defer { lookup.reset() }
            guard try lookup.step() else { throw BenchError.wrongAnswer("no contact has the key \(key)") }
            body(SQLiteClient.contact(lookup))
        }
        return 0
    }

    func walkWhole(_ body: (Contact) -> Void) throws { try contacts.forEachContact(body) }

    func learnKeys() throws {
        keys.removeAll(keepingCapacity: true)
        while try keyList.step() { keys.append(keyList.int64(0)) }
    }

    func ages(of places: [Int], _ body: (UInt64) -> Void) throws -> [Int32] {
        try places.map { place in
            let start = Monotonic.now
            try ageLookup.bind(keys[place], at: 1)
            defer { ageLookup.reset() }
            guard try ageLookup.step() else { throw BenchError.wrongAnswer("no contact has the key") }
            let age = Int32(truncatingIfNeeded: ageLookup.int64(0))
            body(Monotonic.now - start)
            return age
        }
    }

    /// Only the page cache holds rows.
    func holdAll() throws { try contacts.forEachContact { _ in } }
}
