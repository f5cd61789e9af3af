internal import CCofferMessages

extension RowsRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RowsRequest>) {
        unsafe coffer__v1__rows_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__RowsRequest>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(
            store: c.store, entity: Int(c.entity),
            primaryKeys: [Int64](copying: c.primary_keys, count: c.n_primary_keys),
            withoutHolding: c.without_holding != 0)
    }

    func fill(_ c: inout Coffer__V1__RowsRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.entity = UInt32(entity)
        unsafe (c.n_primary_keys, c.primary_keys) = arena.numbers(primaryKeys)
        unsafe c.without_holding = withoutHolding ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension RowsReplyMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.RowsReply" }

    var aboutByteCount: Int { batches.reduce(12) { $0 + $1.aboutByteCount + 6 } }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(number: 0, batches: [])
        while let field = try reader.nextField() {
            switch field.number {
            case 1: number = try reader.number(field)
            case 2:
                try batches.append(reader.message(field), "coffer.v1.RowsReply.batches", limit: Limits.groups)
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: number)
        for batch in batches {
            try writer.put(2, about: batch.aboutByteCount) { writer throws(WireError) in
                try batch.write(to: &writer)
            }
        }
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}

extension RelationshipRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RelationshipRequest>) {
        unsafe coffer__v1__relationship_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__RelationshipRequest>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(
            store: c.store, entity: Int(c.entity), property: Int(c.property),
            primaryKeys: [Int64](copying: c.primary_keys, count: c.n_primary_keys))
    }

    func fill(_ c: inout Coffer__V1__RelationshipRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.entity = UInt32(entity)
        unsafe c.property = UInt32(property)
        unsafe (c.n_primary_keys, c.primary_keys) = arena.numbers(primaryKeys)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension RelationshipReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .rows }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RelationshipReply>) {
        unsafe coffer__v1__relationship_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__RelationshipReply>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe check(c.n_entities, of: c.n_primary_keys, "coffer.v1.RelationshipReply.entities")
        unsafe self.init(
            number: c.number, ends: [UInt32](copying: c.ends, count: c.n_ends),
            primaryKeys: [Int64](copying: c.primary_keys, count: c.n_primary_keys),
            entities: [UInt32](copying: c.entities, count: c.n_entities))
        var previous: UInt32 = 0
        for end in ends {
            guard end >= previous else { throw .malformed("coffer.v1.RelationshipReply.ends: do not ascend") }
            previous = end
        }
        guard Int(previous) == primaryKeys.count else {
            throw .malformed("coffer.v1.RelationshipReply.ends: \(previous) of \(primaryKeys.count) objects")
        }
    }

    func fill(_ c: inout Coffer__V1__RelationshipReply, in arena: inout PackArena) {
        unsafe c.number = number
        unsafe (c.n_ends, c.ends) = arena.numbers(ends)
        unsafe (c.n_primary_keys, c.primary_keys) = arena.numbers(primaryKeys)
        unsafe (c.n_entities, c.entities) = arena.numbers(entities)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension ReleaseRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ReleaseRequest>) {
        unsafe coffer__v1__release_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ReleaseRequest>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(
            store: c.store, entity: Int(c.entity),
            primaryKeys: [Int64](copying: c.primary_keys, count: c.n_primary_keys), contexts: c.contexts)
    }

    func fill(_ c: inout Coffer__V1__ReleaseRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.entity = UInt32(entity)
        unsafe c.contexts = contexts
        unsafe (c.n_primary_keys, c.primary_keys) = arena.numbers(primaryKeys)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
