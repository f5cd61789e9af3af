import CofferLinux
import CofferSQLite
import FoundationEssentials

/// SQLite as a careful application uses it: statements compiled once, WAL, durable commits.
///
/// Confined. Table and index are those of Coffer's own store for the entity, without history.
final class SQLiteClient: GroupClient {
    static let columns = "ZAGE, ZBALANCE, ZCREATED, ZCITY, ZEMAIL, ZFIRSTNAME, ZLASTNAME, ZPHONE"
    /// How often a watcher looks whether the file was changed.
    private static let pollInterval = Duration.milliseconds(1)

    private let connection: SQLiteConnection
    private let insertion: SQLiteStatement
    private let update: SQLiteStatement
    private let lookup: SQLiteStatement
    private let keyLookup: SQLiteStatement
    private let cityLookup: SQLiteStatement
    private let all: SQLiteStatement
    private var heldKeys: [Int64] = []
    private var seenVersion: Int64 = 0

    init(path: String) throws {
        connection = try SQLiteConnection(path: path)
        try connection.setBusyTimeout(milliseconds: 5_000)
        for (pragma, value) in [("page_size", "4096"), ("journal_mode", "wal"), ("synchronous", "FULL")] {
            _ = try connection.pragma(pragma, value)
        }
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS ZCONTACT ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
            ZAGE INTEGER, ZBALANCE FLOAT, ZCREATED TIMESTAMP, ZCITY VARCHAR, ZEMAIL VARCHAR, ZFIRSTNAME VARCHAR, \
            ZLASTNAME VARCHAR, ZPHONE VARCHAR );
            CREATE UNIQUE INDEX IF NOT EXISTS Z_Contact_UNIQUE_email ON ZCONTACT (ZEMAIL COLLATE BINARY ASC)
            """)
        insertion = try connection.prepare(
            "INSERT INTO ZCONTACT (Z_ENT, Z_OPT, \(Self.columns)) VALUES (1, 1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        )
        update = try connection.prepare("UPDATE ZCONTACT SET ZCITY = ?1, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?2")
        lookup = try connection.prepare("SELECT \(Self.columns) FROM ZCONTACT WHERE ZEMAIL = ?1")
        keyLookup = try connection.prepare("SELECT Z_PK FROM ZCONTACT WHERE ZEMAIL = ?1")
        cityLookup = try connection.prepare("SELECT ZCITY FROM ZCONTACT WHERE Z_PK = ?1")
        all = try connection.prepare("SELECT \(Self.columns) FROM ZCONTACT")
    }

    func insert(_ contacts: ArraySlice<Contact>) throws {
        try connection.begin()
        for contact in contacts {
            try insertion.bind(Int64(contact.age), at: 1)
            try insertion.bind(contact.balance, at: 2)
            try insertion.bind(contact.created.timeIntervalSinceReferenceDate, at: 3)
            try insertion.bind(contact.city, at: 4)
            try insertion.bind(contact.email, at: 5)
            try insertion.bind(contact.firstName, at: 6)
            try insertion.bind(contact.lastName, at: 7)
            try insertion.bind(contact.phone, at: 8)
            try insertion.run()
        }
        try connection.commit()
    }

    func hold(emails: [String]) throws {
        heldKeys = try emails.map { email in
            try keyLookup.bind(email, at: 1)
            defer { keyLookup.reset() }
            guard try keyLookup.step() else { throw BenchError.wrongAnswer("no row has the e-mail \(email)") }
            return keyLookup.int64(0)
        }
    }

    func setCity(_ city: String, ofHeld place: Int) throws {
        try update.bind(city, at: 1)
        try update.bind(heldKeys[place], at: 2)
        try update.run()
    }

    func contact(email: String) throws -> Contact? {
        try lookup.bind(email, at: 1)
        defer { lookup.reset() }
        return try lookup.step() ? Self.contact(lookup) : nil
    }

    func forEachContact(_ body: (Contact) -> Void) throws {
        while try all.step() { body(Self.contact(all)) }
    }

    func watch() throws { seenVersion = try connection.dataVersion() }

    func nextCity(after city: String, ofHeld place: Int) throws -> String {
        while true {
            let version = try connection.dataVersion()
            if version != seenVersion {
                seenVersion = version
                let found = try self.city(ofHeld: place)
                if found != city { return found }
            }
            Monotonic.sleep(Self.pollInterval)
        }
    }

    func setCityOfAll(_ city: String) throws {
        try connection.begin()
        for place in heldKeys.indices { try setCity(city, ofHeld: place) }
        try connection.commit()
    }

    func nextCityOfAll(after city: String) throws -> String {
        while true {
            let found = try nextCity(after: city, ofHeld: 0)
            try connection.begin(.deferred)
            let isEverywhere = try heldKeys.indices.allSatisfy { try self.city(ofHeld: $0) == found }
            try connection.commit()
            if isEverywhere { return found }
        }
    }

    private func city(ofHeld place: Int) throws -> String {
        try cityLookup.bind(heldKeys[place], at: 1)
        defer { cityLookup.reset() }
        return try cityLookup.step() ? cityLookup.text(0) : ""
    }

    /// The contact whose `columns` a row has.
    static func contact(_ row: SQLiteStatement) -> Contact {
        Contact(
            firstName: row.text(5), lastName: row.text(6), email: row.text(4), phone: row.text(7),
            city: row.text(3),
            age: Int32(truncatingIfNeeded: row.int64(0)), balance: row.double(1),
            created: Date(timeIntervalSinceReferenceDate: row.double(2)))
    }
}
