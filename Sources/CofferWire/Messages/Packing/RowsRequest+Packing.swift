extension RowsRequestMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.RowsRequest" }

    static var readLimit: MessageLimit { .request }

    var aboutByteCount: Int { 48 + 8 * primaryKeys.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(store: 0, entity: 0, primaryKeys: [])
        while let field = try reader.nextField() {
            switch field.number {
            case 1: store = try reader.number32(field)
            case 2: entity = Int(try reader.number32(field))
            case 3: try reader.append(field, to: &primaryKeys)
            case 4: withoutHolding = try reader.flag(field)
            case 5:
                let age = try reader.number(field)
                maximumAge = age > 0 ? age - 1 : nil
            case 6: generation = try reader.number(field)
            case 7: withoutExternalValues = try reader.flag(field)
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, number: UInt64(store))
        writer.put(2, number: UInt64(entity))
        writer.put(3, numbers: primaryKeys)
        writer.put(4, flag: withoutHolding)
        if let maximumAge { writer.always(5, number: min(maximumAge, .max - 1) + 1) }
        writer.put(6, number: generation)
        writer.put(7, flag: withoutExternalValues)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}
