// Made by Protos/generate: do not edit.

/// What fits.
///
/// `coffer.v1.FetchReply`.
package struct FetchReplyMessage: Sendable, Equatable {
    /// The transaction number that the rows belong to.
    package var number: UInt64
    /// How many objects fit, or rows there are.
    package var count: UInt64
    /// Absent for a count.
    package var rows: PackedRows?

    /// A message from its fields.
    package init(number: UInt64, count: UInt64, rows: PackedRows?) {
        self.number = number
        self.count = count
        self.rows = rows
    }
}

extension FetchReplyMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.FetchReply" }

    var aboutByteCount: Int { 20 + (rows?.aboutByteCount ?? 0) }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(number: 0, count: 0, rows: nil)
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        var rowsRun = MergedRun()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: number = try reader.number(field)
            case 2: count = try reader.number(field)
            case 3: unsafe rowsRun.take(try reader.run(field))
            default: try reader.skip(field)
            }
        }
        rows = try reader.message(of: rowsRun)
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: number)
        writer.put(2, number: count)
        if let rows { try writer.put(3, message: rows) }
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}
