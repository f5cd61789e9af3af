extension RelationshipReplyMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.RelationshipReply" }

    var aboutByteCount: Int {
        batches.reduce(32 + 4 * ends.count + 12 * primaryKeys.count) { $0 + $1.aboutByteCount + 6 }
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(number: 0, ends: [], primaryKeys: [], entities: [])
        while let field = try reader.nextField() {
            switch field.number {
            case 1: number = try reader.number(field)
            case 2: try reader.append(field, to: &ends)
            case 3: try reader.append(field, to: &primaryKeys)
            case 4: try reader.append(field, to: &entities)
            case 5:
                try batches.append(
                    reader.message(field), "coffer.v1.RelationshipReply.rows", limit: Limits.groups)
            default: try reader.skip(field)
            }
        }
        try Self.check(ends: ends, keyCount: primaryKeys.count, entityCount: entities.count)
    }

    /// Refuses members that are not those of the owners one after the other, each with its entity.
    private static func check(ends: [UInt32], keyCount: Int, entityCount: Int) throws(WireError) {
        guard entityCount == keyCount else {
            throw .malformed("coffer.v1.RelationshipReply.entities: \(entityCount) for \(keyCount) objects")
        }
        var previous: UInt32 = 0
        for end in ends {
            guard end >= previous else { throw .malformed("coffer.v1.RelationshipReply.ends: do not ascend") }
            previous = end
        }
        guard Int(previous) == keyCount else {
            throw .malformed("coffer.v1.RelationshipReply.ends: \(previous) of \(keyCount) objects")
        }
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
