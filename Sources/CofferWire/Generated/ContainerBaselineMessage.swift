// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// A whole state.
///
/// `coffer.v1.ContainerBaseline`.
package struct ContainerBaselineMessage: Sendable, Equatable {
    /// When it was written, in microseconds since 1970 by the writer's clock.
    package var time: Int64
    /// The hashes of its parts: 20 bytes each.
    package var parts: [[UInt8]]
    /// What the state has, of its author too.
    package var vector: [ContainerVectorEntryMessage]
    /// The state's digest: 16 bytes.
    package var digest: [UInt8]
    /// The SHA-256 of the author's model: 32 bytes.
    package var model: [UInt8]
    /// The first 8 bytes of a marker's id that the container had; 0 if none was known.
    package var container: UInt64

    /// A message from its fields.
    package init(
        time: Int64, parts: [[UInt8]], vector: [ContainerVectorEntryMessage], digest: [UInt8], model: [UInt8],
        container: UInt64 = 0
    ) {
        self.time = time
        self.parts = parts
        self.vector = vector
        self.digest = digest
        self.model = model
        self.container = container
    }
}

extension ContainerBaselineMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ContainerBaseline>) {
        unsafe coffer__v1__container_baseline__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ContainerBaseline>) throws(WireError) {
        let c = unsafe message.pointee
        time = unsafe c.time
        parts = try unsafe hashes(c.parts, count: c.n_parts, field: "coffer.v1.ContainerBaseline.parts")
        vector = try unsafe messages(
            c.vector, count: c.n_vector, field: "coffer.v1.ContainerBaseline.vector",
            limit: Limits.vectorEntries)
        digest = unsafe c.digest.array()
        model = unsafe c.model.array()
        container = unsafe c.container
    }

    func fill(_ c: inout Coffer__V1__ContainerBaseline, in arena: inout PackArena) throws(WireError) {
        unsafe c.time = time
        unsafe (c.n_parts, c.parts) = arena.hashes(parts)
        try unsafe (c.n_vector, c.vector) = arena.list(vector)
        unsafe c.digest = arena.data(digest)
        unsafe c.model = arena.data(model)
        unsafe c.container = container
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
