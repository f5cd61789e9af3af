package import CofferMerge

/// How far folds are that were written here.
extension Exchange {
    /// Whether the container has all that was folded here up to a fold of an id, as far as is known.
    package func isExported(_ fold: UInt64, of writer: PeerID) -> Bool {
        !outbox.contains { log in
            if log.putAt != nil { return false }
            // Folds of former ids were before those of this one.
            return log.writer == writer ? log.content.chain.first <= fold : log.writer != peer
        }
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
