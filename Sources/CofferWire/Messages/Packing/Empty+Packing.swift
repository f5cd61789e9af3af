extension EmptyMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.ReleaseReply" }

    static var readLimit: MessageLimit { .small }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() { try reader.skip(field) }
    }

    func write(to writer: inout FieldWriter) {}

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() -> [UInt8] { [] }
}
