package import CofferMerge
internal import CofferWire

/// What a log holds: the registers of adjacent folds of one peer, and what the peer knew then.
package struct LogContent: Hashable, Sendable {
    /// When it was written, in microseconds since 1970 by the writer's clock.
    package var time: Int64
    /// The hashes of the writer's chain, a hash for each of the log's folds.
    package var chain: ChainSegment
    /// What the writer's state has: what changed since its last log, or all.
    package var vector: KnowledgeVector
    /// Whether `vector` is all that the state has.
    package var isWholeVector: Bool
    /// The digest of the writer's state after the last fold.
    package var digest: StateDigest
    /// The SHA-256 of the author's model, 32 bytes; empty if there are no registers.
    package var modelID: [UInt8]
    /// The baselines of others that the writer has joined and that were still there.
    package var read: Set<ObjectHash>
    /// The registers, no two of one key; none in a receipt.
    package var registers: [Register]
    /// The container that it is for; `nil` if none was known yet.
    package var container: ContainerMark?

    package init(
        time: Int64, chain: ChainSegment, vector: KnowledgeVector, isWholeVector: Bool = false,
        digest: StateDigest, modelID: [UInt8], read: Set<ObjectHash> = [], registers: [Register],
        container: ContainerMark? = nil
    ) {
        self.time = time
        self.chain = chain
        self.vector = vector
        self.isWholeVector = isWholeVector
        self.digest = digest
        self.modelID = modelID
        self.read = read
        self.registers = registers
        self.container = container
    }
}

extension LogContent {
    /// The content of a log of these folds.
    ///
    /// - Throws: `ObjectFault.malformed`, saying what is wrong; then nothing of it is to be taken.
    package init(
        reading content: [UInt8], folds: ClosedRange<UInt64>, from source: ContentSource
    ) throws(ObjectFault) {
        let message = try Self.message(in: content)
        try self.init(message, folds: folds, from: source)
        if let columns = message.registers {
            registers = try RegisterColumnReader.registers(of: columns, from: source)
        }
    }

    /// What a log says of itself; its registers, which cost the most, are not made.
    struct Head {
        /// The content without registers.
        let content: LogContent
        /// How many it has.
        let registerCount: Int
        /// The earliest time of their stamps, in microseconds since 1970.
        let first: Int64?
    }

    /// What a log of these folds says of itself.
    ///
    /// - Throws: `ObjectFault.malformed`, saying what is wrong.
    static func head(
        in content: [UInt8], folds: ClosedRange<UInt64>, from source: ContentSource
    ) throws(ObjectFault) -> Head {
        let message = try message(in: content)
        return Head(
            content: try LogContent(message, folds: folds, from: source),
            registerCount: message.registers.map(RegisterColumnReader.count) ?? 0,
            // They ascend.
            first: message.registers?.stampTimes.first.map { Int64(clamping: $0) })
    }

    private static func message(in content: [UInt8]) throws(ObjectFault) -> ContainerLogMessage {
        try RegisterContent.reading { () throws(WireError) in try ContainerLogMessage(packed: content) }
    }

    private init(
        _ message: ContainerLogMessage, folds: ClosedRange<UInt64>, from source: ContentSource
    ) throws(ObjectFault) {
        // What anybody may have written is reckoned with.
        time = source == .ownFile ? message.time : min(max(0, message.time), Limits.lastTime)
        chain = try Self.chain(of: message, folds: folds, from: source)
        vector = try KnowledgeVector(
            message.vector, field: "coffer.v1.ContainerLog.vector", from: source)
        isWholeVector = message.isWholeVector
        guard let digest = StateDigest(bytes: message.digest) else {
            throw Self.malformed("digest", byteCount: message.digest.count)
        }
        self.digest = digest
        guard message.model.count == 32 || message.model.isEmpty && message.registers == nil else {
            throw Self.malformed("model", byteCount: message.model.count)
        }
        modelID = message.model
        read = Set(message.read.compactMap { ObjectHash(bytes: $0) })
        registers = []
        container = ContainerMark(message.container)
    }

    private static func chain(
        of message: ContainerLogMessage, folds: ClosedRange<UInt64>, from source: ContentSource
    ) throws(ObjectFault) -> ChainSegment {
        let (bytes, size) = (message.chain, ChainHash.byteCount)
        guard bytes.count % size == 0, source == .ownFile || bytes.count / size <= Limits.foldsOfLog,
            UInt64(bytes.count / size) == (folds.upperBound - folds.lowerBound).addingSafely(1)
        else { throw malformed("chain", byteCount: bytes.count) }
        guard let before = ChainHash(bytes: message.chainBefore) else {
            throw malformed("chain_before", byteCount: message.chainBefore.count)
        }
        let hashes = stride(from: 0, to: bytes.count, by: size).compactMap {
            ChainHash(bytes: bytes[$0..<$0 + size])
        }
        guard let chain = ChainSegment(first: folds.lowerBound, before: before, hashes: hashes) else {
            throw .malformed(reason: "coffer.v1.ContainerLog.chain_before: something before the first fold")
        }
        return chain
    }

    private static func malformed(_ field: StaticString, byteCount: Int) -> ObjectFault {
        .malformed(reason: "coffer.v1.ContainerLog.\(field): \(byteCount) bytes")
    }

    /// Its bytes, before deflate.
    ///
    /// - Throws: `ObjectFault.tooLarge` if they would be larger than readers accept.
    package func bytes() throws(ObjectFault) -> [UInt8] {
        let message = ContainerLogMessage(
            time: time, chainBefore: chain.before.bytes, chain: chain.hashes.flatMap(\.bytes),
            vector: vector.message, isWholeVector: isWholeVector, digest: digest.bytes, model: modelID,
            read: read.sorted().map(\.bytes),
            registers: registers.isEmpty ? nil : RegisterColumnWriter.message(of: registers),
            container: container?.number ?? 0)
        return try RegisterContent.packing { () throws(WireError) in try message.packed() }
    }

    /// The object that it is the content of, as one of `peer`.
    ///
    /// - Throws: `ObjectFault.tooLarge` if it would be larger than readers accept.
    package func object(of peer: PeerID) throws(ObjectFault) -> ContainerObject {
        ContainerObject(.log(peer, folds: chain.folds), content: try bytes())
    }
}

extension UInt64 {
    /// The sum; the greatest number if the sum would be greater than that.
    fileprivate func addingSafely(_ other: UInt64) -> UInt64 {
        let (sum, isPast) = addingReportingOverflow(other)
        return isPast ? .max : sum
    }
}
