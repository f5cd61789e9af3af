package import CofferModel
package import CofferSQLite
package import CofferWire
internal import FoundationEssentials

/// Reads one store through one connection.
///
/// Confined with its connection, of which it is the only user. Every answer is of one read transaction and
/// tells its number: `ATRANSACTION`'s last key is asked for, mostly first, and the statement that answers it
/// stays on its row until the rest is read, which keeps SQLite's read transaction open without `BEGIN` and
/// `COMMIT`. A fetch need not ask if no connection has written since the last one that asked. A store without
/// history has the number 0.
package final class StoreReader {
    /// Is told of a value that is null since its file is missing; the file by its name alone.
    package typealias MissingFileReport = (MissingValue) -> Void

    /// What a reader may ask for while it reads.
    package struct Options {
        /// Asked every few thousand instructions of SQLite; `true` stops the call with
        /// `StoreError.interrupted`.
        package var onLongRunning: (() -> Bool)?

        /// Whether the file's own SQL may do anything, so that it is asked every few instructions.
        package var runsUnknownSQL = false
        /// The content of the file that an external binary value names; `nil` if it is missing: then the
        /// value is null.
        package var externalBytes: (String) throws(StoreError) -> [UInt8]? = ExternalData.unreachable

        /// Told of each value that is null since its file is missing.
        package var onMissingFile: MissingFileReport = { _ in }

        /// What must be told of each read, so that files that its rows name stay until the read ends.
        package var externalReads: ExternalReads?

        /// What is told of the SQL that runs.
        package var sqlDebug: SQLDebug?

        /// Which sort keys the file keeps.
        package var sortKeys: SortKeyBook?

        /// Rows that one answer may have, or a part of it.
        package var rowLimit = CofferWire.Limits.rows

        /// Whether values are read where they are found: then text is looked at once, and not with each
        /// value.
        package var looksAtText = true

        /// Nothing is asked for.
        package init() {}
    }

    let connection: SQLiteConnection
    let schema: SQLSchema
    let context: RowContext
    /// Whether exact digits of decimals stand beside their numbers.
    let hasDigits: Bool
    /// The file's full-text indexes.
    private let textIndexes: [TextIndex]
    private let sortKeys: SortKeyBook?
    var rowQueries: [RowsUse: PreparedQuery] = [:]
    private var queries = QueryCache(capacity: Limits.cachedQueries)
    private let numberStatement: SQLiteStatement
    /// The number that a fetch was last told, and what the connection calls the state that it was of.
    private var known: (state: UInt32, number: UInt64)?
    /// The number of the state that all answers are of, if it is pinned.
    private var pinned: UInt64?
    private let externalReads: ExternalReads?
    private var countedRead: UInt64?
    private let functions: SQLFunctions
    private let interruption = Interruption()
    private var follower: SQLDebugFollower

    /// Holds the function that is asked whether the running fetch is to go on; confined with its reader.
    private final class Interruption {
        var shouldStop: (() -> Bool)?
    }

    /// A reader of the file that `connection` is open on, whose tables are as `schema` says.
    ///
    /// - Throws: `StoreError` if the file is not a store.
    package init(
        connection: SQLiteConnection, schema: SQLSchema, options: Options = Options()
    ) throws(StoreError) {
        self.connection = connection
        self.schema = schema
        follower = SQLDebugFollower(options.sqlDebug, path: connection.path)
        sortKeys = options.sortKeys
        externalReads = options.externalReads
        context = RowContext(
            schema: schema, path: connection.path, rowLimit: options.rowLimit,
            looksAtText: options.looksAtText, externalBytes: options.externalBytes,
            onMissingFile: options.onMissingFile)
        functions = SQLFunctions(
            externalBytes: options.externalBytes,
            onMissingFile: { [path = connection.path] name in
                options.onMissingFile(MissingValue(store: path, file: name))
            })
        let functions = functions
        let interruption = interruption
        let tables = try translating { () throws(SQLiteError) in
            try functions.register(on: connection)
            connection.setProgressHandler(
                everyInstructions: options.runsUnknownSQL
                    ? Limits.unknownInstructions : Limits.progressInstructions
            ) { [interruption, stop = options.onLongRunning] in
                interruption.shouldStop?() ?? false || stop?() ?? false
            }
            return try Self.tables(connection)
        }
        hasDigits = tables.contains("COFFER_DECIMAL")
        textIndexes = try translating { () throws(SQLiteError) in
            try TextIndexes.usable(schema.textIndexes, on: connection)
        }
        // Both read a table, which opens the read transaction, and both answer one row.
        let sql =
            tables.contains("ATRANSACTION")
            ? "SELECT MAX(Z_PK) FROM ATRANSACTION"
            : "SELECT 0 * COUNT(*) FROM (SELECT 1 FROM Z_METADATA LIMIT 1)"
        numberStatement = try translating { () throws(SQLiteError) in try connection.prepare(sql) }
    }

    deinit {
        if let countedRead { externalReads?.end(countedRead) }
    }

    /// Tells as much of its SQL as is asked for now; call it before the reader is used.
    package func followSQLDebug() { follower.follow(on: connection) }

    /// The answer to a description; `part` takes what comes before the last `partByteCount` bytes or so, as
    /// it is read.
    ///
    /// `shouldStop` is asked every few thousand instructions of SQLite.
    /// - Throws: `StoreError.unknownEntity`, `.predicate` if the description does not fit the model or asks
    ///   for what SQL cannot do, `.interrupted`, `.tooLarge` if the rows pass what a frame carries.
    /// - Complexity: The SQL of a description is kept by its shape: the next description of that shape
    ///   compiles nothing.
    package func fetch(
        _ request: FetchRequestMessage, stoppingWhere shouldStop: (() -> Bool)? = nil,
        partByteCount: Int = .max, _ part: (FetchReplyMessage) -> Void = { _ in }
    ) throws(StoreError) -> FetchReplyMessage {
        if request.fetch.hasNamesToResolve {
            var request = request
            request.fetch = request.fetch.withNamesResolved
            return try fetch(resolved: request, stoppingWhere: shouldStop, partByteCount: partByteCount, part)
        }
        return try fetch(resolved: request, stoppingWhere: shouldStop, partByteCount: partByteCount, part)
    }

    private func fetch(
        resolved request: FetchRequestMessage, stoppingWhere shouldStop: (() -> Bool)?, partByteCount: Int,
        _ part: (FetchReplyMessage) -> Void
    ) throws(StoreError) -> FetchReplyMessage {
        let shape = QueryShape(request.fetch)
        interruption.shouldStop = shouldStop
        defer { interruption.shouldStop = nil }
        let wanted = wantedList(for: request.fetch)
        let number = wanted == nil ? beginCounting() : try beginReading()
        defer { endReading() }
        let prepared = try prepared(shape, request.fetch, along: try usableList(wanted))
        try bind(shape.constants, request.fetch, to: prepared)
        do throws(StoreError) {
            let beginning = try begin(prepared.statement, number)
            return try reply(to: prepared, from: beginning, partByteCount: partByteCount, part)
        } catch {
            throw functions.explained(error)
        }
    }

    /// The SQL of a description, and how SQLite would run it, a line for each step.
    package func explain(_ fetch: FetchDescription) throws(StoreError) -> (sql: String, plan: [String]) {
        let fetch = fetch.withNamesResolved
        let wanted = wantedList(for: fetch)
        _ = try beginReading()
        defer { endReading() }
        let query = try compiled(fetch, along: try usableList(wanted))
        let statement = try statement("EXPLAIN QUERY PLAN " + query.sql)
        let plan = try translating { () throws(SQLiteError) in
            var lines: [String] = []
            while try statement.step() { lines.append(statement.text(3)) }
            return lines
        }
        return (query.sql, plan)
    }

    /// How often a description's SQL was there already, and how often it was not.
    package var queryCacheCounts: (hits: Int, misses: Int) { (queries.hits, queries.misses) }
}

