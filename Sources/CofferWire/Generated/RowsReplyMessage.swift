// Made by Protos/generate: do not edit.

/// The rows that exist, in the order of the request; rows of the leaf entities have the columns of their own
/// entity's properties.
///
/// `coffer.v1.RowsReply`.
package struct RowsReplyMessage: Sendable, Equatable {
    /// The transaction number that the rows belong to.
    package var number: UInt64
    /// One for each leaf entity that occurs.
    package var batches: [PackedRows]

    /// A message from its fields.
    package init(number: UInt64, batches: [PackedRows]) {
        self.number = number
        self.batches = batches
    }
}

extension RowsReplyMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.RowsReply" }

    var aboutByteCount: Int { 8 + batches.aboutByteCount }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(number: 0, batches: [])
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field.number {
            case 1: number = try reader.number(field)
            case 2: try batches.append(reader.message(field), "coffer.v1.RowsReply.batches")
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: number)
        try writer.put(2, messages: batches)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}
