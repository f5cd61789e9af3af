extension ReleaseRequestMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.ReleaseRequest" }

    static var readLimit: MessageLimit { .request }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init()
        var runs = KeyRuns()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: store = try reader.number32(field)
            case 2: entity = Int(try reader.number32(field))
            case 3: try reader.append(field, to: &runs.starts)
            case 4: contexts = try reader.zigzag32(field)
            case 5: generation = try reader.number(field)
            case 6:
                let name: StaticString = "coffer.v1.ReleaseRequest.counts"
                try reader.append(field, to: &runs.counts, name, limit: Limits.releasedKeys)
            default: try reader.skip(field)
            }
        }
        primaryKeys = try runs.keys(limit: Limits.releasedKeys, field: "coffer.v1.ReleaseRequest")
    }

    func write(to writer: inout FieldWriter) {
        let runs = KeyRuns(primaryKeys)
        writer.put(1, number: UInt64(store))
        writer.put(2, number: UInt64(entity))
        writer.put(3, numbers: runs.starts)
        writer.put(4, zigzag: contexts)
        writer.put(5, number: generation)
        writer.put(6, varints: runs.counts)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}
