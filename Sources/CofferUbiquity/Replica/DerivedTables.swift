internal import CofferMerge
internal import CofferSQLite
internal import CofferStores

/// The tables of what follows of a shared store's registers, kept so that it need not be derived of all of
/// them.
///
/// - `COFFER_ROW`: which record each row shows, or showed before its object went.
/// - `COFFER_LINK`: which records have registers that name a record.
/// - `COFFER_FACT`: what else was derived of records, see `DerivedFact`.
/// - `COFFER_LARGE`: the records whose cells name large values.
///
/// They hold for one model, and for one state of the exchange, see `KeptDigest`: else they are made again of
/// all registers.
struct DerivedTables {
    let connection: SQLiteConnection
    /// The file that they are in.
    private let path: String

    static let tables = [
        "CREATE TABLE IF NOT EXISTS COFFER_ROW (entity INTEGER, key INTEGER, record BLOB, shown INTEGER, "
            + "PRIMARY KEY (entity, key)) WITHOUT ROWID",
        "CREATE TABLE IF NOT EXISTS COFFER_LINK (named BLOB, kind INTEGER, entity VARCHAR, property VARCHAR, "
            + "record BLOB, PRIMARY KEY (named, kind, entity, property, record)) WITHOUT ROWID",
        "CREATE TABLE IF NOT EXISTS COFFER_FACT (record BLOB, kind INTEGER, value, "
            + "PRIMARY KEY (record, kind, value)) WITHOUT ROWID",
        "CREATE INDEX IF NOT EXISTS COFFER_FACT_VALUE ON COFFER_FACT (kind, value) "
            + "WHERE kind <= \(DerivedFact.lastOfIndex)",
        "CREATE TABLE IF NOT EXISTS COFFER_LARGE (record BLOB PRIMARY KEY) WITHOUT ROWID",
    ]

    init(_ connection: SQLiteConnection, path: String) { (self.connection, self.path) = (connection, path) }

    /// Forgets all of them.
    func clear() throws(SQLiteError) {
        for table in ["COFFER_ROW", "COFFER_LINK", "COFFER_FACT", "COFFER_LARGE"] {
            try connection.execute("DELETE FROM \(table)")
        }
    }
}

// MARK: Rows

extension DerivedTables {
    /// The object of a row.
    func named(at row: RowAddress) throws(SQLiteError) -> RecordBook.Named? {
        let statement = try connection.cached(
            "SELECT record, shown FROM COFFER_ROW WHERE entity = ?1 AND key = ?2")
        defer { statement.reset() }
        try statement.bind(Int64(row.entity), at: 1)
        try statement.bind(row.key, at: 2)
        guard try statement.step() else { return nil }
        return RecordBook.Named(name: try record(of: statement, 0), isShown: statement.int64(1) != 0)
    }

    /// The rows of all objects that have one or had one.
    func places() throws(SQLiteError) -> [RecordID: RecordBook.Place] {
        let statement = try connection.prepare("SELECT entity, key, record, shown FROM COFFER_ROW")
        var places: [RecordID: RecordBook.Place] = [:]
        while try statement.step() {
            let row = RowAddress(entity: Int(clamping: statement.int64(0)), key: statement.int64(1))
            places[try record(of: statement, 2)] = RecordBook.Place(
                row: row, isShown: statement.int64(3) != 0)
        }
        return places
    }

    /// Forgets that a row is of an object, if it still is.
    func forget(_ name: RecordID, at row: RowAddress) throws(SQLiteError) {
        let statement = try connection.cached(
            "DELETE FROM COFFER_ROW WHERE entity = ?1 AND key = ?2 AND record = ?3")
        defer { statement.reset() }
        try statement.bind(Int64(row.entity), at: 1)
        try statement.bind(row.key, at: 2)
        try statement.bind(name.bytes, at: 3)
        try statement.run()
    }

    /// Keeps the row of an object.
    func keep(_ name: RecordID, at place: RecordBook.Place) throws(SQLiteError) {
        let statement = try connection.cached(
            "INSERT OR REPLACE INTO COFFER_ROW(entity, key, record, shown) VALUES(?1, ?2, ?3, ?4)")
        defer { statement.reset() }
        try statement.bind(Int64(place.row.entity), at: 1)
        try statement.bind(place.row.key, at: 2)
        try statement.bind(name.bytes, at: 3)
        try statement.bind(place.isShown ? Int64(1) : 0, at: 4)
        try statement.run()
    }
}

