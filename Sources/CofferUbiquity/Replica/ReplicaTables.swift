internal import CofferContainer
internal import CofferMerge
internal import CofferSQLite
internal import CofferStores

/// The tables of a ubiquitous store's registers and exchange, in the store's own file: they change in one
/// transaction with its rows.
///
/// - `COFFER_RECORD` and `COFFER_RUN`: the registers that are kept with each record, see `KeptRecords`.
/// - `COFFER_ROW`, `COFFER_LINK`, `COFFER_FACT` and `COFFER_LARGE`: what follows of these, see
///   `DerivedTables`.
/// - `COFFER_PEER`: the peer, and what it has of others, by name.
/// - `COFFER_FOLD`: the hash of the peer's chain after each of its folds.
/// - `COFFER_OUTBOX`: logs that have to be in the container, as its objects.
/// - `COFFER_VALUE`: the properties of objects that are null since their large value has not come.
/// - `COFFER_PIECE`: pieces of large values that the container is to have, see `KeptPieces`.
/// - `COFFER_CONFLICT`: what merging overruled, see `ConflictTable`.
/// - `COFFER_BASELINE`: the peer's own baselines, see `KeptBaselines`.
/// - `COFFER_OBJECT`: objects of the container, see `KeptObjects`.
struct ReplicaTables {
    let connection: SQLiteConnection

    private static let tables =
        [
            "CREATE TABLE IF NOT EXISTS COFFER_PEER (name VARCHAR PRIMARY KEY, value) WITHOUT ROWID",
            "CREATE TABLE IF NOT EXISTS COFFER_FOLD (number INTEGER PRIMARY KEY, hash BLOB)",
            "CREATE TABLE IF NOT EXISTS COFFER_VALUE (object BLOB, property VARCHAR, "
                + "PRIMARY KEY (object, property)) WITHOUT ROWID",
            "CREATE TABLE IF NOT EXISTS COFFER_OUTBOX (name VARCHAR PRIMARY KEY, object BLOB) WITHOUT ROWID",
            KeptBaselines.table, KeptObjects.table, KeptPieces.table,
        ] + KeptRecords.tables + DerivedTables.tables

    /// Names of rows of `COFFER_PEER`.
    enum Fact: String {
        /// The peer's id, and where the file was when it was written last.
        case peer
        case place
        /// The number of the last transaction of history that is folded.
        case folded
        /// The model that rows were of when they were looked at last, as it is in a container.
        case model
        /// The number of the peer's last baseline.
        case lastBaseline
        /// For each peer the folds that the registers have.
        case vector
        /// The digest of the registers, see `KeptDigest`.
        case digest
        /// Of which registers, and by which model, the tables were derived that are: see `DerivedTables`.
        case derived
        /// How many objects are seen, and how much that the model forbids.
        case objectCount
        case violationCount
        /// Ids that the peer wrote under before: 8 bytes each.
        case formerPeers
        /// What other peers are known to have had.
        case knowledge
        /// Whether something was joined that others should know of: 1 or 0.
        case hasNews
        /// Since when folds are missed in the container: microseconds since 1970, or 0.
        case gapSince
        /// When what is there of the peer's last baseline was found whole: microseconds since 1970, or 0.
        case checkedAt
        /// How much time was seen to pass, and what the wall clock said then: microseconds since 1970.
        case seenTime
        case seenWall
        /// The number of the last conflict of the journal.
        case lastConflict
        /// Which stores it was filled from that applications come with: their UUIDs.
        case seeds
        /// The markers by which the container is known, and those of its root: 16 bytes each.
        case markers
        case rootMarkers
    }

    /// Whether the store is one.
    var exist: Bool {
        get throws(SQLiteError) {
            try connection.hasTable("COFFER_PEER")
        }
    }

    /// Makes the tables if they are missing.
    func make() throws(SQLiteError) {
        for table in Self.tables { try connection.execute(table) }
    }
}

extension ReplicaTables {
    /// A number or bytes that are kept of the peer.
    func integer(_ fact: Fact) throws(SQLiteError) -> Int64? {
        let statement = try connection.cached("SELECT value FROM COFFER_PEER WHERE name = ?1")
        defer { statement.reset() }
        try statement.bind(fact.rawValue, at: 1)
        return try statement.step() ? statement.int64(0) : nil
    }

    func bytes(_ fact: Fact) throws(SQLiteError) -> [UInt8]? {
        let statement = try connection.cached("SELECT value FROM COFFER_PEER WHERE name = ?1")
        defer { statement.reset() }
        try statement.bind(fact.rawValue, at: 1)
        return try statement.step() ? statement.blob(0) : nil
    }