extension StoreReader {
    /// Which of the tables are there that a store may lack.
    private static func tables(_ connection: SQLiteConnection) throws(SQLiteError) -> Set<String> {
        let statement = try connection.prepare(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('ATRANSACTION', 'COFFER_DECIMAL')"
        )
        var tables: Set<String> = []
        while try statement.step() { tables.insert(statement.text(0)) }
        return tables
    }

    /// Opens a read transaction that all answers are of from now on, whatever is written, until the reader
    /// goes; its number.
    package func pin() throws(StoreError) -> UInt64 {
        let number = try beginReading()
        pinned = number
        return number
    }

    /// Opens a read transaction; its number.
    func beginReading() throws(StoreError) -> UInt64 {
        if let number = beginCounting() { return number }
        do throws(StoreError) {
            return try readNumber()
        } catch {
            stopCounting()
            throw error
        }
    }

    /// Counts a read whose transaction is about to be opened; returns the state's number if the transaction
    /// is open already, since the state is pinned.
    private func beginCounting() -> UInt64? {
        if pinned == nil, let externalReads { countedRead = externalReads.begin() }
        return pinned
    }

    /// How a fetch's statement began.
    private struct Beginning {
        /// Of the transaction that it reads.
        var number: UInt64
        /// Whether it stands on its first row; else there is none.
        var hasRow: Bool
    }

