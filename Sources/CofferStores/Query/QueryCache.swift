internal import CofferSQLite

/// A compiled query and the statement that runs it.
///
/// Confined to its reader.
final class PreparedQuery {
    let query: CompiledQuery
    let statement: SQLiteStatement

    init(query: CompiledQuery, statement: SQLiteStatement) {
        self.query = query
        self.statement = statement
    }
}

/// The compiled queries of one reader by the shape of their descriptions; the one unused longest gives way.
struct QueryCache {
    private struct Entry {
        let query: PreparedQuery
        var lastUse: UInt64
    }

    private let capacity: Int
    private var entries: [[UInt8]: Entry] = [:]
    private var uses: UInt64 = 0
    private(set) var hits = 0
    private(set) var misses = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The query for a shape.
    subscript(_ shape: [UInt8]) -> PreparedQuery? {
        mutating get {
            uses += 1
            guard let place = entries.index(forKey: shape) else {
                misses += 1
                return nil
            }
            hits += 1
            entries.values[place].lastUse = uses
            return entries.values[place].query
        }
    }

    /// Keeps a query.
    mutating func insert(_ query: PreparedQuery, for shape: [UInt8]) {
        if entries.count >= capacity, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
        }
        entries[shape] = Entry(query: query, lastUse: uses)
    }
}
