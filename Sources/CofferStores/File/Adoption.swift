internal import CofferModel
internal import CofferSQLite

/// What becomes of a file that Coffer did not make, where it is to be opened for writing.
package enum ForeignFiles: Sendable {
    /// It is refused, with what it would get and how to agree to that.
    case refused
    /// It is opened for reading only, and stays as it is to the last byte; it gets no lock either.
    case read
    /// It gets what Coffer needs, beside all that it has.
    case adopted
}

/// What it takes to write into a file that Coffer did not make.
package struct Adoption: Sendable, Equatable {
    /// What the file gets, each a phrase for people.
    package let additions: [String]
    /// Why it could not be kept right, as a sentence without its end; `nil` where it can.
    package let obstacle: String?
    /// Whether its history has other columns than Core Data gives it.
    let hasUnknownHistory: Bool

    /// Looks at what a file has; writes nothing.
    init(
        of facts: StoreFacts, _ schema: SQLSchema, on connection: SQLiteConnection,
        journal: StoreJournal = .wal
    ) throws(StoreError) {
        let review = AdoptionReview(facts: facts, schema: schema, journal: journal, connection: connection)
        hasUnknownHistory = try review.hasUnknownHistory()
        obstacle = try review.obstacle()
        additions = obstacle == nil ? try review.additions() : []
    }

    /// Why the file at `path` is not written.
    package func refusal(path: String) -> StoreError {
        if let obstacle { return .unadoptable(path: path, detail: obstacle) }
        return .notAdopted(path: path, additions: additions)
    }
}

/// Compares what a file has with what a store that is written needs.
private struct AdoptionReview {
    let facts: StoreFacts
    let schema: SQLSchema
    let journal: StoreJournal
    let connection: SQLiteConnection

    /// The first reason why the file could not be kept right.
    func obstacle() throws(StoreError) -> String? {
        switch facts.schema.trust(of: schema) {
        case .unknown(let item):
            return "its \(item) is neither Coffer's nor Core Data's, and may run without end"
        case .bounded where facts.schema.hasRTrees:
            return "besides r-trees it has triggers that are not known, so that SQLite lets neither run"
        case .bounded, .known: break
        }
        if facts.tables.contains(where: { $0.hasPrefix(Self.mirroringPrefix) }) {
            return "Core Data mirrors it to CloudKit, and would not take Coffer's changes along"
        }
        if let name = takenName { return "it has a table '\(name)' that is not Coffer's" }
        return try historyObstacle() ?? derivedObstacle()
    }

    /// How the tables begin in which Core Data keeps what it knows of CloudKit.
    private static let mirroringPrefix = "ANSCK"

    /// One of our names that something else has already.
    private var takenName: String? {
        let present = Set(facts.tables.map { $0.uppercased() })
        return FixedTables.ownNames.first { present.contains($0) }
    }

    /// What its history should have, by whether names stand in a table of their own.
    private var historyColumns: [(table: String, columns: [String])] {
        FixedTables.historyColumns(withStrings: facts.hasHistoryStrings)
    }

    private var hasHistory: Bool {
        historyColumns.contains { facts.tables.contains($0.table) }
    }

    /// Whether there is a history that lacks a table or column.
    func hasUnknownHistory() throws(StoreError) -> Bool {
        if !hasHistory { return false }
        for (table, columns) in historyColumns {
            guard facts.tables.contains(table), try hasColumns(columns, in: table) else { return true }
        }
        return false
    }

    /// What of a history we cannot count on.
    private func historyObstacle() throws(StoreError) -> String? {
        if !hasHistory { return nil }
        if try hasUnknownHistory() {
            return "its history has other columns than Core Data gives it"
        }
        let count = try translating { () throws(SQLiteError) in
            let statement = try connection.prepare(
                "SELECT count(*) FROM Z_PRIMARYKEY "
                    + "WHERE Z_ENT BETWEEN \(FixedTables.changeEntity) AND \(FixedTables.stringEntity)")
            return try statement.step() ? statement.int64(0) : 0
        }
        return count == historyColumns.count ? nil : "its table Z_PRIMARYKEY does not count its history"
    }

    private func hasColumns(_ columns: [String], in table: String) throws(StoreError) -> Bool {
        Set(columns).isSubset(of: try self.columns(of: table))
    }

    private func columns(of table: String) throws(StoreError) -> Set<String> {
        try translating { () throws(SQLiteError) in
            let statement = try connection.prepare("SELECT name FROM pragma_table_info('\(table)')")
            var names: Set<String> = []
            while try statement.step() { names.insert(statement.text(0)) }
            return names
        }
    }

    /// Why a derived attribute could not be kept right.
    private func derivedObstacle() -> String? {
        do throws(StoreError) {
            _ = try missingTriggers()
            return nil
        } catch {
            return "a derived attribute of its model has no form that a store keeps right (\(error))"
        }
    }

    private func missingTriggers() throws(StoreError) -> [String] {
        let present = Set(facts.schema.triggers.keys)
        return try schema.derivedTriggers(present: present).map(\.name).filter { !present.contains($0) }
    }

    /// What the file lacks.
    func additions() throws(StoreError) -> [String] {
        var additions: [String] = []
        if !facts.tables.contains("ACHANGE") { additions.append("Core Data's tables of history") }
        additions.append("tables of Coffer's own, whose names begin with COFFER_")
        let needed = StoreCreation.tombstoneCount(for: schema)
        if needed > 0, try !columns(of: "ACHANGE").contains("ZTOMBSTONE\(needed - 1)") {
            additions.append("columns for values that history preserves")
        }
        if try !missingTriggers().isEmpty { additions.append("triggers that keep derived attributes") }
        if !schema.textIndexes.isEmpty { additions.append("full-text indexes") }
        let mode = try translating { () throws(SQLiteError) in try connection.pragma("journal_mode") }
        if journal == .wal, mode != journal.pragma { additions.append("a log beside it while it is open (SQLite's WAL mode)") }
        return additions
    }
}
