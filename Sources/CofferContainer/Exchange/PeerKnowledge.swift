internal import CofferMerge

/// What another peer is known to have had when it wrote its folds.
package struct PeerKnowledge: Hashable, Sendable {
    /// What its logs and baselines told so far.
    package private(set) var vector = KnowledgeVector()
    /// Of its folds up to this one all is known that it had: each log tells only what was new to its author.
    package private(set) var completeThrough: UInt64 = 0

    package init() {}

    /// What was kept of it.
    package init(_ vector: KnowledgeVector, completeThrough: UInt64) {
        (self.vector, self.completeThrough) = (vector, completeThrough)
    }

    /// Takes what a log of its folds tells.
    mutating func note(_ log: LogContent, by writer: PeerID) {
        let folds = log.chain.folds
        vector.join(log.vector)
        vector.insert(FoldSet(folds), of: writer, chain: log.chain.last)
        if log.isWholeVector || completeThrough + 1 >= folds.lowerBound {
            completeThrough = max(completeThrough, folds.upperBound)
        }
    }

    /// Takes what a baseline of it has.
    mutating func note(_ baseline: BaselineContent, by writer: PeerID) {
        vector.join(baseline.vector)
        completeThrough = max(completeThrough, baseline.vector.folds(of: writer).last)
    }
}

extension [PeerID: PeerKnowledge] {
    private static var headByteCount: Int { 24 }

    /// Its bytes as they are kept: for each peer its id, `completeThrough`, how many bytes follow, and the
    /// vector.
    package func bytes() throws(ObjectFault) -> [UInt8] {
        var bytes: [UInt8] = []
        for (peer, known) in sorted(by: { $0.key < $1.key }) {
            let vector = try known.vector.bytes()
            bytes += peer.number.bigEndianBytes + known.completeThrough.bigEndianBytes
            bytes += UInt64(vector.count).bigEndianBytes + vector
        }
        return bytes
    }

    /// What bytes tell that were kept.
    ///
    /// - Throws: `ObjectFault.malformed` if they are nothing of that kind.
    package init(bytes: [UInt8]) throws(ObjectFault) {
        self.init()
        var rest = bytes[...]
        while rest.count >= Self.headByteCount {
            let numbers = (0..<3).map { place in
                rest.dropFirst(place * 8).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            }
            rest = rest.dropFirst(Self.headByteCount)
            guard let count = Int(exactly: numbers[2]), count <= rest.count else {
                throw .malformed(reason: "what is known of other peers is cut short")
            }
            self[PeerID(numbers[0])] = PeerKnowledge(
                try KnowledgeVector(bytes: Array(rest.prefix(count))), completeThrough: numbers[1])
            rest = rest.dropFirst(count)
        }
    }
}
