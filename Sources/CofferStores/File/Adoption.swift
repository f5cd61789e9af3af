internal import CofferModel
internal import CofferSQLite

/// What to do with a file that Coffer did not make when it is to be opened for writing.
package enum ForeignFiles: Sendable {
    /// Refuse it, with an error that says what would be added and how to agree to that.
    case refused
    /// Open it for reading only: it stays as it is to the last byte, and is not locked either.
    case read
    /// Add what Coffer needs to all that it has.
    case adopted
}

/// What has to be added to a file that Coffer did not make before it can be written.
package struct Adoption: Sendable, Equatable {
    /// What is added to the file, each a phrase for people.
    package let additions: [String]
    /// Why the file could not be kept correct, as a sentence without its end; `nil` if it can.
    package let obstacle: String?
    /// Whether its history has other columns than Core Data writes.
    let hasUnknownHistory: Bool

    /// Reads what a file has; writes nothing.
    init(
        of facts: StoreFacts, _ schema: SQLSchema, renewing indexes: IndexRenewal? = nil,
        on connection: SQLiteConnection, journal: StoreJournal = .wal
    ) throws(StoreError) {
        let review = AdoptionReview(
            facts: facts, schema: schema, indexes: indexes, journal: journal, connection: connection)
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

/// Compares what a file has with what a store needs in order to be written.
private struct AdoptionReview {
    let facts: StoreFacts
    let schema: SQLSchema
    let indexes: IndexRenewal?
    let journal: StoreJournal
    let connection: SQLiteConnection

    /// The first reason why the file could not be kept correct.
    func obstacle() throws(StoreError) -> String? {
        switch facts.schema.trust(of: schema) {
        case .unknown(let item):
            return "its \(item) is neither Coffer's nor Core Data's, and may run without end"
        case .bounded where facts.schema.hasRTrees:
            return "besides r-trees it has unknown triggers, and SQLite lets neither run"
        case .bounded, .known: break
        }
        if let name = facts.schema.staleTable {
            return "its virtual table '\(name)' would go stale: nothing in the file that is known keeps it "
                + "along with what is written"
        }
        if facts.tables.contains(where: { $0.hasPrefix(Self.mirroringPrefix) }) {
            return "Core Data mirrors it to CloudKit, and would not take Coffer's changes along"
        }
        if let name = takenName { return "it has a table '\(name)' that is not Coffer's" }
        return try historyObstacle() ?? derivedObstacle()
    }

    /// The prefixes of the tables in which Core Data keeps the state of its CloudKit mirroring.
    private static let mirroringPrefix = "ANSCK"

    /// One of our names that something else already uses.
    private var takenName: String? {
        let present = Set(facts.tables.map { $0.uppercased() })
        return FixedTables.ownNames.first { present.contains($0) }
    }

    /// What its history should have, depending on whether names have a table of their own.
    private var historyColumns: [(table: String, columns: [String])] {
        FixedTables.historyColumns(withStrings: facts.hasHistoryStrings)
    }

    private var hasHistory: Bool {
        historyColumns.contains { facts.tables.contains($0.table) }
    }

    /// Whether there is a history that lacks a table or a column.
    func hasUnknownHistory() throws(StoreError) -> Bool {
        if !hasHistory { return false }
        for (table, columns) in historyColumns {
            guard facts.tables.contains(table), try hasColumns(columns, in: table) else { return true }
        }
        return false
    }

    /// What makes a history unreliable for us.
    private func historyObstacle() throws(StoreError) -> String? {
        if !hasHistory { return nil }
        if try hasUnknownHistory() {
            return "its history has other columns than Core Data gives it"
        }
        let isSound = try translating { () throws(SQLiteError) in
            let statement = try connection.prepare(
                "SELECT count(*) FROM Z_PRIMARYKEY "
                    + "WHERE Z_ENT BETWEEN \(FixedTables.changeEntity) AND \(FixedTables.stringEntity)")
            let count = try statement.step() ? Int(statement.int64(0)) : 0
            return count == historyColumns.count ? true : try isHistoryEmpty()
        }
        return isSound ? nil : "its table Z_PRIMARYKEY does not count its history"
    }

    /// Whether a history has no row, so that nothing of it was counted yet.
    private func isHistoryEmpty() throws(SQLiteError) -> Bool {
        for (table, _) in historyColumns
        where try connection.prepare("SELECT 1 FROM \(table) LIMIT 1").step() { return false }
        return true
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

    /// Why a derived attribute could not be kept correct.
    private func derivedObstacle() -> String? {
        do throws(StoreError) {
            _ = try missingTriggers()
            return nil
        } catch {
            return "a derived attribute of its model has a form that no store can keep correct (\(error))"
        }
    }

    private func missingTriggers() throws(StoreError) -> [String] {
        let present = Set(facts.schema.triggers.keys)
        return try schema.derivedTriggers(present: present).map(\.name).filter { !present.contains($0) }
    }

    /// What it means for others that a file gets a history, without which Coffer could tell no client what
    /// changed, nor keep two from overwriting each other.
    private static let historyText =
        "Core Data's history tracking (an application that opens it without NSPersistentHistoryTrackingKey can "
        + "only read it from then on; 'coffer store copy --plain' makes a copy without history)"

    /// What the file lacks.
    func additions() throws(StoreError) -> [String] {
        var additions: [String] = []
        if !facts.tables.contains("ACHANGE") { additions.append(Self.historyText) }
        additions.append("tables of Coffer's own, whose names begin with COFFER_")
        let needed = StoreCreation.tombstoneCount(for: schema)
        if needed > 0, try !columns(of: "ACHANGE").contains("ZTOMBSTONE\(needed - 1)") {
            additions.append("columns for values that history preserves")
        }
        if try !missingTriggers().isEmpty { additions.append("triggers that keep derived attributes") }
        if indexes != nil { additions.append("indexes as the model has them now") }
        if !schema.textIndexes.isEmpty { additions.append("full-text indexes") }
        let mode = try translating { () throws(SQLiteError) in try connection.pragma("journal_mode") }
        if journal == .wal, mode != journal.pragma {
            additions.append("a log beside it while it is open (SQLite's WAL mode)")
        }
        return additions
    }
}
