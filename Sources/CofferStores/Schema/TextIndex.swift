internal import CofferModel

/// The full-text index of one table: where it is, and how it is made and kept.
///
/// The texts are kept a second time, as `[cd]` makes them alike, in a table of FTS5 whose tokens are all runs
/// of three characters: so it knows what stands anywhere in a text. It is filled by whoever saves with us.
/// Other writers cannot be asked to: plain triggers, which any SQLite can run, note the keys of rows that
/// change in a queue; what stands there is looked at besides, and put into the index with the next save. So
/// an answer is right whoever wrote.
struct TextIndex: Sendable, Equatable {
    /// Goes up where the form of the index or the rules of folding change; an index of another version is
    /// made anew.
    private static let version = 3

    /// The table that it is of.
    let table: String
    /// The indexed columns, in order.
    let columns: [String]

    /// The table of FTS5.
    var name: String { "COFFER_TEXT_\(table)" }
    /// The keys of rows that are not in the index as they are now.
    var queue: String { "COFFER_TEXTQUEUE_\(table)" }
    /// Its name in `COFFER_STATE`.
    var stateName: String { Self.statePrefix + table }
    /// What stands there where the file has just this index.
    var state: String { "\(Self.version) \(columns.joined(separator: ","))" }

    static let statePrefix = "text:"

    /// Makes the tables, for an index with nothing in it.
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

    /// Takes all away.
    var removal: [String] {
        triggers.map { "DROP TRIGGER IF EXISTS \($0.name)" }
            + ["DROP TABLE IF EXISTS \(queue)", "DROP TABLE IF EXISTS \(name)"]
    }

    /// Brings rows of the queue into the index, one statement after another.
    ///
    /// A row with a text that has a zero in it stays in the queue: FTS5 would read the text up to there only.
    var draining: [String] {
        let list = columns.joined(separator: ", ")
        let texts = columns.map { "COFFER_FOLD(t.\($0), \(Self.folding.rawValue))" }.joined(separator: ", ")
        let present = columns.map { "t.\($0) NOT NULL" }.joined(separator: " OR ")
        let odd = columns.map { "instr(t.\($0), char(0)) > 0" }.joined(separator: " OR ")
        return [
            "DELETE FROM \(name) WHERE rowid IN (SELECT key FROM \(queue))",
            // CROSS, so that the queue is read first: SQLite knows no better than that the table is as short,
            // and would read all of it.
            "INSERT INTO \(name) (rowid, \(list)) SELECT t.Z_PK, \(texts) FROM \(queue) q "
                + "CROSS JOIN \(table) t ON t.Z_PK = q.key WHERE \(present)",
            "DELETE FROM \(queue) WHERE NOT EXISTS (SELECT 1 FROM \(table) t WHERE t.Z_PK = key AND (\(odd)))",
        ]
    }

    /// What texts are made alike by.
    static let folding: QueryComparison.Options = [.caseInsensitive, .diacriticInsensitive]
}

extension TextIndex {
    /// The index of another table of the same form, as its state in a file says.
    init(table: String, state: String) {
        self.table = table
        let list = state.split(separator: " ").dropFirst().first ?? ""
        columns = list.split(separator: ",").map(String.init)
    }

    /// What FTS5 is asked for so that it finds all rows with `text` in a column; `nil` where it cannot find
    /// them, since the text is too short or has a zero in it.
    static func query(for text: String, in column: String) -> String? {
        let folded = TextFolding.fold(text, options: folding)
        let scalars = folded.unicodeScalars
        guard scalars.count >= 3, !scalars.contains("\0") else { return nil }
        // A longer text is only looked for by its beginning: what is found is compared anyway.
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
