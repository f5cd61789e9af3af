internal import CofferMerge
internal import CofferWire

extension KnowledgeVector {
    /// Its entries as messages, ordered by peer.
    var message: [ContainerVectorEntryMessage] {
        entries.sorted { $0.key < $1.key }.map { peer, entry in
            let missing = entry.folds.missing
            return ContainerVectorEntryMessage(
                peer: peer.number, last: entry.folds.last, chain: entry.chain?.bytes ?? [],
                missingStarts: missing.map(\.lowerBound),
                missingCounts: missing.map { $0.upperBound - $0.lowerBound + 1 })
        }
    }

    /// The vector that messages tell, which may come from anybody; `field` is theirs, for errors.
    init(_ messages: [ContainerVectorEntryMessage], field: StaticString) throws(ObjectFault) {
        var entries: [PeerID: Entry] = [:]
        for message in messages {
            let entry = Entry(
                try Self.folds(of: message, field: field), chain: ChainHash(bytes: message.chain))
            guard entry.chain != nil || message.chain.isEmpty else {
                throw .malformed(reason: "\(field).chain: \(message.chain.count) bytes")
            }
            guard entries.updateValue(entry, forKey: PeerID(message.peer)) == nil else {
                throw .malformed(reason: "\(field).peer: twice")
            }
        }
        self.init(entries)
    }

    private static func folds(
        of message: ContainerVectorEntryMessage, field: StaticString
    ) throws(ObjectFault) -> FoldSet {
        guard message.missingStarts.count == message.missingCounts.count else {
            throw .malformed(reason: "\(field).missing_counts: another number than missing_starts")
        }
        guard message.missingStarts.count <= Limits.missingRuns else {
            throw .malformed(reason: "\(field).missing_starts: more than \(Limits.missingRuns)")
        }
        guard message.last > 0 else { throw .malformed(reason: "\(field).last: 0") }
        var had: [ClosedRange<UInt64>] = []
        var next: UInt64 = 1
        for (start, count) in zip(message.missingStarts, message.missingCounts) {
            // Each run begins behind one fold at least that is not missing, but for the first.
            guard start >= next, count > 0, start < message.last, count <= message.last - start,
                start > next || start == 1
            else { throw .malformed(reason: "\(field).missing_starts: \(start) and \(count) more") }
            if start > next { had.append(next...start - 1) }
            next = start + count
        }
        had.append(next...message.last)
        return FoldSet(runs: had)
    }
}
