extension SaveReplyMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.SaveReply" }

    var aboutByteCount: Int {
        if case .saved(let saved) = self { saved.aboutByteCount + 6 } else { 0 }
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        var outcome: SaveReplyMessage?  // Of several the last counts.
        while let field = try reader.nextField() {
            switch field.number {
            case 1: outcome = .saved(try reader.message(field))
            case 2: outcome = .conflicts(try reader.message(field, as: SaveFaults.self).faults)
            case 3: outcome = .invalid(try reader.message(field, as: SaveFaults.self).faults)
            case 4: outcome = .constraints(try reader.message(field, as: SaveFaults.self).faults)
            default: try reader.skip(field)
            }
        }
        guard let outcome else { throw .malformed("coffer.v1.SaveReply: without an outcome") }
        self = outcome
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        switch self {
        case .saved(let saved): try writer.put(1, message: saved)
        case .conflicts(let conflicts): try writer.put(2, message: SaveFaults(faults: conflicts))
        case .invalid(let failures): try writer.put(3, message: SaveFaults(faults: failures))
        case .constraints(let conflicts): try writer.put(4, message: SaveFaults(faults: conflicts))
        }
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}

extension SavedMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.Saved" }

    var aboutByteCount: Int {
        40 + 8 * firstKeys.count + 12 * merged.count + refreshed.aboutByteCount + alsoDeleted.aboutByteCount
            + batch.changes.aboutByteCount + derived.aboutByteCount + touched.aboutByteCount
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(number: 0)
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        var places: [UInt32] = []
        var keys: [Int64] = []
        while let field = try reader.nextField() {
            switch field.number {
            case 1: number = try reader.number(field)
            case 2: try reader.append(field, to: &firstKeys)
            case 3: try refreshed.append(reader.message(field), "coffer.v1.Saved.refreshed")
            case 4: try alsoDeleted.append(reader.message(field), "coffer.v1.Saved.also_deleted")
            case 5: try reader.append(field, to: &places)
            case 6: try reader.append(field, to: &keys)
            case 7: batch.count = try reader.number(field)
            case 8: try batch.changes.append(reader.message(field), "coffer.v1.Saved.batch_changes")
            case 9: try derived.append(reader.message(field), "coffer.v1.Saved.derived")
            case 10: try touched.append(reader.message(field), "coffer.v1.Saved.touched")
            case 11: isWritten = try !reader.flag(field)
            default: try reader.skip(field)
            }
        }
        try check(keys.count, of: places.count, "coffer.v1.Saved.merged_keys")
        for (place, key) in zip(places, keys) { merged[Int(place)] = key }
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: number)
        writer.put(2, numbers: firstKeys)
        try writer.put(3, messages: refreshed)
        try writer.put(4, messages: alsoDeleted)
        if !merged.isEmpty {
            let places = merged.keys.sorted()
            writer.put(5, numbers: places.map { UInt32($0) })
            writer.put(6, numbers: places.map { merged[$0] ?? 0 })
        }
        writer.put(7, number: batch.count)
        try writer.put(8, messages: batch.changes)
        try writer.put(9, messages: derived)
        try writer.put(10, messages: touched)
        writer.put(11, flag: !isWritten)
    }
}
