internal import CofferContainer
internal import CofferMerge
internal import CofferSQLite
internal import CofferStores

/// The tables of registers, each kept with the record that it belongs to.
///
/// - `COFFER_RECORD`: for each record its registers, as `coffer.v1.ContainerRegisters`, and the row that
///   shows the object of its name.
/// - `COFFER_RUN`: registers of records that have more than fit one such message, as of an object that
///   millions of others belong to: what does not stand in `COFFER_RECORD`.
struct KeptRecords {
    private let connection: SQLiteConnection

    static let tables = [
        "CREATE TABLE IF NOT EXISTS COFFER_RECORD (id BLOB PRIMARY KEY, entity VARCHAR, key INTEGER, "
            + "registers BLOB) WITHOUT ROWID",
        "CREATE TABLE IF NOT EXISTS COFFER_RUN (id BLOB, number INTEGER, registers BLOB, "
            + "PRIMARY KEY (id, number)) WITHOUT ROWID",
    ]

    init(_ connection: SQLiteConnection) { self.connection = connection }

    /// A record as it is kept.
    struct Row {
        let id: RecordID
        /// The row that shows the object of this name: its entity's canonical name, and its key.
        let row: (entity: String, key: Int64)?
        /// Its registers, packed, in as many runs as it takes; no two are of one key.
        let runs: [[UInt8]]

        /// Its registers.
        ///
        /// - Throws: `StoreError.damaged` if they cannot be read.
        func registers(path: String) throws(StoreError) -> [Register] {
            do throws(ObjectFault) {
                var registers: [Register] = []
                for run in runs { registers += try RegisterContent.registers(in: run, from: .ownFile) }
                return registers
            } catch {
                throw .damaged(path: path, detail: "the record \(id) for other machines: \(error)")
            }
        }
    }

    /// Whether there are none.
    var isEmpty: Bool {
        get throws(SQLiteError) {
            let statement = try connection.cached("SELECT 1 FROM COFFER_RECORD LIMIT 1")
            defer { statement.reset() }
            return try !statement.step()
        }
    }

    /// The ids of those that have registers.
    func havingRegisters() throws(SQLiteError) -> [RecordID] {
        let statement = try connection.prepare("SELECT id FROM COFFER_RECORD WHERE length(registers) > 0")
        var ids: [RecordID] = []
        while try statement.step() { if let id = RecordID(bytes: statement.blob(0)) { ids.append(id) } }
        return ids
    }

    /// A record; `nil` if nothing is kept of it.
    func row(of id: RecordID) throws(SQLiteError) -> Row? {
        let statement = try connection.cached(
            "SELECT entity, key, registers FROM COFFER_RECORD WHERE id = ?1")
        defer { statement.reset() }
        try statement.bind(id.bytes, at: 1)
        guard try statement.step() else { return nil }
        let row = statement.isNull(0) ? nil : (statement.text(0), statement.int64(1))
        let first = statement.blob(2)
        return Row(id: id, row: row, runs: first.isEmpty ? [] : [first] + (try furtherRuns(of: id)))
    }

    /// The row that shows the object of a name, or showed it: its entity's canonical name, and its key.
    func address(of id: RecordID) throws(SQLiteError) -> (entity: String, key: Int64)? {
        let statement = try connection.cached("SELECT entity, key FROM COFFER_RECORD WHERE id = ?1")
        defer { statement.reset() }
        try statement.bind(id.bytes, at: 1)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return (statement.text(0), statement.int64(1))
    }

    private func furtherRuns(of id: RecordID) throws(SQLiteError) -> [[UInt8]] {
        let statement = try connection.cached(
            "SELECT registers FROM COFFER_RUN WHERE id = ?1 ORDER BY number")
        defer { statement.reset() }
        try statement.bind(id.bytes, at: 1)
        var runs: [[UInt8]] = []
        while try statement.step() { runs.append(statement.blob(0)) }
        return runs
    }

    /// Lends `body` each record.
    func all(_ body: (Row) throws(StoreError) -> Void) throws(StoreError) {
        let (further, statement) = try ReplicaTables.translating { () throws(SQLiteError) in
            (
                try furtherRuns(),
                try connection.prepare("SELECT id, entity, key, registers FROM COFFER_RECORD")
            )
        }
        while try ReplicaTables.translating({ () throws(SQLiteError) in try statement.step() }) {
            guard let id = RecordID(bytes: statement.blob(0)) else { continue }
            let row = statement.isNull(1) ? nil : (statement.text(1), statement.int64(2))
            let first = statement.blob(3)
            let runs = first.isEmpty ? [] : [first] + (further[id] ?? [])
            try body(Row(id: id, row: row, runs: runs))
        }
    }

    /// The runs after the first, of the few records that have some; none in a store that is older than they.
    private func furtherRuns() throws(SQLiteError) -> [RecordID: [[UInt8]]] {
        guard try connection.hasTable("COFFER_RUN") else { return [:] }
        let statement = try connection.prepare("SELECT id, registers FROM COFFER_RUN ORDER BY id, number")
        var runs: [RecordID: [[UInt8]]] = [:]
        while try statement.step() {
            if let id = RecordID(bytes: statement.blob(0)) { runs[id, default: []].append(statement.blob(1)) }
        }
        return runs
    }

    /// Keeps a record, or forgets one of which nothing is left.
    ///
    /// - Throws: `SQLiteError`; the transaction is to be rolled back then.
    func keep(_ row: Row) throws(SQLiteError) {
        try connection.cached("DELETE FROM COFFER_RUN WHERE id = ?1").run(binding: row.id)
        if row.runs.isEmpty, row.row == nil {
            return try connection.cached("DELETE FROM COFFER_RECORD WHERE id = ?1").run(binding: row.id)
        }
        let statement = try connection.cached(
            "INSERT OR REPLACE INTO COFFER_RECORD(id, entity, key, registers) VALUES(?1, ?2, ?3, ?4)")
        if let (entity, key) = row.row {
            try statement.bind(entity, at: 2)
            try statement.bind(key, at: 3)
        } else {
            try statement.bindNull(at: 2)
            try statement.bindNull(at: 3)
        }
        try statement.bind(row.runs.first ?? [], at: 4)
        try statement.run(binding: row.id)
        for (number, run) in row.runs.enumerated().dropFirst() {
            let statement = try connection.cached(
                "INSERT INTO COFFER_RUN(id, number, registers) VALUES(?1, ?2, ?3)")
            try statement.bind(Int64(number), at: 2)
            try statement.bind(run, at: 3)
            try statement.run(binding: row.id)
        }
    }
}

extension SQLiteStatement {
    /// Runs it once for the record that is its first parameter.
    fileprivate func run(binding record: RecordID) throws(SQLiteError) {
        defer { reset() }
        try bind(record.bytes, at: 1)
        try run()
    }
}
