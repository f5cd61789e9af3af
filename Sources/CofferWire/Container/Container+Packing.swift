internal import CCofferMessages

extension ContainerMarkerMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ContainerMarker>) {
        unsafe coffer__v1__container_marker__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ContainerMarker>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(format: c.format, peer: c.peer, time: c.time, isRemoved: c.removed != 0)
    }

    func fill(_ c: inout Coffer__V1__ContainerMarker, in arena: inout PackArena) {
        unsafe c.format = format
        unsafe c.peer = peer
        unsafe c.time = time
        unsafe c.removed = isRemoved ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension ContainerKeysMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ContainerKeys>) {
        unsafe coffer__v1__container_keys__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ContainerKeys>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(
            salt: c.salt.array(), operations: c.operations, memory: c.memory,
            passphrase: Wrapped(nonce: c.passphrase_nonce.array(), sealed: c.passphrase_wrapped.array()),
            recovery: Wrapped(nonce: c.recovery_nonce.array(), sealed: c.recovery_wrapped.array()))
    }

    func fill(_ c: inout Coffer__V1__ContainerKeys, in arena: inout PackArena) {
        unsafe c.salt = arena.data(salt)
        unsafe c.operations = operations
        unsafe c.memory = memory
        unsafe c.passphrase_nonce = arena.data(passphrase.nonce)
        unsafe c.passphrase_wrapped = arena.data(passphrase.sealed)
        unsafe c.recovery_nonce = arena.data(recovery.nonce)
        unsafe c.recovery_wrapped = arena.data(recovery.sealed)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension ContainerVectorEntryMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ContainerVectorEntry>) {
        unsafe coffer__v1__container_vector_entry__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ContainerVectorEntry>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(
            peer: c.peer, last: c.last, chain: c.chain.array(),
            missingStarts: Array(copying: c.missing_starts, count: c.n_missing_starts),
            missingCounts: Array(copying: c.missing_counts, count: c.n_missing_counts))
    }

    func fill(_ c: inout Coffer__V1__ContainerVectorEntry, in arena: inout PackArena) {
        unsafe c.peer = peer
        unsafe c.last = last
        unsafe c.chain = arena.data(chain)
        unsafe (c.n_missing_starts, c.missing_starts) = arena.numbers(missingStarts)
        unsafe (c.n_missing_counts, c.missing_counts) = arena.numbers(missingCounts)
    }
}

extension ContainerLogMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .container }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ContainerLog>) {
        unsafe coffer__v1__container_log__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ContainerLog>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            time: c.time, chainBefore: c.chain_before.array(), chain: c.chain.array(),
            vector: messages(
                c.vector, count: c.n_vector, field: "coffer.v1.ContainerLog.vector",
                limit: Limits.vectorEntries),
            isWholeVector: c.whole_vector != 0, digest: c.digest.array(), model: c.model.array(),
            read: hashes(c.read, count: c.n_read, field: "coffer.v1.ContainerLog.read"),
            registers: optional(c.registers), container: c.container)
    }

    func fill(_ c: inout Coffer__V1__ContainerLog, in arena: inout PackArena) throws(WireError) {
        unsafe c.time = time
        unsafe c.chain_before = arena.data(chainBefore)
        unsafe c.chain = arena.data(chain)
        try unsafe (c.n_vector, c.vector) = arena.list(vector)
        unsafe c.whole_vector = isWholeVector ? 1 : 0
        unsafe c.digest = arena.data(digest)
        unsafe c.model = arena.data(model)
        unsafe (c.n_read, c.read) = arena.list(of: read)
        try unsafe c.registers = arena.makeOptional(registers)
        unsafe c.container = container
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension ContainerBaselineMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ContainerBaseline>) {
        unsafe coffer__v1__container_baseline__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ContainerBaseline>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            time: c.time,
            parts: hashes(c.parts, count: c.n_parts, field: "coffer.v1.ContainerBaseline.parts"),
            vector: messages(
                c.vector, count: c.n_vector, field: "coffer.v1.ContainerBaseline.vector",
                limit: Limits.vectorEntries),
            digest: c.digest.array(), model: c.model.array(), container: c.container)
    }

    func fill(_ c: inout Coffer__V1__ContainerBaseline, in arena: inout PackArena) throws(WireError) {
        unsafe c.time = time
        unsafe (c.n_parts, c.parts) = arena.list(of: parts)
        try unsafe (c.n_vector, c.vector) = arena.list(vector)
        unsafe c.digest = arena.data(digest)
        unsafe c.model = arena.data(model)
        unsafe c.container = container
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

/// Reads a repeated field of an object's hashes.
private func hashes(
    _ start: UnsafeMutablePointer<ProtobufCBinaryData>?, count: Int, field: StaticString
) throws(WireError) -> [[UInt8]] {
    guard count <= Limits.objectHashes else {
        throw .tooMany(field, count: count, limit: Limits.objectHashes)
    }
    guard let start = unsafe start, count > 0 else { return [] }
    var result: [[UInt8]] = []
    for index in 0..<count {
        let hash = unsafe start[index].array()
        guard hash.count == 20 else { throw .malformed("\(field): \(hash.count) bytes are not a hash") }
        result.append(hash)
    }
    return result
}

extension PackArena {
    /// The C form of a repeated field of bytes.
    fileprivate mutating func list(of list: [[UInt8]]) -> (Int, UnsafeMutablePointer<ProtobufCBinaryData>?) {
        guard !list.isEmpty else { return (0, nil) }
        let result = unsafe allocate(ProtobufCBinaryData.self, count: list.count)
        for index in list.indices { unsafe (result + index).initialize(to: data(list[index])) }
        return unsafe (list.count, result)
    }
}
