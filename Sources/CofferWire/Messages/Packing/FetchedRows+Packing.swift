extension FetchedRows: ReadableMessage {
    package init(packed bytes: RawSpan) throws(WireError) {
        self.init(number: 0, count: 0, rows: nil)
        try unsafe bytes.withUnsafeBytes { bytes throws(WireError) in
            var reader = unsafe FieldReader(FetchReplyMessage.name, bytes)
            while let field = try reader.nextField() {
                switch field.number {
                case 1: number = try reader.number(field)
                case 2: count = try reader.number(field)
                case 3: rows = try unsafe PackedRows(reading: reader.run(field).bytes)
                default: try reader.skip(field)
                }
            }
        }
    }
}

extension FetchedRows: PackableMessage {
    package func packed() throws(WireError) -> [UInt8] {
        let byteCount = rows?.messageByteCount ?? 0
        return try FieldWriter.pack(about: byteCount + 32) { writer throws(WireError) in
            writer.put(1, number: number)
            writer.put(2, number: count)
            rows?.write(to: &writer, as: 3)
            guard writer.count <= Limits.message else {
                throw .tooLarge(
                    what: "\(FetchReplyMessage.name)", byteCount: writer.count, limit: Limits.message)
            }
        }
    }
}

extension FiredRows: ReadableMessage {
    package init(packed bytes: RawSpan) throws(WireError) {
        number = 0
        blocks = []
        try unsafe bytes.withUnsafeBytes { bytes throws(WireError) in
            var reader = unsafe FieldReader(RowsReplyMessage.name, bytes)
            while let field = try reader.nextField() {
                switch field.number {
                case 1: number = try reader.number(field)
                case 2:
                    let block = try unsafe PackedRows(reading: reader.run(field).bytes)
                    try blocks.append(block, "coffer.v1.RowsReply.batches", limit: Limits.groups)
                default: try reader.skip(field)
                }
            }
        }
    }
}

extension FoundMembers: ReadableMessage {
    package init(packed bytes: RawSpan) throws(WireError) {
        try self.init(RelationshipReplyMessage(number: 0, ends: [], primaryKeys: [], entities: []))
        try unsafe bytes.withUnsafeBytes { bytes throws(WireError) in
            var reader = unsafe FieldReader(RelationshipReplyMessage.name, bytes)
            while let field = try reader.nextField() {
                switch field.number {
                case 1: number = try reader.number(field)
                case 2: try reader.append(field, to: &ends)
                case 3: try reader.append(field, to: &primaryKeys)
                case 4: try reader.append(field, to: &entities)
                case 5:
                    let block = try unsafe PackedRows(reading: reader.run(field).bytes)
                    try blocks.append(block, "coffer.v1.RelationshipReply.rows", limit: Limits.groups)
                default: try reader.skip(field)
                }
            }
        }
        try RelationshipReplyMessage.check(
            ends: ends, keyCount: primaryKeys.count, entityCount: entities.count)
    }
}
