internal import CCofferMessages
internal import CofferModel
internal import FoundationEssentials

extension CopyStoreReplyMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.CopyStoreReply" }
    static var readLimit: MessageLimit { .request }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(copiedCount: 0, totalCount: 0)
        var made = MergedRun()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: copiedCount = try reader.number(field)
            case 2: totalCount = try reader.number(field)
            case 3: unsafe made.take(try reader.run(field))
            default: try reader.skip(field)
            }
        }
        self.made = try reader.message(of: made)
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: copiedCount)
        writer.put(2, number: totalCount)
        if let made { try writer.put(3, message: made) }
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}

extension CopiedStoreMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.CopiedStore" }

    init(reading reader: inout FieldReader) throws(WireError) {
        var (former, new): (UUID?, UUID?) = (nil, nil)
        var (offsets, leftOut, missing): ([KeyOffsetMessage], [String], [String]) = ([], [], [])
        var (number, missingCount): (UInt64, UInt64) = (0, 0)
        while let field = try reader.nextField() {
            switch field.number {
            case 1: former = try reader.uuid(field, "coffer.v1.CopiedStore.former_uuid")
            case 2: new = try reader.uuid(field, "coffer.v1.CopiedStore.uuid")
            case 3: number = try reader.number(field)
            case 4:
                try offsets.append(
                    reader.message(field), "coffer.v1.CopiedStore.offsets", limit: Limits.list)
            case 5:
                try leftOut.append(
                    reader.text(field, "coffer.v1.CopiedStore.left_out", limit: Limits.text),
                    "coffer.v1.CopiedStore.left_out", limit: Limits.list)
            case 6: missingCount = try reader.number(field)
            case 7:
                try missing.append(
                    reader.text(field, "coffer.v1.CopiedStore.first_missing", limit: Limits.text),
                    "coffer.v1.CopiedStore.first_missing", limit: Limits.list)
            default: try reader.skip(field)
            }
        }
        guard let former, let new else { throw .malformed("coffer.v1.CopiedStore.uuid: absent") }
        self.init(
            formerUUID: former, uuid: new, number: number, offsets: offsets, leftOut: leftOut,
            missingCount: missingCount, missingValues: missing)
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.always(1, uuid: formerUUID)
        writer.always(2, uuid: uuid)
        writer.put(3, number: number)
        try writer.put(4, messages: offsets)
        for sentence in leftOut { writer.always(5, text: sentence) }
        writer.put(6, number: missingCount)
        for value in missingValues { writer.always(7, text: value) }
    }
}

extension KeyOffsetMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.KeyOffset" }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(root: "", offset: 0)
        while let field = try reader.nextField() {
            switch field.number {
            case 1: root = try reader.text(field, "coffer.v1.KeyOffset.root")
            case 2: offset = try reader.number(field)
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, text: root)
        writer.put(2, number: offset)
    }
}
