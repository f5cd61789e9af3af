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
            withoutHolding: c.without_holding != 0, maximumAge: c.maximum_age > 0 ? c.maximum_age - 1 : nil,
            generation: c.generation, withoutExternalValues: c.without_external_values != 0)
    }

    func fill(_ c: inout Coffer__V1__RowsRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.entity = UInt32(entity)
        unsafe (c.n_primary_keys, c.primary_keys) = arena.numbers(primaryKeys)
        unsafe c.without_holding = withoutHolding ? 1 : 0
        unsafe c.generation = generation
        unsafe c.maximum_age = maximumAge.map { min($0, .max - 1) + 1 } ?? 0
        unsafe c.without_external_values = withoutExternalValues ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension RowsReplyMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.RowsReply" }

    var aboutByteCount: Int { 12 + batches.aboutByteCount }

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
        try writer.put(2, messages: batches)
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
            primaryKeys: [Int64](copying: c.primary_keys, count: c.n_primary_keys),
            withRows: c.with_rows != 0, generation: c.generation,
            withoutExternalValues: c.without_external_values != 0)
    }

    func fill(_ c: inout Coffer__V1__RelationshipRequest, in arena: inout PackArena) {
        unsafe c.with_rows = withRows ? 1 : 0
        unsafe c.without_external_values = withoutExternalValues ? 1 : 0
        unsafe c.generation = generation
        unsafe c.store = store
        unsafe c.entity = UInt32(entity)
        unsafe c.property = UInt32(property)
        unsafe (c.n_primary_keys, c.primary_keys) = arena.numbers(primaryKeys)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension RelationshipReplyMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.RelationshipReply" }

    var aboutByteCount: Int {
        batches.reduce(32 + 4 * ends.count + 12 * primaryKeys.count) { $0 + $1.aboutByteCount + 6 }
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(number: 0, ends: [], primaryKeys: [], entities: [])
        while let field = try reader.nextField() {
            switch field.number {
            case 1: number = try reader.number(field)
            case 2: try reader.append(field, to: &ends)
            case 3: try reader.append(field, to: &primaryKeys)
            case 4: try reader.append(field, to: &entities)
            case 5:
                try batches.append(
                    reader.message(field), "coffer.v1.RelationshipReply.rows", limit: Limits.groups)
            default: try reader.skip(field)
            }
        }
        try Self.check(ends: ends, keyCount: primaryKeys.count, entityCount: entities.count)
    }

    /// Refuses members that are not those of the owners one after the other, each with its entity.
    static func check(ends: [UInt32], keyCount: Int, entityCount: Int) throws(WireError) {
        guard entityCount == keyCount else {
            throw .malformed("coffer.v1.RelationshipReply.entities: \(entityCount) for \(keyCount) objects")
        }
        var previous: UInt32 = 0
        for end in ends {
            guard end >= previous else { throw .malformed("coffer.v1.RelationshipReply.ends: do not ascend") }
            previous = end
        }
        guard Int(previous) == keyCount else {
            throw .malformed("coffer.v1.RelationshipReply.ends: \(previous) of \(keyCount) objects")
        }
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: number)
        writer.put(2, numbers: ends)
        writer.put(3, numbers: primaryKeys)
        writer.put(4, numbers: entities)
        try writer.put(5, messages: batches)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}

extension ReleaseRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ReleaseRequest>) {
        unsafe coffer__v1__release_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ReleaseRequest>) throws(WireError) {
        let c = unsafe message.pointee
        let runs = unsafe KeyRuns(
            starts: [Int64](copying: c.primary_keys, count: c.n_primary_keys),
            counts: [UInt32](copying: c.counts, count: c.n_counts))
        unsafe self.init(
            store: c.store, entity: Int(c.entity),
            primaryKeys: try runs.keys(limit: Limits.releasedKeys, field: "coffer.v1.ReleaseRequest"),
            contexts: c.contexts, generation: c.generation)
    }

    func fill(_ c: inout Coffer__V1__ReleaseRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.entity = UInt32(entity)
        unsafe c.contexts = contexts
        unsafe c.generation = generation
        let runs = KeyRuns(primaryKeys)
        unsafe (c.n_primary_keys, c.primary_keys) = arena.numbers(runs.starts)
        unsafe (c.n_counts, c.counts) = arena.numbers(runs.counts)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