// MARK: Links

extension DerivedTables {
    /// That a record has a register that names another one.
    struct Link: Hashable {
        let named: RecordID
        let kind: Kind
        /// The record that the register is kept with.
        let record: RecordID

        enum Kind: Hashable {
            case cell(String)
            case pair(RelationshipName)
            case place(RelationshipName)
            case same

            /// Its number in the table, which stays for ever, with the names of entity and property.
            fileprivate var columns: (Int64, String, String) {
                switch self {
                case .cell(let property): (0, "", property)
                case .pair(let relationship): (1, relationship.entity, relationship.property)
                case .place(let relationship): (2, relationship.entity, relationship.property)
                case .same: (3, "", "")
                }
            }
        }

        init(named: RecordID, kind: Kind, record: RecordID) {
            (self.named, self.kind, self.record) = (named, kind, record)
        }

        /// The link that a register is; `nil` if it names no other record.
        init?(_ register: Register) {
            switch register {
            case .life: return nil
            case .cell(let record, let property, let cell):
                guard let named = cell.value.record else { return nil }
                (self.named, kind, self.record) = (named, .cell(property), record)
            case .pair(let key, _):
                (named, kind, record) = (key.second, .pair(key.relationship), key.first)
            case .place(let key, _):
                (named, kind, record) = (key.member, .place(key.relationship), key.owner)
            case .same(let key, _): (named, kind, record) = (key.second, .same, key.first)
            }
        }
    }

    /// The records whose cells name a record, by property.
    func namers(of record: RecordID) throws(SQLiteError) -> PropertyMap<Set<RecordID>> {
        var namers: PropertyMap<Set<RecordID>> = [:]
        try links(to: record, of: 0) { namers[$0.property, default: []].insert($1) }
        return namers
    }

    /// The pairs that a record stands second in.
    func pairs(to record: RecordID) throws(SQLiteError) -> [PairKey] {
        var pairs: [PairKey] = []
        try links(to: record, of: 1) { pairs.append(PairKey($0, first: $1, second: record)) }
        return pairs
    }

    /// The places that a record has as a member.
    func places(of member: RecordID) throws(SQLiteError) -> [PlaceKey] {
        var places: [PlaceKey] = []
        try links(to: member, of: 2) { places.append(PlaceKey($0, owner: $1, member: member)) }
        return places
    }

    /// The smaller records that a record is one with.
    func sames(with record: RecordID) throws(SQLiteError) -> Set<RecordID> {
        var sames: Set<RecordID> = []
        try links(to: record, of: 3) { sames.insert($1) }
        return sames
    }

    private func links(
        to named: RecordID, of kind: Int64, _ body: (RelationshipName, RecordID) -> Void
    ) throws(SQLiteError) {
        let statement = try connection.cached(
            "SELECT entity, property, record FROM COFFER_LINK WHERE named = ?1 AND kind = ?2")
        defer { statement.reset() }
        try statement.bind(named.bytes, at: 1)
        try statement.bind(kind, at: 2)
        while try statement.step() {
            body(RelationshipName(statement.text(0), statement.text(1)), try record(of: statement, 2))
        }
    }

    /// Keeps a link.
    func keep(_ link: Link) throws(SQLiteError) {
        try run(
            "INSERT OR IGNORE INTO COFFER_LINK(named, kind, entity, property, record) "
                + "VALUES(?1, ?2, ?3, ?4, ?5)", for: link)
    }

    /// Keeps a link no longer.
    func forget(_ link: Link) throws(SQLiteError) {
        try run(
            "DELETE FROM COFFER_LINK WHERE named = ?1 AND kind = ?2 AND entity = ?3 AND property = ?4 "
                + "AND record = ?5", for: link)
    }

    private func run(_ sql: String, for link: Link) throws(SQLiteError) {
        let statement = try connection.cached(sql)
        defer { statement.reset() }
        let (kind, entity, property) = link.kind.columns
        try statement.bind(link.named.bytes, at: 1)
        try statement.bind(kind, at: 2)
        try statement.bind(entity, at: 3)
        try statement.bind(property, at: 4)
        try statement.bind(link.record.bytes, at: 5)
        try statement.run()
    }
}

// MARK: Facts

