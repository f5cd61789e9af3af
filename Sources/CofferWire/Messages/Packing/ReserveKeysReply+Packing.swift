extension ReserveKeysReplyMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.ReserveKeysReply" }

    static var readLimit: MessageLimit { .small }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(firstKeys: [])
        while let field = try reader.nextField() {
            switch field.number {
            case 1: try reader.append(field, to: &firstKeys)
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) { writer.put(1, numbers: firstKeys) }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}
