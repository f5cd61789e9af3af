internal import CSQLite

/// The type of one value, which in SQLite is the value's own, not its column's.
package enum SQLiteType: Sendable {
    case integer
    case real
    case text
    case blob
    case null

    init(code: Int32) {
        self =
            switch code {
            case SQLITE_INTEGER: .integer
            case SQLITE_FLOAT: .real
            case SQLITE_TEXT: .text
            case SQLITE_BLOB: .blob
            default: .null
            }
    }
}

/// Columns of the row it stands on, each converted as SQLite converts; null, 0 or empty if there is none.
///
/// Reading a value as the type that it has never fails: its memory was taken by `step()`.
extension SQLiteStatement {
    /// The value's type, which reading it as another type may change: ask first.
    package func type(_ column: Int) -> SQLiteType {
        unsafe SQLiteType(code: sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)))
    }

    /// Whether the value is null.
    package func isNull(_ column: Int) -> Bool {
        unsafe sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
    }

    /// The value as an integer.
    package func int64(_ column: Int) -> Int64 {
        unsafe sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column))
    }

    /// The value as a number.
    package func double(_ column: Int) -> Double {
        unsafe sqlite3_column_double(handle, Int32(truncatingIfNeeded: column))
    }

    /// The value as a text; what is not UTF-8 is replaced.
    package func text(_ column: Int) -> String {
        unsafe String(decoding: textBytes(column), as: UTF8.self)
    }

    /// The value as a blob.
    package func blob(_ column: Int) -> [UInt8] {
        unsafe Array(blobBytes(column))
    }

    /// Appends the value's text to `bytes` as it is stored, not checked to be UTF-8; returns how many bytes.
    @discardableResult
    package func appendText(_ column: Int, to bytes: inout [UInt8]) -> Int {
        let value = unsafe textBytes(column)
        unsafe bytes.append(contentsOf: value)
        return value.count
    }

    /// Appends the value's blob to `bytes`; returns how many bytes.
    @discardableResult
    package func appendBlob(_ column: Int, to bytes: inout [UInt8]) -> Int {
        let value = unsafe blobBytes(column)
        unsafe bytes.append(contentsOf: value)
        return value.count
    }

    /// Writes the value's text, as it is stored, behind the first `count` of `bytes`, over what is there, and
    /// counts it.
    ///
    /// Without a closure, which would be called for each value of each row.
    package func putText(_ column: Int, into bytes: inout [UInt8], behind count: inout Int) {
        unsafe Self.put(textBytes(column), into: &bytes, behind: &count)
    }

    /// Writes the value's blob behind the first `count` of `bytes`, over what is there, and counts it.
    package func putBlob(_ column: Int, into bytes: inout [UInt8], behind count: inout Int) {
        unsafe Self.put(blobBytes(column), into: &bytes, behind: &count)
    }

    @inline(__always)
    private static func put(
        _ value: UnsafeRawBufferPointer, into bytes: inout [UInt8], behind count: inout Int
    ) {
        let end = count + value.count
        if end > bytes.count {
            unsafe extend(&bytes, to: count, by: value)
        } else if let start = value.baseAddress {
            let count = count
            unsafe bytes.withUnsafeMutableBytes { room in
                unsafe room.baseAddress?.advanced(by: count).copyMemory(from: start, byteCount: value.count)
            }
        }
        count = end
    }

    @inline(never)
    private static func extend(_ bytes: inout [UInt8], to count: Int, by value: UnsafeRawBufferPointer) {
        if count < bytes.count { bytes.removeLast(bytes.count - count) }
        unsafe bytes.append(contentsOf: value)
    }

    /// Lends the value's blob without a copy.
    package func withBlob<Result, Failure>(
        _ column: Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe blobBytes(column).bytes)
    }

    /// Valid until the next step, reset, or reading of the same column as another type.
    @inline(__always)
    private func textBytes(_ column: Int) -> UnsafeRawBufferPointer {
        // The value once, and then what it holds: each look into a column ends with a check of the whole
        // connection. A column's value may be used so only if connections lock nothing themselves, as ours
        // do; sqlite.org/c3ref/column_blob.html.
        let value = unsafe sqlite3_column_value(handle, Int32(truncatingIfNeeded: column))
        let start = unsafe sqlite3_value_text(value)  // Before the count, since it may convert.
        return unsafe UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }

    @inline(__always)
    private func blobBytes(_ column: Int) -> UnsafeRawBufferPointer {
        let value = unsafe sqlite3_column_value(handle, Int32(truncatingIfNeeded: column))
        let start = unsafe sqlite3_value_blob(value)
        return unsafe UnsafeRawBufferPointer(
            start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }
}