    /// Steps to the first row of a statement, which opens a read transaction if `number` is `nil`.
    private func begin(_ statement: SQLiteStatement, _ number: UInt64?) throws(StoreError) -> Beginning {
        let hasRow = try translating { () throws(SQLiteError) in try statement.step() }
        if let number { return Beginning(number: number, hasRow: hasRow) }
        let state = connection.cacheVersion
        if let known, known.state == state { return Beginning(number: known.number, hasRow: hasRow) }
        var beginning: Beginning
        do throws(StoreError) {
            beginning = Beginning(number: try readNumber(), hasRow: hasRow)
        } catch {
            statement.reset()
            throw error
        }
        // Without a row it is at its end, and the transaction ended with it: the number is of another.
        if !hasRow { beginning.hasRow = try translating { () throws(SQLiteError) in try statement.step() } }
        known = (connection.cacheVersion, beginning.number)
        return beginning
    }

    private func stopCounting() {
        guard let counted = countedRead else { return }
        countedRead = nil
        externalReads?.end(counted)
    }

    private func readNumber() throws(StoreError) -> UInt64 {
        try translating { () throws(SQLiteError) in
            let hasRow = try numberStatement.step()
            return hasRow ? UInt64(clamping: numberStatement.int64(0)) : 0
        }
    }

    /// Ends it.
    func endReading() {
        if pinned != nil { return }
        numberStatement.reset()
        if countedRead != nil { stopCounting() }
    }

    /// The list of sort keys that a fetch could be read along; `nil`, and noted, if there is none yet.
    ///
    /// It is asked for before a state is read, which then has the list: the book is told once the list is
    /// committed.
    private func wantedList(for fetch: FetchDescription) -> (order: SortOrder, list: Int64)? {
        // A state that is pinned may be older than the list.
        guard let sortKeys, pinned == nil, !fetch.sortDescriptors.isEmpty,
            let order = SortOrder(fetch, in: schema)
        else { return nil }
        if let list = sortKeys.list(order) { return (order, list) }
        sortKeys.miss(order)
        return nil
    }

    /// The list, if all its keys are in it in the state that is read.
    private func usableList(_ wanted: (order: SortOrder, list: Int64)?) throws(StoreError)
        -> PersistedSortOrder?
    {
        guard let (order, list) = wanted else { return nil }
        let kept = try translating { () throws(SQLiteError) in
            try PersistedSortOrder(order, list, on: connection)
        }
        if kept == nil { sortKeys?.miss(order) }
        return kept
    }

    private func compiled(
        _ fetch: FetchDescription, along list: PersistedSortOrder?
    ) throws(StoreError) -> CompiledQuery {
        try QueryCompiler(
            fetch, schema: schema, hasDigits: hasDigits, textIndexes: textIndexes, sortList: list
        ).query()
    }

    /// Compiles the SQL of a description, of which SQLite has its own opinion on how much may be asked at
    /// once.
    private func statement(_ sql: String) throws(StoreError) -> SQLiteStatement {
        do throws(SQLiteError) {
            return try connection.prepare(sql)
        } catch .failed, .tooBig {
            throw .predicate(
                "The fetch asks for more at once than a store can answer, or for what has no meaning together: ask for less, or for simpler expressions."
            )
        } catch {
            throw StoreError(error)
        }
    }

    private func prepared(
        _ shape: QueryShape, _ fetch: FetchDescription, along list: PersistedSortOrder?
    ) throws(StoreError) -> PreparedQuery {
        let shape = list.map { shape.bytes + Array("along \($0.list) \($0.mayHoldGone)".utf8) } ?? shape.bytes
        if let prepared = queries[shape] { return prepared }
        let query = try compiled(fetch, along: list)
        let statement = try statement(query.sql)
        let prepared = PreparedQuery(query: query, statement: statement, context: context)
        queries.insert(prepared, for: shape)
        return prepared
    }

    private func reply(
        to prepared: PreparedQuery, from beginning: Beginning, partByteCount: Int,
        _ part: (FetchReplyMessage) -> Void
    ) throws(StoreError) -> FetchReplyMessage {
        let number = beginning.number
        guard prepared.query.resultType == .count else {
            var budget = ByteBudget()
            var count: UInt64 = 0
            func answer(_ rows: PackedRows) -> FetchReplyMessage {
                count += UInt64(rows.rowCount)
                return FetchReplyMessage(number: number, count: count, rows: rows)
            }
            return answer(
                try prepared.rows(
                    hasRow: beginning.hasRow, within: &budget, partByteCount: partByteCount
                ) { part(answer($0)) })
        }
        let statement = prepared.statement
        defer { statement.reset() }
        let count = beginning.hasRow ? UInt64(clamping: statement.int64(0)) : 0
        return FetchReplyMessage(number: number, count: count, rows: nil)
    }
}
