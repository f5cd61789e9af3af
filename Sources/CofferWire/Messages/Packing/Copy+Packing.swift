internal import CCofferMessages
internal import CofferModel
internal import FoundationEssentials

extension CopyStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__CopyStoreRequest>) {
        unsafe coffer__v1__copy_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__CopyStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        guard let type = try unsafe StoreType.read(c.type, "coffer.v1.CopyStoreRequest.type") else {
            throw .malformed("coffer.v1.CopyStoreRequest.type")
        }
        try unsafe self.init(
            store: c.store, fileName: c.file_name.text("coffer.v1.CopyStoreRequest.file_name"),
            place: c.place.text("coffer.v1.CopyStoreRequest.place"), type: type, isPlain: c.plain != 0,
            configuration: c.configuration.text("coffer.v1.CopyStoreRequest.configuration"))
    }

    func fill(_ c: inout Coffer__V1__CopyStoreRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.file_name = arena.text(fileName)
        unsafe c.place = arena.text(place)
        unsafe c.type = StoreType.written(type)
        unsafe c.plain = isPlain ? 1 : 0
        unsafe c.configuration = arena.text(configuration)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension MoveStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MoveStoreRequest>) {
        unsafe coffer__v1__move_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MoveStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        guard let type = try unsafe StoreType.read(c.type, "coffer.v1.MoveStoreRequest.type") else {
            throw .malformed("coffer.v1.MoveStoreRequest.type")
        }
        try unsafe self.init(
            name: required(c.name, "coffer.v1.MoveStoreRequest.name"), type: type,
            waitMilliseconds: c.wait_milliseconds)
    }

    func fill(_ c: inout Coffer__V1__MoveStoreRequest, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe c.type = StoreType.written(type)
        unsafe c.wait_milliseconds = waitMilliseconds
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

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
