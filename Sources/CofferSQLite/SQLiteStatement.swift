internal import CSQLite

/// One compiled statement of one connection, confined with it to one thread at a time.
///
/// It keeps the file open. Parameters count from 1 and columns from 0, as in SQL.
@safe package final class SQLiteStatement {
    /// The text it was compiled from.
    package let sql: String
    /// Parameters that can be bound.
    package let parameterCount: Int

    let handle: OpaquePointer
    let database: SQLiteDatabase
    let buffers: BindingBuffers

    // Read and written whole, here only: exclusivity needs no check at run time, which each row would pay
    // for.
    @exclusivity(unchecked) private var isOnRow = false

    init(_ sql: String, on database: SQLiteDatabase) throws(SQLiteError) {
        var handle: OpaquePointer?
        var consumed = 0
        var sql = sql
        let code = sql.withUTF8 { text in
            var tail: UnsafePointer<CChar>?
            let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
            return unsafe text.withMemoryRebound(to: CChar.self) { text in
                guard let start = text.baseAddress else { return SQLITE_OK }
                let code = unsafe sqlite3_prepare_v3(
                    database.handle, start, Int32(clamping: text.count), flags, &handle, &tail)
                consumed = unsafe tail.map { unsafe $0 - start } ?? text.count
                return code
            }
        }
        guard code == SQLITE_OK else { throw database.error(code, sql: sql) }
        guard let compiled = unsafe handle else { throw .misuse(message: "no statement in: \(sql)") }
        let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ";")]
        guard sql.utf8.dropFirst(consumed).allSatisfy(blanks.contains) else {
            unsafe sqlite3_finalize(compiled)
            throw .misuse(message: "more than one statement in: \(sql)")
        }
        unsafe self.handle = compiled
        self.database = database
        self.sql = sql
        parameterCount = unsafe Int(sqlite3_bind_parameter_count(compiled))
        buffers = BindingBuffers(count: parameterCount)
    }

    deinit {
        unsafe sqlite3_finalize(handle)
        buffers.free()
    }

    /// Columns of a row; 0 for a statement that answers none.
    package var columnCount: Int { unsafe Int(sqlite3_column_count(handle)) }

    /// Whether running it leaves the file as it is.
    package var isReadOnly: Bool { unsafe sqlite3_stmt_readonly(handle) != 0 }

    /// Whether it stands on a row: then nothing can be bound, and it holds a read transaction open.
    package var isRunning: Bool { unsafe isOnRow }

    /// The name of a column, as the statement has it; empty if there is none.
    package func columnName(_ column: Int) -> String {
        unsafe sqlite3_column_name(handle, Int32(clamping: column)).map { unsafe String(cString: $0) } ?? ""
    }

    /// Goes to the next row; `false` after the last one, when it is reset and can be bound and run again.
    ///
    /// An error resets it too.
    package func step() throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW {
            unsafe isOnRow = true
            return true
        }
        guard code == SQLITE_DONE else { throw failure(code) }
        reset()
        return false
    }

    /// Runs it to its end, ignoring rows, and resets it.
    package func run() throws(SQLiteError) {
        while try step() {}
    }

    /// Runs it to its end, or says which rule of a table forbids that: then it changed nothing.
    ///
    /// - Throws: `constraint` as well if the whole transaction ended by that, as a trigger may demand.
    package func runUnlessForbidden() throws(SQLiteError) -> (code: Int32, message: String)? {
        do throws(SQLiteError) {
            try run()
            return nil
        } catch .constraint(let code, let message) {
            if unsafe sqlite3_get_autocommit(database.handle) != 0 {
                throw .constraint(extendedCode: code, message: message)
            }
            return (code, message)
        }
    }

    /// Leaves its rows, so that it can be bound and run again; parameters keep their values.
    package func reset() {
        unsafe sqlite3_reset(handle)
        unsafe isOnRow = false
    }

    /// Makes all parameters null.
    package func clearBindings() {
        if parameterCount > 0 { unsafe sqlite3_clear_bindings(handle) }
    }

    private func failure(_ code: Int32) -> SQLiteError {
        let error = database.error(code, sql: sql)
        if !isReadOnly { database.failedWrites += 1 }
        reset()
        return error
    }
}
