internal import CofferMerge
internal import CofferWire

extension KnowledgeVector {
    /// Its entries as messages, ordered by peer.
    var message: [ContainerVectorEntryMessage] {
        entries.sorted { $0.key < $1.key }.map { peer, entry in
            let missing = Self.told(entry.folds.missing)
            return ContainerVectorEntryMessage(
                peer: peer.number, last: entry.folds.last, chain: entry.chain?.bytes ?? [],
                missingStarts: missing.map(\.lowerBound),
                missingCounts: missing.map { $0.upperBound - $0.lowerBound + 1 })
        }
    }

    /// Gaps as they are told: if there are more than a reader takes, the first ones as a single one.
    ///
    /// What lies between them is then told as missing, and comes again, which changes nothing.
    private static func told(_ gaps: [ClosedRange<UInt64>]) -> [ClosedRange<UInt64>] {
        let first = gaps.prefix(max(1, gaps.count - Limits.missingRuns + 1))
        guard let lower = first.first?.lowerBound, let upper = first.last?.upperBound else { return [] }
        return [lower...upper] + gaps.dropFirst(first.count)
    }

    /// The vector that messages tell; `field` is theirs, for errors.
    init(
        _ messages: [ContainerVectorEntryMessage], field: StaticString, from source: ContentSource
    ) throws(ObjectFault) {
        var entries: [PeerID: Entry] = [:]
        for message in messages {
            let entry = Entry(
                try Self.folds(of: message, field: field, from: source),
                chain: ChainHash(bytes: message.chain))
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
        of message: ContainerVectorEntryMessage, field: StaticString, from source: ContentSource
    ) throws(ObjectFault) -> FoldSet {
        guard message.missingStarts.count == message.missingCounts.count else {
            throw .malformed(reason: "\(field).missing_counts: another number than missing_starts")
        }
        guard source == .ownFile || message.missingStarts.count <= Limits.missingRuns else {
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
