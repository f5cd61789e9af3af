extension KeyReservation: FieldMessage {
    static var name: StaticString { "coffer.v1.KeyReservation" }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: 0, count: 0)
        while let field = try reader.nextField() {
            switch field.number {
            case 1: entity = Int(try reader.number32(field))
            case 2: count = Int(try reader.number32(field))
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, number: UInt64(entity))
        writer.put(2, number: UInt64(count))
    }
}

extension ReserveKeysRequestMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.ReserveKeysRequest" }

    static var readLimit: MessageLimit { .small }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(store: 0, reservations: [])
        while let field = try reader.nextField() {
            switch field.number {
            case 1: store = try reader.number32(field)
            case 2:
                try reservations.append(
                    reader.message(field), "coffer.v1.ReserveKeysRequest.reservations")
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(store))
        try writer.put(2, messages: reservations)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}
