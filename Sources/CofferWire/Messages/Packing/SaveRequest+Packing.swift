internal import FoundationEssentials

extension SaveRequestMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.SaveRequest" }

    var aboutByteCount: Int {
        72 + author.utf8.count + contextName.utf8.count + inserts.aboutByteCount + updates.aboutByteCount
            + deletes.aboutByteCount + setChanges.aboutByteCount + orderChanges.aboutByteCount
            + metadata.aboutByteCount
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(store: 0, request: RequestIDMessage(client: .zero, sequence: 0, acknowledged: 0))
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        var request = MergedRun()
        var mergePolicy: UInt32 = 0
        var constraintPolicy: UInt32 = 0
        var batch = BatchFields()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: store = try reader.number32(field)
            case 2: unsafe request.take(try reader.run(field))
            case 3: author = try reader.text(field, "coffer.v1.SaveRequest.author")
            case 4: contextName = try reader.text(field, "coffer.v1.SaveRequest.context_name")
            case 5: mergePolicy = try reader.number32(field)
            case 6: try inserts.append(reader.message(field), "coffer.v1.SaveRequest.inserts")
            case 7: try updates.append(reader.message(field), "coffer.v1.SaveRequest.updates")
            case 8: try deletes.append(reader.message(field), "coffer.v1.SaveRequest.deletes")
            case 9: try setChanges.append(reader.message(field), "coffer.v1.SaveRequest.set_changes")
            case 10: constraintPolicy = try reader.number32(field)
            case 11...14: try batch.read(field, from: &reader)
            case 15: try orderChanges.append(reader.message(field), "coffer.v1.SaveRequest.order_changes")
            case 16: isBackground = try reader.flag(field)
            case 17: try metadata.append(reader.message(field), "coffer.v1.SaveRequest.metadata")
            default: try reader.skip(field)
            }
        }
        self.request = try reader.message(of: request, "coffer.v1.SaveRequest.request")
        self.mergePolicy = try choice(mergePolicy, "coffer.v1.SaveRequest.merge_policy")
        if constraintPolicy > 0 {
            self.constraintPolicy = try choice(
                constraintPolicy - 1, "coffer.v1.SaveRequest.constraint_policy")
        }
        self.batch = try batch.message()
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(store))
        try writer.put(2, message: request)
        writer.put(3, text: author)
        writer.put(4, text: contextName)
        writer.put(5, number: UInt64(mergePolicy.rawValue))
        try writer.put(6, messages: inserts)
        try writer.put(7, messages: updates)
        try writer.put(8, messages: deletes)
        try writer.put(9, messages: setChanges)
        if let constraintPolicy { writer.always(10, number: UInt64(constraintPolicy.rawValue) + 1) }
        try batch?.write(to: &writer)
        try writer.put(15, messages: orderChanges)
        writer.put(16, flag: isBackground)
        try writer.put(17, messages: metadata)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}