extension DerivedTables {
    /// What was derived of a record.
    func facts(of record: RecordID) throws(SQLiteError) -> Set<DerivedFact> {
        let statement = try connection.cached("SELECT kind, value FROM COFFER_FACT WHERE record = ?1")
        defer { statement.reset() }
        try statement.bind(record.bytes, at: 1)
        var facts: Set<DerivedFact> = []
        while try statement.step() { facts.insert(try fact(of: statement)) }
        return facts
    }

    /// The records of which a fact was derived that is in the index.
    func records(having fact: DerivedFact) throws(SQLiteError) -> [RecordID] {
        let statement = try connection.cached(
            "SELECT record FROM COFFER_FACT WHERE kind = ?1 AND value = ?2 "
                + "AND kind <= \(DerivedFact.lastOfIndex)")
        defer { statement.reset() }
        let (kind, value) = fact.columns
        try statement.bind(kind, at: 1)
        try statement.bind(value, at: 2)
        var records: [RecordID] = []
        while try statement.step() { records.append(try record(of: statement, 0)) }
        return records
    }

    /// What the model forbids and is there.
    func violations() throws(SQLiteError) -> [Violation] {
        let statement = try connection.prepare(
            "SELECT kind, value, record FROM COFFER_FACT WHERE kind IN (4, 5, 6) "
                + "AND kind <= \(DerivedFact.lastOfIndex)")
        var violations: [Violation] = []
        while try statement.step() {
            guard case .violation(let properties, let kind) = try fact(of: statement) else { throw damaged }
            violations.append(Violation(of: try record(of: statement, 2), properties, kind))
        }
        return violations
    }

    /// Keeps what was derived of a record, and nothing else.
    func keep(_ facts: Set<DerivedFact>, of record: RecordID) throws(SQLiteError) {
        let former = try self.facts(of: record)
        for fact in former.subtracting(facts) {
            try run(
                "DELETE FROM COFFER_FACT WHERE record = ?1 AND kind = ?2 AND value = ?3", for: fact, record)
        }
        for fact in facts.subtracting(former) {
            try run("INSERT INTO COFFER_FACT(record, kind, value) VALUES(?1, ?2, ?3)", for: fact, record)
        }
    }

    private func run(_ sql: String, for fact: DerivedFact, _ record: RecordID) throws(SQLiteError) {
        let statement = try connection.cached(sql)
        defer { statement.reset() }
        let (kind, value) = fact.columns
        try statement.bind(record.bytes, at: 1)
        try statement.bind(kind, at: 2)
        try statement.bind(value, at: 3)
        try statement.run()
    }
}

// MARK: Columns

extension DerivedTables {
    /// What is wrong if nothing can be made of a row.
    private var damaged: SQLiteError {
        .corrupt(path: path, message: "what follows of its records for other machines")
    }

    /// The record that a column names.
    func record(of statement: SQLiteStatement, _ column: Int) throws(SQLiteError) -> RecordID {
        guard let record = RecordID(bytes: statement.blob(column)) else { throw damaged }
        return record
    }

    /// The fact of the first two columns.
    private func fact(of statement: SQLiteStatement) throws(SQLiteError) -> DerivedFact {
        let kind = statement.int64(0)
        let value: DerivedFact.Column =
            DerivedFact.kindsOfNumbers.contains(kind)
            ? .number(statement.int64(1)) : .bytes(statement.blob(1))
        guard let fact = DerivedFact(kind: kind, value) else { throw damaged }
        return fact
    }
}

extension SQLiteStatement {
    fileprivate func bind(_ value: DerivedFact.Column, at index: Int) throws(SQLiteError) {
        switch value {
        case .number(let number): try bind(number, at: index)
        case .bytes(let bytes): try bind(bytes, at: index)
        }
    }
}

// MARK: Large values

extension DerivedTables {
    /// The records whose cells name large values.
    func recordsOfLargeValues() throws(SQLiteError) -> [RecordID] {
        let statement = try connection.prepare("SELECT record FROM COFFER_LARGE")
        var records: [RecordID] = []
        while try statement.step() { records.append(try record(of: statement, 0)) }
        return records
    }

    /// Keeps whether the cells of a record name large values.
    func keep(_ record: RecordID, namesLargeValues: Bool) throws(SQLiteError) {
        let statement = try connection.cached(
            namesLargeValues
                ? "INSERT OR IGNORE INTO COFFER_LARGE(record) VALUES(?1)"
                : "DELETE FROM COFFER_LARGE WHERE record = ?1")
        defer { statement.reset() }
        try statement.bind(record.bytes, at: 1)
        try statement.run()
    }
}
