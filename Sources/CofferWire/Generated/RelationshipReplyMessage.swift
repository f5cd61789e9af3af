// Made by Protos/generate: do not edit.

/// The objects of all owners behind each other, owners in the order of the request.
///
/// `coffer.v1.RelationshipReply`.
package struct RelationshipReplyMessage: Sendable, Equatable {
    /// The transaction number that they belong to.
    package var number: UInt64
    /// The objects of owner i end before ends[i].
    package var ends: [UInt32]
    /// Of the objects.
    package var primaryKeys: [Int64]
    /// Leaf entity of each.
    package var entities: [UInt32]
    /// With `with_rows`: each object's row once, a batch for each leaf entity that occurs.
    package var batches: [PackedRows]

    /// A message from its fields.
    package init(
        number: UInt64, ends: [UInt32], primaryKeys: [Int64], entities: [UInt32], batches: [PackedRows] = []
    ) {
        self.number = number
        self.ends = ends
        self.primaryKeys = primaryKeys
        self.entities = entities
        self.batches = batches
    }
}

extension RelationshipReplyMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.RelationshipReply" }

    var aboutByteCount: Int {
        26 + 4 * ends.count + 8 * primaryKeys.count + 4 * entities.count + batches.aboutByteCount
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(number: 0, ends: [], primaryKeys: [], entities: [], batches: [])
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field.number {
            case 1: number = try reader.number(field)
            case 2: try reader.append(field, to: &ends)
            case 3: try reader.append(field, to: &primaryKeys)
            case 4: try reader.append(field, to: &entities)
            case 5: try batches.append(reader.message(field), "coffer.v1.RelationshipReply.rows")
            default: try reader.skip(field)
            }
        }
        try checkFields()
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: number)
        writer.put(2, numbers: ends)
        writer.put(3, numbers: primaryKeys)
        writer.put(4, numbers: entities)
        try writer.put(5, messages: batches)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}
