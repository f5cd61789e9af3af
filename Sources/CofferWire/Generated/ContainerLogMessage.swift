// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Registers of some folds of one peer.
///
/// `coffer.v1.ContainerLog`.
package struct ContainerLogMessage: Sendable, Equatable {
    /// When it was written, in microseconds since 1970 by the writer's clock.
    package var time: Int64
    /// The chain's hash before the first fold: 16 bytes, zeros before fold 1.
    package var chainBefore: [UInt8]
    /// The chain's hash after each fold: 16 bytes each.
    package var chain: [UInt8]
    /// What the writer's state has of others: what changed since its last log.
    package var vector: [ContainerVectorEntryMessage]
    /// Whether `vector` is all that the state has.
    package var isWholeVector: Bool
    /// The digest of the writer's state after the last fold: 16 bytes.
    package var digest: [UInt8]
    /// The SHA-256 of the author's model: 32 bytes; empty if no register is in it.
    package var model: [UInt8]
    /// The hashes of the baselines of others that the writer has joined and that are still there: 20 bytes
    /// each.
    package var read: [[UInt8]]
    /// The registers; absent in a log that is only a receipt.
    package var registers: ContainerRegistersMessage?
    /// The first 8 bytes of a marker's id that the container had; 0 if none was known.
    package var container: UInt64

    /// A message from its fields.
    package init(
        time: Int64, chainBefore: [UInt8], chain: [UInt8], vector: [ContainerVectorEntryMessage] = [],
        isWholeVector: Bool = false, digest: [UInt8], model: [UInt8] = [], read: [[UInt8]] = [],
        registers: ContainerRegistersMessage? = nil, container: UInt64 = 0
    ) {
        self.time = time
        self.chainBefore = chainBefore
        self.chain = chain
        self.vector = vector
        self.isWholeVector = isWholeVector
        self.digest = digest
        self.model = model
        self.read = read
        self.registers = registers
        self.container = container
    }
}

extension ContainerLogMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .container }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ContainerLog>) {
        unsafe coffer__v1__container_log__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ContainerLog>) throws(WireError) {
        let c = unsafe message.pointee
        time = unsafe c.time
        chainBefore = unsafe c.chain_before.array()
        chain = unsafe c.chain.array()
        vector = try unsafe messages(
            c.vector, count: c.n_vector, field: "coffer.v1.ContainerLog.vector", limit: Limits.vectorEntries)
        isWholeVector = unsafe c.whole_vector != 0
        digest = unsafe c.digest.array()
        model = unsafe c.model.array()
        read = try unsafe hashes(c.read, count: c.n_read, field: "coffer.v1.ContainerLog.read")
        registers = try unsafe optional(c.registers)
        container = unsafe c.container
    }

    func fill(_ c: inout Coffer__V1__ContainerLog, in arena: inout PackArena) throws(WireError) {
        unsafe c.time = time
        unsafe c.chain_before = arena.data(chainBefore)
        unsafe c.chain = arena.data(chain)
        try unsafe (c.n_vector, c.vector) = arena.list(vector)
        unsafe c.whole_vector = isWholeVector ? 1 : 0
        unsafe c.digest = arena.data(digest)
        unsafe c.model = arena.data(model)
        unsafe (c.n_read, c.read) = arena.hashes(read)
        try unsafe c.registers = arena.makeOptional(registers)
        unsafe c.container = container
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
