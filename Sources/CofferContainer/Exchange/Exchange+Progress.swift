package import CofferMerge

/// How far folds are that were written here.
extension Exchange {
    /// Whether the container has all that was folded here up to a fold of an id, as far as is known.
    ///
    /// - Parameters:
    ///   - fold: The fold.
    ///   - writer: Under which id it was written.
    ///   - missing: `missingLogs`, for callers that ask about many folds.
    /// - Returns: Whether it has.
    package func isExported(_ fold: UInt64, of writer: PeerID, missing: [OutboxLog]? = nil) -> Bool {
        !(missing ?? missingLogs).contains { log in
            // Folds of former ids were before those of this one.
            log.writer == writer ? log.content.chain.first <= fold : log.writer != peer
        }
    }

    /// The logs of one's own whose folds are not in the container, as far as is known.
    package var missingLogs: [OutboxLog] { outbox.filter { !isInContainer($0) } }

    /// Whether the folds of a log of one's own are in the container, as far as is known.
    ///
    /// In that log, or in a baseline: what a process before this one put there need not be put again for
    /// that.
    func isInContainer(_ log: OutboxLog) -> Bool {
        log.putAt != nil || round?.objects.contains(log.name) ?? false || baseline(with: log) != nil
    }

    /// The objects of a baseline that is there and has the folds of a log of one's own; `nil` if none has.
    package func baseline(with log: OutboxLog) -> [ObjectName]? {
        if let own = baselines.first(where: { $0.covered.contains(log.name) && isThere($0) }) {
            return names(of: own)
        }
        let chain = log.content.chain
        // A listing has few baselines among many objects.
        for name in round?.objects ?? [] {
            guard case .baseline = name.identity, isThere(name),
                case .baseline(let parts, let vector, _) = known[name]?.facts, areThere(parts),
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
