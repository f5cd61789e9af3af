extension RelationshipRequestMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.RelationshipRequest" }

    static var readLimit: MessageLimit { .request }

    var aboutByteCount: Int { 48 + 8 * primaryKeys.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(store: 0, entity: 0, property: 0, primaryKeys: [])
        while let field = try reader.nextField() {
            switch field.number {
            case 1: store = try reader.number32(field)
            case 2: entity = Int(try reader.number32(field))
            case 3: property = Int(try reader.number32(field))
            case 4: try reader.append(field, to: &primaryKeys)
            case 5: withRows = try reader.flag(field)
            case 6: generation = try reader.number(field)
            case 7: withoutExternalValues = try reader.flag(field)
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, number: UInt64(store))
        writer.put(2, number: UInt64(entity))
        writer.put(3, number: UInt64(property))
        writer.put(4, numbers: primaryKeys)
        writer.put(5, flag: withRows)
        writer.put(6, number: generation)
        writer.put(7, flag: withoutExternalValues)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}
