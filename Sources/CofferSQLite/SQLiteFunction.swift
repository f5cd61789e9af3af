internal import CSQLite

/// What a function of ours answers to SQL.
package enum SQLiteFunctionResult: Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    /// Fails the statement with this message.
    case failure(String)
}

/// The arguments of one call of a function, lent for that call.
@safe package struct SQLiteFunctionArguments: ~Copyable {
    private let values: UnsafeMutablePointer<OpaquePointer?>?

    /// How many there are.
    package let count: Int

    init(_ values: UnsafeMutablePointer<OpaquePointer?>?, count: Int32) {
        unsafe self.values = values
        self.count = Int(count)
    }

    /// The type of an argument.
    package func type(_ index: Int) -> SQLiteType {
        unsafe SQLiteType(code: sqlite3_value_type(value(index)))
    }

    /// Whether an argument is null.
    package func isNull(_ index: Int) -> Bool { unsafe sqlite3_value_type(value(index)) == SQLITE_NULL }

    /// An argument as an integer.
    package func int64(_ index: Int) -> Int64 { unsafe sqlite3_value_int64(value(index)) }

    /// An argument as a number.
    package func double(_ index: Int) -> Double { unsafe sqlite3_value_double(value(index)) }

    /// An argument as a text; what is not UTF-8 is replaced.
    package func text(_ index: Int) -> String {
        unsafe String(decoding: textBytes(index), as: UTF8.self)
    }

    /// An argument as a blob.
    package func blob(_ index: Int) -> [UInt8] {
        let start = unsafe sqlite3_value_blob(value(index))
        let count = unsafe start == nil ? 0 : Int(sqlite3_value_bytes(value(index)))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private func textBytes(_ index: Int) -> UnsafeRawBufferPointer {
        let start = unsafe sqlite3_value_text(value(index))
        let count = unsafe start == nil ? 0 : Int(sqlite3_value_bytes(value(index)))
        return unsafe UnsafeRawBufferPointer(start: start, count: count)
    }

    private func value(_ index: Int) -> OpaquePointer? {
        precondition(index >= 0 && index < count, "a function read an argument that it does not have")
        return unsafe values?[index]
    }
}

/// The body of a function, owned by SQLite until the function or the connection goes.
final class FunctionBody {
    let body: (borrowing SQLiteFunctionArguments) -> SQLiteFunctionResult

    init(_ body: @escaping (borrowing SQLiteFunctionArguments) -> SQLiteFunctionResult) { self.body = body }

    func answer(_ context: OpaquePointer, _ arguments: borrowing SQLiteFunctionArguments) {
        switch body(arguments) {
        case .null: unsafe sqlite3_result_null(context)
        case .integer(let value): unsafe sqlite3_result_int64(context, value)
        case .real(let value): unsafe sqlite3_result_double(context, value)
        case .text(var value):
            value.withUTF8 { text in
                guard let start = text.baseAddress, !text.isEmpty else {
                    return unsafe coffer_sqlite_result_text(context, "", 0)
                }
                unsafe coffer_sqlite_result_text(context, start, UInt64(text.count))
            }
        case .blob(let value):
            if value.isEmpty { return unsafe sqlite3_result_zeroblob(context, 0) }
            unsafe coffer_sqlite_result_blob(context, value, UInt64(value.count))
        case .failure(let message): unsafe sqlite3_result_error(context, message, -1)
        }
    }
}

extension SQLiteConnection {
    /// Makes `body` callable from SQL on this connection.
    ///
    /// - Parameters:
    ///   - name: Its name in SQL; an earlier function with it and as many arguments goes.
    ///   - arguments: How many it takes; -1 for any number.
    ///   - isDeterministic: Whether the same arguments always give the same answer.
    ///   - isInnocuous: Whether the schema may call it even if the schema is not trusted: it reads nothing
    ///     but its arguments and changes nothing.
    ///   - body: Must not use the connection.
    /// - Throws: `misuse` for a name or a count that SQLite does not take, `busy` while a statement runs.
    package func registerFunction(
        name: String, arguments: Int, isDeterministic: Bool, isInnocuous: Bool,
        _ body: @escaping (borrowing SQLiteFunctionArguments) -> SQLiteFunctionResult
    ) throws(SQLiteError) {
        let flags =
            SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0)
            | (isInnocuous ? SQLITE_INNOCUOUS : SQLITE_DIRECTONLY)
        let context = unsafe Unmanaged.passRetained(FunctionBody(body)).toOpaque()
        // SQLite calls the destructor if registering fails, too.
        let code = unsafe sqlite3_create_function_v2(
            database.handle, name, Int32(clamping: arguments), flags, context,
            { context, count, values in
                guard let context = unsafe context, let body = unsafe sqlite3_user_data(context) else {
                    return
                }
                unsafe Unmanaged<FunctionBody>.fromOpaque(body).takeUnretainedValue()
                    .answer(context, SQLiteFunctionArguments(values, count: count))
            }, nil, nil,
            { body in
                if let body = unsafe body { unsafe Unmanaged<FunctionBody>.fromOpaque(body).release() }
            })
        try database.check(code)
    }
}
