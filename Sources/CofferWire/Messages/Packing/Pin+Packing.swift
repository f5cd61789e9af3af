extension PinRequestMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.PinRequest" }

    static var readLimit: MessageLimit { .small }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(store: 0)
        while let field = try reader.nextField() {
            switch field.number {
            case 1: store = try reader.number32(field)
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) { writer.put(1, number: UInt64(store)) }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}

extension PinReplyMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.PinReply" }

    static var readLimit: MessageLimit { .small }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(generation: 0, number: 0)
        while let field = try reader.nextField() {
            switch field.number {
            case 1: generation = try reader.number(field)
            case 2: number = try reader.number(field)
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, number: generation)
        writer.put(2, number: number)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}
