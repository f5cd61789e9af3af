/// The triggers by which Core Data keeps an r-tree up to date with a table: one for each kind of change, each
/// of one form.
///
/// A tree that lacks one of the three goes stale with the next change of that kind.
///
/// They write into a virtual table, which SQLite allows a trigger to do only if the schema is trusted. So
/// the schema is trusted if it contains nothing but such triggers and our own, each of them word for word as
/// it must be.
///
/// Source: measured in a real store, see the design page on storage, part 2.8.
struct RTreeTriggers {
    /// One of them.
    struct Trigger {
        /// The r-tree that it keeps.
        let tree: String
        /// The kind of change that it follows.
        let event: String
        /// The table whose changes it follows.
        let table: String
    }

    private static let events = ["INSERT", "UPDATE", "DELETE"]

    /// The names of the virtual tables that are r-trees.
    private let trees: Set<String>

    /// Finds the r-trees of a file with `virtualTables`, texts by name.
    init(virtualTables: [String: String]) {
        trees = Set(
            virtualTables.filter { name, sql in
                Words(sql).all?.starts(with: ["CREATE", "VIRTUAL", "TABLE", name, "USING", "RTREE", "("])
                    ?? false
            }.keys)
    }

    /// What a trigger does, if it is one of these; `nil` for any other.
    func trigger(_ name: String, _ sql: String) -> Trigger? {
        for event in Self.events where name.hasSuffix("_" + event) {
            let tree = String(name.dropLast(event.count + 1))
            guard name.hasPrefix("Z_RT_"), trees.contains(tree), var words = Words(sql).all?[...],
                words.take(["CREATE", "TRIGGER", name, "AFTER", event, "ON"]), let table = words.first,
                words.takeName(), words.take(["FOR", "EACH", "ROW", "BEGIN"]),
                Self.takeBody(of: event, tree, &words), words.take(["END"]), words.isEmpty
            else { return nil }
            return Trigger(tree: tree, event: event, table: table)
        }
        return nil
    }

    /// Whether `triggers` keep a tree along with all changes of one table.
    static func keep(_ tree: String, _ triggers: [Trigger]) -> Bool {
        let own = triggers.filter { $0.tree == tree }
        return Set(own.map(\.event)) == Set(events) && Set(own.map(\.table)).count == 1
    }

    private static func takeBody(of event: String, _ tree: String, _ words: inout ArraySlice<String>) -> Bool
    {
        switch event {
        case "INSERT": return words.take(["INSERT", "OR", "REPLACE", "INTO", tree]) && takeRow(&words)
        case "UPDATE":
            return takeRemoval(of: "NEW", from: tree, &words) && words.take(["INSERT", "INTO", tree])
                && takeRow(&words)
        default: return takeRemoval(of: "OLD", from: tree, &words)
        }
    }

    private static func takeRemoval(of row: String, from tree: String, _ words: inout ArraySlice<String>)
        -> Bool
    {
        words.take(["DELETE", "FROM", tree, "WHERE", "Z_PK", "=", row, ".", "Z_PK", ";"])
    }

    /// Consumes a list of columns, and as many values of the new row.
    private static func takeRow(_ words: inout ArraySlice<String>) -> Bool {
        var columns = 0
        guard words.take(["("]) else { return false }
        repeat {
            guard words.takeName() else { return false }
            columns += 1
        } while words.take([","])
        guard words.take([")", "VALUES", "("]) else { return false }
        for column in 0..<columns {
            guard column == 0 || words.take([","]), words.take(["NEW", "."]), words.takeName() else {
                return false
            }
        }
        return words.take([")", ";"])
    }
}

extension ArraySlice<String> {
    /// Consumes words at the beginning; returns `false` if other words stand there.
    fileprivate mutating func take(_ words: [String]) -> Bool {
        guard starts(with: words) else { return false }
        removeFirst(words.count)
        return true
    }

    /// Consumes a name.
    fileprivate mutating func takeName() -> Bool {
        guard let first = first?.utf8.first, Words.isPart(first) else { return false }
        removeFirst()
        return true
    }
}

/// The names and signs of an SQL text without quotations and comments.
private struct Words {
    /// `nil` if the text contains anything else.
    let all: [String]?

    init(_ sql: String) {
        var words: [String] = []
        var name: [UInt8] = []
        func end() {
            if !name.isEmpty { words.append(String(decoding: name, as: UTF8.self)) }
            name = []
        }
        for byte in sql.utf8 {
            switch byte {
            case _ where Self.isPart(byte): name.append(byte)
            case UInt8(ascii: " "), UInt8(ascii: "\n"): end()
            case _ where Self.signs.contains(byte):
                end()
                words.append(String(decoding: [byte], as: UTF8.self))
            default:
                all = nil
                return
            }
        }
        end()
        all = words
    }

    private static let signs = Array("(),;.=".utf8)

    static func isPart(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF) && byte < 0x80
    }
}
