internal import CCofferMessages
internal import FoundationEssentials

/// `coffer.v1.MetadataEntry`.
private struct MetadataEntry {
    var key: String
    /// `nil` removes the key.
    var value: MetadataValueMessage?
}

extension MetadataEntry: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MetadataEntry>) {
        unsafe coffer__v1__metadata_entry__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MetadataEntry>) throws(WireError) {
        let c = unsafe message.pointee
        let value = try unsafe MetadataValueMessage(
            text: c.text.text("coffer.v1.MetadataEntry.text", limit: Limits.text),
            propertyList: c.property_list.array())
        try unsafe self.init(
            key: c.key.text("coffer.v1.MetadataEntry.key"), value: c.remove != 0 ? nil : value)
    }

    func fill(_ c: inout Coffer__V1__MetadataEntry, in arena: inout PackArena) {
        unsafe c.key = arena.text(key)
        guard let value else {
            unsafe c.remove = 1
            return
        }
        unsafe c.text = arena.text(value.text)
        unsafe c.property_list = arena.data(value.propertyList)
    }
}

/// `coffer.v1.EntityHash`.
private struct EntityHash {
    var entity: String
    var hash: [UInt8]
}

extension EntityHash: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__EntityHash>) {
        unsafe coffer__v1__entity_hash__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__EntityHash>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            entity: c.entity.text("coffer.v1.EntityHash.entity"),
            hash: c.hash.digest("coffer.v1.EntityHash.hash"))
    }

    func fill(_ c: inout Coffer__V1__EntityHash, in arena: inout PackArena) {
        unsafe c.entity = arena.text(entity)
        unsafe c.hash = arena.data(hash)
    }
}

extension MetadataRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MetadataRequest>) {
        unsafe coffer__v1__metadata_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MetadataRequest>) throws(WireError) {
        let c = unsafe message.pointee
        let entries = try unsafe messages(
            c.set, count: c.n_set, field: "coffer.v1.MetadataRequest.set", limit: Limits.list,
            as: MetadataEntry.self)
        try unsafe self.init(
            store: c.store,
            changes: dictionary(entries.map { ($0.key, $0.value) }, "coffer.v1.MetadataRequest.set"))
    }

    func fill(_ c: inout Coffer__V1__MetadataRequest, in arena: inout PackArena) throws(WireError) {
        unsafe c.store = store
        let entries = changes.sorted { $0.key < $1.key }.map { MetadataEntry(key: $0.key, value: $0.value) }
        try unsafe (c.n_set, c.set) = arena.list(entries)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension MetadataReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MetadataReply>) {
        unsafe coffer__v1__metadata_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MetadataReply>) throws(WireError) {
        let c = unsafe message.pointee
        let entries = try unsafe messages(
            c.entries, count: c.n_entries, field: "coffer.v1.MetadataReply.entries", limit: Limits.list,
            as: MetadataEntry.self)
        let hashes = try unsafe messages(
            c.version_hashes, count: c.n_version_hashes, field: "coffer.v1.MetadataReply.version_hashes",
            limit: Limits.list, as: EntityHash.self)
        try unsafe self.init(
            uuid: c.uuid.uuid("coffer.v1.MetadataReply.uuid"),
            type: c.type.text("coffer.v1.MetadataReply.type"),
            entries: dictionary(
                entries.map { ($0.key, $0.value ?? MetadataValueMessage()) },
                "coffer.v1.MetadataReply.entries"),
            versionHashes: dictionary(
                hashes.map { ($0.entity, $0.hash) }, "coffer.v1.MetadataReply.version_hashes"))
    }

    func fill(_ c: inout Coffer__V1__MetadataReply, in arena: inout PackArena) throws(WireError) {
        unsafe c.uuid = arena.uuid(uuid)
        unsafe c.type = arena.text(type)
        let list = entries.sorted { $0.key < $1.key }.map { MetadataEntry(key: $0.key, value: $0.value) }
        try unsafe (c.n_entries, c.entries) = arena.list(list)
        let hashes = versionHashes.sorted { $0.key < $1.key }.map {
            EntityHash(entity: $0.key, hash: $0.value)
        }
        try unsafe (c.n_version_hashes, c.version_hashes) = arena.list(hashes)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
