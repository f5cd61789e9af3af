internal import CofferSQLite

/// Where the contents of stores are in accounts' folders, as far as it is not where they are by default.
extension AccountDatabase {
    /// What is kept of a store besides.
    struct Details {
        let location: ContentLocation
        let parted: KeptStore.Parted
        let rejoined: Int64?
    }

    /// Their tables; `PARTED` columns are those of a store that follows the accounts no more, `REJOINED`
    /// is the number of a place whose content is to be joined, and `OWED_PATH` has where files owe something
    /// elsewhere.
    static let locationSchema = """
        CREATE TABLE IF NOT EXISTS LOCATION(
            STORE INTEGER PRIMARY KEY, CONTAINER TEXT NOT NULL, FOLDER TEXT NOT NULL,
            PARTED_NAME TEXT NOT NULL, PARTED_CONTAINER TEXT NOT NULL, PARTED_FOLDER TEXT NOT NULL,
            REJOINED INTEGER) STRICT;
        CREATE TABLE IF NOT EXISTS OWED_PATH(
            STORE INTEGER NOT NULL, PLACE INTEGER NOT NULL, PATH TEXT NOT NULL,
            PRIMARY KEY(STORE, PLACE)) STRICT;
        """

    /// What is kept of each store, by its number.
    func locations() throws(SQLiteError) -> [Int64: Details] {
        let statement = try connection.cached(
            """
            SELECT STORE, CONTAINER, FOLDER, PARTED_NAME, PARTED_CONTAINER, PARTED_FOLDER, REJOINED
            FROM LOCATION
            """)
        defer { statement.reset() }
        var found: [Int64: Details] = [:]
        while try statement.step() {
            found[statement.int64(0)] = Details(
                location: ContentLocation(container: statement.text(1), folder: statement.text(2)),
                parted: KeptStore.Parted(
                    name: statement.text(3),
                    location: ContentLocation(container: statement.text(4), folder: statement.text(5))),
                rejoined: statement.isNull(6) ? nil : statement.int64(6))
        }
        return found
    }

    /// Keeps where the content of a store is.
    func write(_ details: Details, of store: Int64) throws(SQLiteError) {
        let statement = try connection.cached(
            "INSERT OR REPLACE INTO LOCATION VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        defer { statement.reset() }
        try statement.bind(store, at: 1)
        let (location, parted) = (details.location, details.parted)
        let texts = [
            location.container, location.folder, parted.name, parted.location.container,
            parted.location.folder,
        ]
        for (place, text) in texts.enumerated() { try statement.bind(text, at: place + 2) }
        if let rejoined = details.rejoined {
            try statement.bind(rejoined, at: 7)
        } else {
            try statement.bindNull(at: 7)
        }
        try statement.run()
    }

    /// Where files of a store owe what was written in them, by the numbers of store and place, if elsewhere
    /// than the store's content is.
    func owedPaths() throws(SQLiteError) -> [Int64: [Int64: String]] {
        // A file of before that can only be read has no such table.
        guard try connection.hasTable("OWED_PATH") else { return [:] }
        let statement = try connection.cached("SELECT STORE, PLACE, PATH FROM OWED_PATH")
        defer { statement.reset() }
        var found: [Int64: [Int64: String]] = [:]
        while try statement.step() {
            found[statement.int64(0), default: [:]][statement.int64(1)] = statement.text(2)
        }
        return found
    }

    /// Keeps where a file of a store owes what was written in it.
    func write(owedPath: String, of place: Int64, in store: Int64) throws(SQLiteError) {
        let statement = try connection.cached("INSERT INTO OWED_PATH VALUES(?1, ?2, ?3)")
        defer { statement.reset() }
        try statement.bind(store, at: 1)
        try statement.bind(place, at: 2)
        try statement.bind(owedPath, at: 3)
        try statement.run()
    }
}
