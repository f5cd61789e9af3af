internal import CSQLite

extension SQLiteStatement {
    /// Binds an integer; throws `misuse` if there is no such parameter or the statement stands on a row.
    package func bind(_ value: Int64, at index: Int) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: index), value))
    }

    /// Binds a number; not-a-number becomes null.
    package func bind(_ value: Double, at index: Int) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_double(handle, Int32(truncatingIfNeeded: index), value))
    }

    /// Binds null.
    package func bindNull(at index: Int) throws(SQLiteError) {
        try check(unsafe sqlite3_bind_null(handle, Int32(truncatingIfNeeded: index)))
    }

    /// Binds a text, which may hold zero bytes.
    package func bind(_ value: String, at index: Int) throws(SQLiteError) {
        var value = value
        try check(value.withUTF8 { unsafe bind(UnsafeRawBufferPointer($0), as: .text, at: index) })
    }

    /// Binds a blob.
    package func bind(_ value: [UInt8], at index: Int) throws(SQLiteError) {
        try check(unsafe value.withUnsafeBytes { unsafe bind($0, as: .blob, at: index) })
    }

    /// Binds a part of `bytes` as a blob.
    ///
    /// - Precondition: `range` lies within `bytes`.
    package func bindBlob(_ bytes: [UInt8], range: Range<Int>, at index: Int) throws(SQLiteError) {
        try check(unsafe bytes[range].withUnsafeBytes { unsafe bind($0, as: .blob, at: index) })
    }

    /// Binds a part of `bytes` as a text; the caller has checked that it is UTF-8.
    ///
    /// - Precondition: `range` lies within `bytes`.
    package func bindText(_ bytes: [UInt8], range: Range<Int>, at index: Int) throws(SQLiteError) {
        try check(unsafe bytes[range].withUnsafeBytes { unsafe bind($0, as: .text, at: index) })
    }

    /// Binds lent bytes as a blob.
    package func bindBlob(_ bytes: RawSpan, at index: Int) throws(SQLiteError) {
        try check(unsafe bytes.withUnsafeBytes { unsafe bind($0, as: .blob, at: index) })
    }

    /// Binds lent bytes as a blob.
    package func bindBlob(_ bytes: Span<UInt8>, at index: Int) throws(SQLiteError) {
        try check(unsafe bytes.withUnsafeBytes { unsafe bind($0, as: .blob, at: index) })
    }

    /// Binds lent bytes as a text; the caller has checked that they are UTF-8.
    package func bindText(_ bytes: RawSpan, at index: Int) throws(SQLiteError) {
        try check(unsafe bytes.withUnsafeBytes { unsafe bind($0, as: .text, at: index) })
    }

    private enum Kind { case text, blob }

    /// A short value goes into a buffer of ours, which SQLite reads in place; a long one SQLite copies.
    @inline(__always)
    private func bind(_ bytes: UnsafeRawBufferPointer, as kind: Kind, at index: Int) -> Int32 {
        // The buffer may be in use until the statement leaves its row.
        guard !isRunning, index >= 1, index <= parameterCount else { return SQLITE_MISUSE }
        let (number, count) = (Int32(truncatingIfNeeded: index), UInt64(bytes.count))
        if bytes.count <= Limits.keptBindingBytes {
            let copy = unsafe buffers.copy(bytes, at: index - 1)
            return switch kind {
            case .text: unsafe coffer_sqlite_bind_text_static(handle, number, copy, count)
            case .blob: unsafe coffer_sqlite_bind_blob_static(handle, number, copy, count)
            }
        }
        return switch kind {
        case .text: unsafe coffer_sqlite_bind_text_copy(handle, number, bytes.baseAddress, count)
        case .blob: unsafe coffer_sqlite_bind_blob_copy(handle, number, bytes.baseAddress, count)
        }
    }

    @inline(__always)
    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw bindingError(code) }
    }

    @inline(never)
    private func bindingError(_ code: Int32) -> SQLiteError {
        guard code == SQLITE_MISUSE || code == SQLITE_RANGE else { return database.error(code, sql: sql) }
        return .misuse(message: isRunning ? "bound while on a row: \(sql)" : "no such parameter in: \(sql)")
    }
}
