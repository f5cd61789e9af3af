internal import CofferSQLite

/// Values whose memory stays when they go: to forget them, and to put others in their places, costs nothing.
struct ReusableBuffer<Value: BitwiseCopyable & ExpressibleByIntegerLiteral> {
    /// The values, and behind them what is left of those before.
    private(set) var values: [Value] = []
    /// How many there are.
    private(set) var count = 0

    /// Adds a value.
    @inline(__always)
    mutating func append(_ value: Value) {
        if count < values.count { values[count] = value } else { values.append(value) }
        count += 1
    }

    /// Adds so many zeros.
    mutating func append(zeros zeroCount: Int) {
        for _ in 0..<zeroCount { append(0) }
    }

    /// Forgets all values, with their memory unless that is kept.
    mutating func removeAll(keepingCapacity: Bool) {
        count = 0
        if !keepingCapacity { values = [] }
    }

    /// How many there is room for.
    var capacity: Int { values.capacity }

    /// The last value, to be changed.
    var last: Value {
        get { values[count - 1] }
        set { values[count - 1] = newValue }
    }
}

extension ReusableBuffer<UInt8> {
    /// Adds the text in a column of the row that a statement stands on.
    @inline(__always)
    mutating func append(textIn column: Int, of statement: SQLiteStatement) {
        statement.putText(column, into: &values, behind: &count)
    }

    /// Adds the blob in a column of the row that a statement stands on.
    @inline(__always)
    mutating func append(blobIn column: Int, of statement: SQLiteStatement) {
        statement.putBlob(column, into: &values, behind: &count)
    }

    /// Adds bytes.
    @inline(__always)
    mutating func append(_ bytes: RawSpan) {
        let (start, end) = (count, count + bytes.byteCount)
        if end > values.count {
            extend(bytes)
        } else if end > start {
            unsafe values.withUnsafeMutableBytes { room in
                unsafe bytes.withUnsafeBytes { bytes in
                    unsafe UnsafeMutableRawBufferPointer(rebasing: room[start..<end]).copyMemory(from: bytes)
                }
            }
        }
        count = end
    }

    @inline(never)
    private mutating func extend(_ bytes: RawSpan) {
        if count < values.count { values.removeLast(values.count - count) }
        unsafe bytes.withUnsafeBytes { unsafe values.append(contentsOf: $0) }
    }
}
