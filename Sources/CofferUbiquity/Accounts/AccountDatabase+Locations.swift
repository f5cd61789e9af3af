internal import CofferSQLite

/// Where the contents of stores are in accounts' folders, as far as it is not where they are by default.
extension AccountDatabase {
    /// Their table; its `PARTED` columns are those of a store that follows the accounts no more.
    static let locationSchema = """
        CREATE TABLE IF NOT EXISTS LOCATION(
            STORE INTEGER PRIMARY KEY, CONTAINER TEXT NOT NULL, FOLDER TEXT NOT NULL,
            PARTED_NAME TEXT NOT NULL, PARTED_CONTAINER TEXT NOT NULL, PARTED_FOLDER TEXT NOT NULL) STRICT;
        """

    /// What is kept of each store, by its number.
    func locations() throws(SQLiteError) -> [Int64: (location: ContentLocation, parted: KeptStore.Parted)] {
        let statement = try connection.cached(
            """
            SELECT STORE, CONTAINER, FOLDER, PARTED_NAME, PARTED_CONTAINER, PARTED_FOLDER FROM LOCATION
            """)
        defer { statement.reset() }
        var found: [Int64: (location: ContentLocation, parted: KeptStore.Parted)] = [:]
        while try statement.step() {
            found[statement.int64(0)] = (
                ContentLocation(container: statement.text(1), folder: statement.text(2)),
                KeptStore.Parted(
                    name: statement.text(3),
                    location: ContentLocation(container: statement.text(4), folder: statement.text(5)))
            )
        }
        return found
    }

    /// Keeps where the content of a store is.
    func write(_ location: ContentLocation, parted: KeptStore.Parted, of store: Int64) throws(SQLiteError) {
        let statement = try connection.cached(
            "INSERT OR REPLACE INTO LOCATION VALUES(?1, ?2, ?3, ?4, ?5, ?6)")
        defer { statement.reset() }
        try statement.bind(store, at: 1)
        let texts = [
            location.container, location.folder, parted.name, parted.location.container,
            parted.location.folder,
        ]
        for (place, text) in texts.enumerated() { try statement.bind(text, at: place + 2) }
        try statement.run()
    }
}
