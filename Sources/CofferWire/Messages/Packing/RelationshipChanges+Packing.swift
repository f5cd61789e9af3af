extension SetChange: FieldMessage {
    static var name: StaticString { "coffer.v1.SetChange" }

    var aboutByteCount: Int { 24 + 16 * owners.count + removed.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: 0, property: 0, owners: [], targets: [])
        while let field = try reader.nextField() {
            switch field.number {
            case 1: entity = Int(try reader.number32(field))
            case 2: property = Int(try reader.number32(field))
            case 3: try reader.append(field, to: &owners)
            case 4: try reader.append(field, to: &targets)
            case 5: removed = try reader.bytes(field)
            default: try reader.skip(field)
            }
        }
        try check(targets.count, of: owners.count, "coffer.v1.SetChange.targets")
        guard removed.isEmpty || removed.count == (owners.count + 7) / 8 else {
            throw .malformed(
                "coffer.v1.SetChange.removed: \(removed.count) bytes for \(owners.count) rows")
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, number: UInt64(entity))
        writer.put(2, number: UInt64(property))
        writer.put(3, numbers: owners)
        writer.put(4, numbers: targets)
        writer.put(5, bytes: removed)
    }
}

extension OrderChange: FieldMessage {
    static var name: StaticString { "coffer.v1.OrderChange" }

    var aboutByteCount: Int { 28 + 24 * owners.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: 0, property: 0, owners: [], members: [], after: [])
        while let field = try reader.nextField() {
            switch field.number {
            case 1: entity = Int(try reader.number32(field))
            case 2: property = Int(try reader.number32(field))
            case 3: try reader.append(field, to: &owners)
            case 4: try reader.append(field, to: &members)
            case 5: try reader.append(field, to: &after)
            default: try reader.skip(field)
            }
        }
        try check(members.count, of: owners.count, "coffer.v1.OrderChange.members")
        try check(after.count, of: owners.count, "coffer.v1.OrderChange.after")
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, number: UInt64(entity))
        writer.put(2, number: UInt64(property))
        writer.put(3, numbers: owners)
        writer.put(4, numbers: members)
        writer.put(5, numbers: after)
    }
}
