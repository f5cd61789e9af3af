extension RowsReplyMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.RowsReply" }

    var aboutByteCount: Int { 12 + batches.aboutByteCount }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(number: 0, batches: [])
        while let field = try reader.nextField() {
            switch field.number {
            case 1: number = try reader.number(field)
            case 2:
                try batches.append(reader.message(field), "coffer.v1.RowsReply.batches", limit: Limits.groups)
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
