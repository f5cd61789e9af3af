internal import CofferModel

/// The full-text index of one table: where it is, and how it is created and filled.
///
/// The texts are stored a second time, folded as `[cd]` folds them, in a table of FTS5 whose tokens are all
/// runs of three characters, so that it finds any part of a text. Coffer's own saves fill it. Other writers
/// cannot be asked to do that: simple triggers, which any SQLite can run, add the keys of changed rows to a
/// queue. Queries compare queued rows as well, and the next save brings them into the index. So an answer is
/// correct, whichever program wrote.
struct TextIndex: Sendable, Equatable {
    /// The version of the form of the index and of the folding rules; an index of another version is rebuilt.
    private static let version = 3

    /// The table that is indexed.
    let table: String
    /// The indexed columns, in order.
    let columns: [String]

    /// What the names of tables of FTS5 begin with.
    static let prefix = "COFFER_TEXT_"

    /// The table of FTS5.
    var name: String { Self.prefix + table }
    /// The keys of rows whose present texts are not in the index.
    var queue: String { "COFFER_TEXTQUEUE_\(table)" }
    /// Its name in `COFFER_STATE`.
    var stateName: String { Self.statePrefix + table }
    /// The state that the file records if it has exactly this index.
    var state: String { "\(Self.version) \(columns.joined(separator: ","))" }

    static let statePrefix = "text:"

    /// Creates the tables of an empty index.
    var creation: [String] {
        [
            "CREATE TABLE \(queue) (key INTEGER PRIMARY KEY)",
            "CREATE VIRTUAL TABLE \(name) USING fts5(\(columns.joined(separator: ", ")), "
                + "tokenize = 'trigram case_sensitive 1')",
        ]
    }

    /// The triggers that fill the queue.
    var triggers: [DerivedTriggers.Trigger] {
        let events = [
            ("INSERT", "INSERT", "NEW"), ("UPDATE", "UPDATE OF \(columns.joined(separator: ", "))", "NEW"),
            ("DELETE", "DELETE", "OLD"),
        ]
        return events.map { event, clause, row in
            DerivedTriggers.Trigger(
                noting: "\(row).Z_PK", in: queue, name: "\(name)_\(event)", event: "\(clause) ON \(table)")
        }
    }

    /// Puts all rows into the queue.
    var requeueing: String { "INSERT OR IGNORE INTO \(queue) (key) SELECT Z_PK FROM \(table)" }

    /// Drops the index with its queue and triggers.
    var removal: [String] {
        triggers.map { "DROP TRIGGER IF EXISTS \($0.name)" }
            + ["DROP TABLE IF EXISTS \(queue)", "DROP TABLE IF EXISTS \(name)"]
    }

    /// Moves rows from the queue into the index, one statement after another.
    ///
    /// A row with a text that contains a zero stays in the queue: FTS5 would read the text only up to the
    /// zero.
    var draining: [String] {
        let list = columns.joined(separator: ", ")
        let texts = columns.map { "COFFER_FOLD(t.\($0), \(Self.folding.rawValue))" }.joined(separator: ", ")
        let present = columns.map { "t.\($0) NOT NULL" }.joined(separator: " OR ")
        let odd = columns.map { "instr(t.\($0), char(0)) > 0" }.joined(separator: " OR ")
        return [
            "DELETE FROM \(name) WHERE rowid IN (SELECT key FROM \(queue))",
            // CROSS, so that the queue is read first: SQLite does not know that the queue is shorter than the
            // table, and would read all of the table.
            "INSERT INTO \(name) (rowid, \(list)) SELECT t.Z_PK, \(texts) FROM \(queue) q "
                + "CROSS JOIN \(table) t ON t.Z_PK = q.key WHERE \(present)",
            "DELETE FROM \(queue) WHERE NOT EXISTS (SELECT 1 FROM \(table) t WHERE t.Z_PK = key AND (\(odd)))",
        ]
    }

    /// The options by which texts are folded.
    static let folding: QueryComparison.Options = [.caseInsensitive, .diacriticInsensitive]
}

extension TextIndex {
    /// The index of another table of the same form, from its state in a file.
    init(table: String, state: String) {
        self.table = table
        let list = state.split(separator: " ").dropFirst().first ?? ""
        columns = list.split(separator: ",").map(String.init)
    }

    /// The FTS5 query that finds all rows with `text` in a column; `nil` if it cannot find them, since the
    /// text is too short or contains a zero.
    static func query(for text: String, in column: String) -> String? {
        let folded = TextFolding.fold(text, options: folding)
        let scalars = folded.unicodeScalars
        guard scalars.count >= 3, !scalars.contains("\0") else { return nil }
        // Of a longer text only the beginning is searched for: the rows that are found are compared anyway.
        var phrase = String.UnicodeScalarView(scalars.prefix(Limits.indexedPhrase))
        phrase = String.UnicodeScalarView(phrase.flatMap { $0 == "\"" ? [$0, $0] : [$0] })
        return "{\(column)} : \"\(String(phrase))\""
    }
}

extension SQLSchema {
    /// The full-text indexes that the model marks attributes for.
    ///
    /// - Complexity: O(properties of the model).
    var textIndexes: [TextIndex] {
        tables.compactMap { table in
            var columns: Set<String> = []
            for entity in model.entities[model.entities[table.root].familyIndices] {
                for attribute in entity.attributes where attribute.isTextIndexed && attribute.type == .string
                {
                    if case .attribute(let column, _)? = entities[entity.index]?.columns[attribute.index] {
                        columns.insert(column)
                    }
                }
            }
            return columns.isEmpty ? nil : TextIndex(table: table.name, columns: columns.sorted())
        }
    }
}
