internal import CofferModel

/// Where a file has the sort keys of texts, how they are kept, and for how long.
///
/// `COFFER_SORTLIST` says which orders there are, each with the version of ICU that made its keys;
/// `COFFER_SORTKEY` has a key for each object of each list, in order, which is what a long list is read
/// along. Both are made when such an order is first asked for. Each save of ours brings in what it wrote.
/// Other writers cannot be asked to do that: plain triggers, which any SQLite can run, note the keys of rows
/// that change in a queue, and while something stands there queries make keys themselves. So an answer is
/// right, whichever program wrote.
///
/// Each list makes saves write more. A list that was not used for `Limits.unusedDays` goes when the file is
/// opened. A list that was not used for `Limits.idleDays` goes when another is wanted and there are as many
/// as may be.
///
/// Measured on 2 processors with 100,000 contacts: the first 50 by `localizedStandard` take 66 ms if a query
/// makes all their keys, and 0.07 ms along kept ones; the ids of all of them 163 and 53 ms. To read all rows
/// along kept keys takes longer than to read them as they lie and sort them, 210 ms and not 170, since each
/// row is looked up by itself: so that is done for the beginning of a list only.
enum SortKeyTables {
    /// Goes up when the form of the tables or of keys changes; those of another version are made again.
    private static let version = 2

    static let lists = "COFFER_SORTLIST"
    static let keys = "COFFER_SORTKEY"
    private static let queuePrefix = "COFFER_SORTQUEUE_"
    static let statePrefix = "sort:"

    /// The keys of a table's rows that are not in its lists as they are now.
    static func queue(_ table: String) -> String { queuePrefix + table }

    /// What `COFFER_STATE` says of a table whose changes are noted.
    static func state(_ columns: [String]) -> String { "\(version) \(columns.joined(separator: ","))" }

    /// Makes the tables that all lists share.
    static let creation = [
        "CREATE TABLE IF NOT EXISTS \(lists) (list INTEGER PRIMARY KEY, relation VARCHAR, property VARCHAR, "
            + "comparison INTEGER, locale VARCHAR, collation VARCHAR, used INTEGER)",
        "CREATE TABLE IF NOT EXISTS \(keys) (list INTEGER, key BLOB, object INTEGER, "
            + "PRIMARY KEY (list, key, object)) WITHOUT ROWID",
        "CREATE INDEX IF NOT EXISTS \(keys)_OBJECT ON \(keys) (list, object)",
    ]

    /// Begins to note the changes of a table.
    static func creation(_ table: String, _ columns: [String]) -> [String] {
        ["CREATE TABLE \(queue(table)) (key INTEGER PRIMARY KEY)"] + triggers(table, columns).map(\.sql)
    }

    /// The triggers that fill the queue.
    static func triggers(_ table: String, _ columns: [String]) -> [DerivedTriggers.Trigger] {
        let events = [
            ("INSERT", "INSERT", "NEW"), ("UPDATE", "UPDATE OF \(columns.joined(separator: ", "))", "NEW"),
            ("DELETE", "DELETE", "OLD"),
        ]
        return events.map { event, clause, row in
            let name = "\(keys)_\(table)_\(event)"
            return DerivedTriggers.Trigger(
                noting: "\(row).Z_PK", in: queue(table), name: name, event: "\(clause) ON \(table)")
        }
    }

    /// Takes away all that a table has, its lists included.
    static func removal(_ table: String) -> [String] {
        triggers(table, []).map { "DROP TRIGGER IF EXISTS \($0.name)" } + [
            "DROP TABLE IF EXISTS \(queue(table))",
            "DELETE FROM \(keys) WHERE list IN (SELECT list FROM \(lists) WHERE relation = '\(table)')",
            "DELETE FROM \(lists) WHERE relation = '\(table)'",
            "DELETE FROM COFFER_STATE WHERE name = '\(statePrefix)\(table)'",
        ]
    }

    /// Adds what a file of an earlier version of this table lacks: the day on which a list was last used,
    /// counted from 2001-01-01.
    static let addition = "ALTER TABLE \(lists) ADD COLUMN used INTEGER"

    /// Takes away a list's keys, as many as ?2.
    static let leaving =
        "DELETE FROM \(keys) WHERE list = ?1 AND (key, object) IN "
        + "(SELECT key, object FROM \(keys) WHERE list = ?1 LIMIT ?2)"

    /// Has a row if list ?1 is of an order; it says whether keys may be left of rows that went without a
    /// trigger.
    static let isKept =
        "SELECT EXISTS (SELECT 1 FROM pragma_index_list(?2) WHERE \"unique\") FROM \(lists) WHERE list = ?1 "
        + "AND relation = ?2 AND property = ?3 AND comparison = ?4 AND locale = ?5"

    /// Puts all rows of a table into its queue.
    static func requeueing(_ table: String) -> String {
        "INSERT OR IGNORE INTO \(queue(table)) (key) SELECT Z_PK FROM \(table)"
    }

    /// Says up to which key the first `count` rows of the queue go; null if nothing waits.
    static func end(ofFirst count: Int, of table: String) -> String {
        "SELECT max(key) FROM (SELECT key FROM \(queue(table)) ORDER BY key LIMIT \(count))"
    }

    /// Brings rows of the queue up to ?2 into list ?1, one statement after another.
    static func filling(_ order: SortOrder) -> [String] {
        let waiting = queue(order.table)
        return [
            "DELETE FROM \(keys) WHERE list = ?1 AND object IN (SELECT key FROM \(waiting) WHERE key <= ?2)",
            // CROSS, so that the queue is read first: SQLite knows no better than that the table is as short,
            // and would read all of it.
            "INSERT INTO \(keys) (list, key, object) SELECT ?1, COFFER_KEPTKEY(t.\(order.column), "
                + "\(order.comparison.rawValue), ?3), t.Z_PK FROM \(waiting) q "
                + "CROSS JOIN \(order.table) t ON t.Z_PK = q.key WHERE q.key <= ?2",
        ]
    }

    /// Takes rows up to ?1 out of the queue.
    static func emptying(_ table: String) -> String { "DELETE FROM \(queue(table)) WHERE key <= ?1" }

    /// Says whether nothing waits.
    static func isSettled(_ table: String) -> String { "SELECT NOT EXISTS (SELECT 1 FROM \(queue(table)))" }
}

extension SQLSchema {
    /// The triggers that a file may have for sort keys.
    var sortKeyTriggers: [DerivedTriggers.Trigger] {
        sortedColumns.flatMap { SortKeyTables.triggers($0.key, $0.value) }
    }
}
