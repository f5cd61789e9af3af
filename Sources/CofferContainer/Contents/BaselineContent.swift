internal import CofferWire

/// What a baseline holds: the names of the parts that are a whole state, and what that state has.
package struct BaselineContent: Hashable, Sendable {
    /// When it was written, in microseconds since 1970 by the writer's clock.
    package var time: Int64
    /// Its parts.
    package var parts: Set<ObjectHash>
    /// What the state has, of its author too.
    package var vector: KnowledgeVector
    /// The state's digest.
    package var digest: StateDigest
    /// The SHA-256 of the author's model: 32 bytes.
    package var modelID: [UInt8]
    /// The container that it is for; `nil` if none was known yet.
    package var container: ContainerMark?

    package init(
        time: Int64, parts: Set<ObjectHash>, vector: KnowledgeVector, digest: StateDigest, modelID: [UInt8],
        container: ContainerMark? = nil
    ) {
        self.time = time
        self.parts = parts
        self.vector = vector
        self.digest = digest
        self.modelID = modelID
        self.container = container
    }
}

extension BaselineContent {
    /// The content of a baseline, which may come from anybody.
    ///
    /// - Throws: `ObjectFault.malformed`, saying what is wrong; then nothing of it is to be taken.
    package init(reading content: [UInt8]) throws(ObjectFault) {
        let message = try RegisterContent.reading { () throws(WireError) in
            try ContainerBaselineMessage(packed: content)
        }
        time = min(max(0, message.time), Limits.lastTime)
        parts = Set(message.parts.compactMap { ObjectHash(bytes: $0) })
        vector = try KnowledgeVector(
            message.vector, field: "coffer.v1.ContainerBaseline.vector", from: .container)
        guard let digest = StateDigest(bytes: message.digest) else {
            throw .malformed(
                reason: "coffer.v1.ContainerBaseline.digest: \(message.digest.count) bytes")
        }
        self.digest = digest
        guard message.model.count == 32 else {
            throw .malformed(reason: "coffer.v1.ContainerBaseline.model: \(message.model.count) bytes")
        }
        modelID = message.model
        container = ContainerMark(message.container)
    }

    /// Its bytes, before deflate.
    ///
    /// - Throws: `ObjectFault.tooLarge` if they would be larger than readers accept.
    package func bytes() throws(ObjectFault) -> [UInt8] {
        let message = ContainerBaselineMessage(
            time: time, parts: parts.sorted().map(\.bytes), vector: vector.message, digest: digest.bytes,
            model: modelID, container: container?.number ?? 0)
        return try RegisterContent.packing { () throws(WireError) in try message.packed() }
    }
}
