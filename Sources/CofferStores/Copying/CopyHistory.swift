internal import CofferSQLite

/// Brings the history of a store into its copy, which has its number from then on.
///
/// Transactions and changes keep their numbers, and what applications have read of them their consumers. Only
/// a copy in SQLite whose keys stay can have it.
struct CopyHistory {
    private let source: CopySource
    private let target: SQLSchema
    private let connection: SQLiteConnection

    init(_ source: CopySource, to target: SQLSchema, on connection: SQLiteConnection) {
        (self.source, self.target, self.connection) = (source, target, connection)
    }

    /// Copies all of it, in one transaction.
    func run() throws(StoreError) {
        let present = source.facts.tables
        try translating { () throws(SQLiteError) in
            try connection.begin(.immediate)
            if source.file.hasHistory, present.contains("ATRANSACTION"), present.contains("ACHANGE") {
                try addTombstoneColumns()
                for table in ["ATRANSACTIONSTRING", "ATRANSACTION", "ACHANGE"] where present.contains(table) {
                    try copy(table)
                }
                try copyCounters()
            }
            for table in [FixedTables.transactionTable, "COFFER_REQUEST", "COFFER_CONSUMER"]
            where present.contains(table) { try copy(table) }
            if present.contains("COFFER_RESERVED") { try copyReservedKeys() }
            if present.contains("COFFER_STATE") {
                try copy("COFFER_STATE", where: "name = 'history_floor' OR name GLOB 'retention_*'")
            }
            try connection.commit()
        }
    }

    private func addTombstoneColumns() throws(SQLiteError) {
        let known = Set(try CopySource.columns(of: "ACHANGE", on: connection))
        for column in try CopySource.columns(of: "ACHANGE", on: source.connection)
        where !known.contains(column) && column.wholeMatch(of: /ZTOMBSTONE[0-9]+/) != nil {
            try connection.execute("ALTER TABLE ACHANGE ADD COLUMN \(column) BLOB")
        }
    }

    /// Copies the rows of a table, with the columns that both have.
    private func copy(_ table: String, where condition: String = "1") throws(SQLiteError) {
        let own = Set(try CopySource.columns(of: table, on: connection))
        let columns = try CopySource.columns(of: table, on: source.connection).filter(own.contains)
        let list = columns.joined(separator: ", ")
        let marks = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let rows = try source.connection.prepare("SELECT \(list) FROM \(table) WHERE \(condition)")
        let insertion = try connection.prepare("INSERT OR REPLACE INTO \(table) (\(list)) VALUES (\(marks))")
        let entity = table == "ACHANGE" ? columns.firstIndex(of: "ZENTITY") : nil
        while try rows.step() {
            for column in columns.indices {
                if column == entity {
                    let number = Int(exactly: rows.int64(column)).flatMap {
                        source.file.schema.numbers.index(of: $0)
                    }
                    // Changes of an entity that the model no longer has belong to no entity, as before.
                    try insertion.bind(Int64(number.map { target.numbers[$0] } ?? 0), at: column + 1)
                } else {
                    try Self.bind(rows, column, to: insertion)
                }
            }
            try insertion.run()
        }
    }

    private static func bind(
        _ rows: SQLiteStatement, _ column: Int, to statement: SQLiteStatement
    ) throws(SQLiteError) {
        switch rows.type(column) {
        case .null: try statement.bindNull(at: column + 1)
        case .integer: try statement.bind(rows.int64(column), at: column + 1)
        case .real: try statement.bind(rows.double(column), at: column + 1)
        case .text: try statement.bind(rows.text(column), at: column + 1)
        case .blob: try statement.bind(rows.blob(column), at: column + 1)
        }
    }

    private func copyCounters() throws(SQLiteError) {
        let rows = try source.connection.prepare(
            "SELECT Z_MAX, Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN \(FixedTables.changeEntity) AND \(FixedTables.stringEntity)"
        )
        let update = try connection.prepare("UPDATE Z_PRIMARYKEY SET Z_MAX = ?1 WHERE Z_ENT = ?2")
        while try rows.step() {
            try update.bind(rows.int64(0), at: 1)
            try update.bind(rows.int64(1), at: 2)
            try update.run()
        }
    }

    /// Keys that applications were given for objects that they have not saved are theirs in the copy, too.
    private func copyReservedKeys() throws(SQLiteError) {
        let rows = try source.connection.prepare("SELECT root + 1, first, last FROM COFFER_RESERVED")
        let insertion = try connection.prepare(
            "INSERT INTO COFFER_RESERVED(root, first, last) VALUES(?1 - 1, ?2, ?3)")
        while try rows.step() {
            guard let number = Int(exactly: rows.int64(0)),
                let entity = source.file.schema.numbers.index(of: number)
            else { continue }
            try insertion.bind(Int64(target.numbers[entity]), at: 1)
            try insertion.bind(rows.int64(1), at: 2)
            try insertion.bind(rows.int64(2), at: 3)
            try insertion.run()
        }
    }
}
