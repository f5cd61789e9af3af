extension MetadataChangeMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.MetadataChange" }

    var aboutByteCount: Int { 16 + key.utf8.count + propertyList.count + former.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(key: "")
        while let field = try reader.nextField() {
            switch field.number {
            case 1: key = try reader.text(field, "coffer.v1.MetadataChange.key")
            case 2: propertyList = try reader.bytes(field)
            case 3: former = try reader.bytes(field)
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, text: key)
        writer.put(2, bytes: propertyList)
        writer.put(3, bytes: former)
    }
}
