internal import CofferSQLite
internal import CofferWire

/// A compiled query and the statement that runs it.
///
/// Confined to its reader.
final class PreparedQuery {
    let query: CompiledQuery
    let statement: SQLiteStatement
    private var reader: RowBatchReader
    /// When it was last asked for, counted by its cache.
    fileprivate var lastUse: UInt64 = 0

    init(query: CompiledQuery, statement: SQLiteStatement, context: RowContext) {
        self.query = query
        self.statement = statement
        reader = RowBatchReader(query, context: context)
    }

    /// All rows, or those that no part took (`RowBatchReader.rows`); the statement stands on the first, or
    /// there is none.
    func rows(
        hasRow: Bool, within budget: inout ByteBudget, partByteCount: Int, _ part: RowBatchReader.Part
    ) throws(StoreError) -> PackedRows {
        try reader.rows(statement, hasRow: hasRow, within: &budget, partByteCount: partByteCount, part)
    }

    /// All rows; the statement is bound.
    func rows(within budget: inout ByteBudget) throws(StoreError) -> PackedRows {
        let hasRow = try translating { () throws(SQLiteError) in try statement.step() }
        return try rows(hasRow: hasRow, within: &budget, partByteCount: .max) { _ in }
    }
}

/// The compiled queries of one reader by the shape of their descriptions; the one unused longest gives way.
struct QueryCache {
    private let capacity: Int
    private var queries: [[UInt8]: PreparedQuery] = [:]
    /// The one that was asked for last: mostly it is asked for again, and to compare shapes costs less than
    /// to hash one.
    private var last: (shape: [UInt8], query: PreparedQuery)?
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
            if last?.shape != shape {
                guard let query = queries[shape] else {
                    misses += 1
                    return nil
                }
                last = (shape, query)
            }
            hits += 1
            last?.query.lastUse = uses
            return last?.query
        }
    }

    /// Keeps a query.
    mutating func insert(_ query: PreparedQuery, for shape: [UInt8]) {
        if queries.count >= capacity, let oldest = queries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            queries[oldest.key] = nil
        }
        query.lastUse = uses
        queries[shape] = query
        last = (shape, query)
    }
}
