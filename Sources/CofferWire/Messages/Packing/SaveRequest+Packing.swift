internal import FoundationEssentials

extension RequestIDMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.RequestID" }

    var aboutByteCount: Int { 38 }

    init(reading reader: inout FieldReader) throws(WireError) {
        var client: UUID?
        var sequence: UInt64 = 0
        var acknowledged: UInt64 = 0
        var isRetry = false
        while let field = try reader.nextField() {
            switch field.number {
            case 1: client = try reader.uuid(field, "coffer.v1.RequestID.client")
            case 2: sequence = try reader.fixed(field)
            case 3: acknowledged = try reader.fixed(field)
            case 4: isRetry = try reader.flag(field)
            default: try reader.skip(field)
            }
        }
        guard let client else { throw .malformed("coffer.v1.RequestID.client: absent") }
        self.init(client: client, sequence: sequence, acknowledged: acknowledged, isRetry: isRetry)
    }

    func write(to writer: inout FieldWriter) {
        writer.always(1, uuid: client)
        writer.put(2, fixed: sequence)
        writer.put(3, fixed: acknowledged)
        writer.put(4, flag: isRetry)
    }
}

extension InsertGroup: FieldMessage {
    static var name: StaticString { "coffer.v1.InsertGroup" }

    var aboutByteCount: Int { 24 + 16 * temporaryIDs.count + columns.aboutByteCount + assigned.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: 0, temporaryIDs: [], columns: [])
        while let field = try reader.nextField() {
            switch field.number {
            case 1: entity = Int(try reader.number32(field))
            case 2: temporaryIDs = try reader.uuids(field, "coffer.v1.InsertGroup.temporary_ids")
            case 3: try columns.append(field, from: &reader, "coffer.v1.InsertGroup.columns")
            case 4: firstKey = try reader.fixed(field)
            case 5: assigned = try reader.bytes(field)
            default: try reader.skip(field)
            }
        }
        try columns.check(rowCount: temporaryIDs.count)
        guard assigned.isEmpty || assigned.count == assignedByteCount else {
            throw .malformed("coffer.v1.InsertGroup.assigned: not a bit for each value")
        }
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(entity))
        writer.put(2, uuids: temporaryIDs)
        try writer.put(3, messages: columns)
        writer.put(4, fixed: firstKey)
        writer.put(5, bytes: assigned)
    }
}

extension UpdateGroup: FieldMessage {
    static var name: StaticString { "coffer.v1.UpdateGroup" }

    var aboutByteCount: Int {
        24 + 12 * primaryKeys.count + columns.aboutByteCount + oldColumns.aboutByteCount
            + otherColumns.aboutByteCount
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: 0, primaryKeys: [], versions: [], columns: [])
        while let field = try reader.nextField() {
            switch field.number {
            case 1: entity = Int(try reader.number32(field))
            case 2: try reader.append(field, to: &primaryKeys)
            case 3: try reader.append(field, to: &versions)
            case 4: try columns.append(field, from: &reader, "coffer.v1.UpdateGroup.columns")
            case 5: try oldColumns.append(field, from: &reader, "coffer.v1.UpdateGroup.old_columns")
            case 6: try otherColumns.append(field, from: &reader, "coffer.v1.UpdateGroup.other_columns")
            default: try reader.skip(field)
            }
        }
        let rowCount = primaryKeys.count
        try check(versions.count, of: rowCount, "coffer.v1.UpdateGroup.versions")
        try columns.check(rowCount: rowCount)
        try oldColumns.check(rowCount: rowCount)
        try otherColumns.check(rowCount: rowCount)
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(entity))
        writer.put(2, numbers: primaryKeys)
        writer.put(3, numbers: versions)
        try writer.put(4, messages: columns)
        try writer.put(5, messages: oldColumns)
        try writer.put(6, messages: otherColumns)
    }
}

extension DeleteGroup: FieldMessage {
    static var name: StaticString { "coffer.v1.DeleteGroup" }

    var aboutByteCount: Int { 20 + 12 * primaryKeys.count + 8 * detachedRows.count }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(entity: 0, primaryKeys: [], versions: [])
        while let field = try reader.nextField() {
            switch field.number {
            case 1: entity = Int(try reader.number32(field))
            case 2: try reader.append(field, to: &primaryKeys)
            case 3: try reader.append(field, to: &versions)
            case 4: try reader.append(field, to: &detachedRows)
            case 5: try reader.append(field, to: &detachedProperties)
            default: try reader.skip(field)
            }
        }
        try check(versions.count, of: primaryKeys.count, "coffer.v1.DeleteGroup.versions")
        try check(
            detachedProperties.count, of: detachedRows.count, "coffer.v1.DeleteGroup.detached_properties")
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, number: UInt64(entity))
        writer.put(2, numbers: primaryKeys)
        writer.put(3, numbers: versions)
        writer.put(4, numbers: detachedRows)
        writer.put(5, numbers: detachedProperties)
    }
}

extension SaveRequestMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.SaveRequest" }

    var aboutByteCount: Int {
        72 + author.utf8.count + contextName.utf8.count + inserts.aboutByteCount + updates.aboutByteCount
            + deletes.aboutByteCount + setChanges.aboutByteCount + orderChanges.aboutByteCount
            + metadata.aboutByteCount
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        let none = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        self.init(store: 0, request: RequestIDMessage(client: none, sequence: 0, acknowledged: 0))
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
