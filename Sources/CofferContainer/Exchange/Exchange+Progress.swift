package import CofferMerge

/// How far folds are that were written here.
extension Exchange {
    /// Whether the container has all that was folded here up to a fold of an id, as far as is known.
    package func isExported(_ fold: UInt64, of writer: PeerID) -> Bool {
        !outbox.contains { log in
            if isInContainer(log) { return false }
            // Folds of former ids were before those of this one.
            return log.writer == writer ? log.content.chain.first <= fold : log.writer != peer
        }
    }

    /// Whether the folds of a log of one's own are in the container, as far as is known.
    ///
    /// In that log, or in a baseline: what a process before this one put there need not be put again for
    /// that.
    package func isInContainer(_ log: OutboxLog) -> Bool {
        log.putAt != nil || round?.objects.contains(log.name) ?? false || baseline(with: log) != nil
    }

    /// The objects of a baseline that is there and has the folds of a log of one's own; `nil` if none has.
    package func baseline(with log: OutboxLog) -> [ObjectName]? {
        if let own = baselines.first(where: { $0.covered.contains(log.name) && isThere($0) }) {
            return names(of: own)
        }
        let chain = log.content.chain
        for (name, object) in known {
            guard case .baseline(let parts, let vector) = object.facts, isThere(name), areThere(parts),
                chains.covers(chain.folds, last: chain.last, of: log.writer, by: vector)
            else { continue }
            return [name] + parts.map { ObjectName(.part, hash: $0) }
        }
        return nil
    }

    /// Whether a state has all that was folded here up to a fold of an id.
    package func has(_ vector: KnowledgeVector, allUpTo fold: UInt64, of writer: PeerID) -> Bool {
        guard vector.folds(of: writer).gaplessLast >= fold else { return false }
        let own = self.vector
        return formerPeers.allSatisfy { former in
            former == writer
                || vector.folds(of: former).gaplessLast >= own.folds(of: former).gaplessLast
        }
    }

    /// Whether folds were written here under an id, now or before.
    package func isOwn(_ writer: PeerID) -> Bool { writer == peer || formerPeers.contains(writer) }
}