    func keep(_ fact: Fact, _ value: Int64) throws(SQLiteError) {
        let statement = try connection.cached(Self.replaceFact)
        defer { statement.reset() }
        try statement.bind(fact.rawValue, at: 1)
        try statement.bind(value, at: 2)
        try statement.run()
    }

    func keep(_ fact: Fact, _ value: [UInt8]) throws(SQLiteError) {
        let statement = try connection.cached(Self.replaceFact)
        defer { statement.reset() }
        try statement.bind(fact.rawValue, at: 1)
        try statement.bind(value, at: 2)
        try statement.run()
    }

    private static let replaceFact = "INSERT OR REPLACE INTO COFFER_PEER(name, value) VALUES(?1, ?2)"
}

extension ReplicaTables {
    /// Makes an error of SQLite one of the store.
    static func translating<Result>(
        _ body: () throws(SQLiteError) -> Result
    ) throws(StoreError) -> Result {
        do throws(SQLiteError) { return try body() } catch { throw StoreError(error) }
    }
}

extension ReplicaTables {
    /// The hashes of the peer's chain, from its first fold on.
    func hashes() throws(SQLiteError) -> [ChainHash] {
        let statement = try connection.prepare("SELECT hash FROM COFFER_FOLD ORDER BY number")
        var hashes: [ChainHash] = []
        while try statement.step() {
            if let hash = ChainHash(bytes: statement.blob(0)) { hashes.append(hash) }
        }
        return hashes
    }

    /// Keeps hashes of folds from a number on, and none after them.
    func keep(_ hashes: ArraySlice<ChainHash>, from first: Int) throws(SQLiteError) {
        let statement = try connection.cached(
            "INSERT OR REPLACE INTO COFFER_FOLD(number, hash) VALUES(?1, ?2)")
        for (place, hash) in hashes.enumerated() {
            defer { statement.reset() }
            try statement.bind(Int64(first + place), at: 1)
            try statement.bind(hash.bytes, at: 2)
            try statement.run()
        }
    }

    /// Forgets the chain.
    func forgetHashes() throws(SQLiteError) { try connection.execute("DELETE FROM COFFER_FOLD") }

    /// The logs of the outbox.
    func outbox() throws(SQLiteError) -> [[UInt8]] {
        let statement = try connection.prepare("SELECT object FROM COFFER_OUTBOX")
        var objects: [[UInt8]] = []
        while try statement.step() { objects.append(statement.blob(0)) }
        return objects
    }

    /// Keeps a log, or forgets one.
    func keepLog(_ name: ObjectName, _ bytes: [UInt8]?) throws(SQLiteError) {
        let statement = try connection.cached(
            bytes == nil
                ? "DELETE FROM COFFER_OUTBOX WHERE name = ?1"
                : "INSERT OR REPLACE INTO COFFER_OUTBOX(name, object) VALUES(?1, ?2)")
        defer { statement.reset() }
        try statement.bind("\(name)", at: 1)
        if let bytes { try statement.bind(bytes, at: 2) }
        try statement.run()
    }
}

extension ReplicaTables {
    /// The properties whose values have not come.
    func wantedValues() throws(SQLiteError) -> [(RecordID, String)] {
        let statement = try connection.prepare("SELECT object, property FROM COFFER_VALUE")
        var found: [(RecordID, String)] = []
        while try statement.step() {
            if let name = RecordID(bytes: statement.blob(0)) { found.append((name, statement.text(1))) }
        }
        return found
    }

    /// Keeps which of an object's values have not come.
    func keep(wantedValues properties: Set<String>, of name: RecordID) throws(SQLiteError) {
        let delete = try connection.cached("DELETE FROM COFFER_VALUE WHERE object = ?1")
        defer { delete.reset() }
        try delete.bind(name.bytes, at: 1)
        try delete.run()
        let insert = try connection.cached("INSERT INTO COFFER_VALUE(object, property) VALUES(?1, ?2)")
        for property in properties {
            defer { insert.reset() }
            try insert.bind(name.bytes, at: 1)
            try insert.bind(property, at: 2)
            try insert.run()
        }
    }
}

extension RecordID {
    /// Its 16 bytes.
    var bytes: [UInt8] {
        [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
        }
    }

    /// The id with these bytes; `nil` if they are not 16.
    init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        let word = { (part: ArraySlice<UInt8>) in part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        self.init(high: word(bytes[..<8]), low: word(bytes[8...]))
    }
}
