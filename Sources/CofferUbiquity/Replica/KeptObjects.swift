internal import CofferContainer
internal import CofferSQLite

/// The table of objects in the container, `COFFER_OBJECT`: which of them were joined, and since when others
/// wait or nothing names them.
struct KeptObjects {
    private let connection: SQLiteConnection

    static let table =
        "CREATE TABLE IF NOT EXISTS COFFER_OBJECT (name VARCHAR PRIMARY KEY, joined INTEGER, waits INTEGER, "
        + "unnamed INTEGER) WITHOUT ROWID"

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// What is kept of each; nothing in a store of which nothing was kept yet.
    func all() throws(SQLiteError) -> [ObjectName: KeptObject] {
        guard try connection.hasTable("COFFER_OBJECT") else { return [:] }
        let statement = try connection.prepare("SELECT name, joined, waits, unnamed FROM COFFER_OBJECT")
        func time(_ column: Int) -> WallTime? {
            statement.isNull(column) ? nil : WallTime(microseconds: statement.int64(column))
        }
        var objects: [ObjectName: KeptObject] = [:]
        while try statement.step() {
            guard let name = ObjectName(statement.text(0)) else { continue }
            objects[name] = KeptObject(
                isJoined: statement.int64(1) != 0, waitsSince: time(2), unnamedSince: time(3))
        }
        return objects
    }

    /// Keeps these, and no others.
    ///
    /// - Parameters:
    ///   - objects: What is to be kept.
    ///   - former: What the table has; `nil` if that is not known.
    /// - Throws: `SQLiteError`; the transaction is to be rolled back then.
    func keep(
        _ objects: [ObjectName: KeptObject], insteadOf former: [ObjectName: KeptObject]?
    ) throws(SQLiteError) {
        if former == nil { try connection.execute("DELETE FROM COFFER_OBJECT") }
        let delete = try connection.cached("DELETE FROM COFFER_OBJECT WHERE name = ?1")
        for name in (former ?? [:]).keys where objects[name] == nil {
            defer { delete.reset() }
            try delete.bind("\(name)", at: 1)
            try delete.run()
        }
        let insert = try connection.cached(
            "INSERT OR REPLACE INTO COFFER_OBJECT(name, joined, waits, unnamed) VALUES(?1, ?2, ?3, ?4)")
        for (name, object) in objects where former?[name] != object {
            defer { insert.reset() }
            try insert.bind("\(name)", at: 1)
            try insert.bind(object.isJoined ? Int64(1) : 0, at: 2)
            for (place, time) in [(3, object.waitsSince), (4, object.unnamedSince)] {
                guard let time else {
                    try insert.bindNull(at: place)
                    continue
                }
                try insert.bind(time.microseconds, at: place)
            }
            try insert.run()
        }
    }
}
