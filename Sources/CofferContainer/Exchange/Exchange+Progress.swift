package import CofferMerge

/// How far folds are that were written here.
extension Exchange {
    /// Whether the container has all folds of an id up to one, as far as is known.
    package func isExported(_ fold: UInt64, of writer: PeerID) -> Bool {
        !outbox.contains { log in
            log.putAt == nil && log.writer == writer && log.content.chain.first <= fold
        }
    }

    /// The other peers that are known to have all folds of an id up to one.
    package func readers(of fold: UInt64, by writer: PeerID) -> Set<PeerID> {
        Set(told.filter { $0.value.vector.folds(of: writer).gaplessLast >= fold }.keys)
    }

    /// What a peer is known to have: what it told in its logs, and what its baselines have.
    ///
    /// - Parameter other: The peer; this one's own state is `vector`.
    /// - Returns: No fold that it does not have.
    package func knowledge(of other: PeerID) -> KnowledgeVector {
        var vector = told[other]?.vector ?? KnowledgeVector()
        for (name, object) in known {
            if case .baseline(let author, _) = name.identity, author == other,
                case .baseline(_, let held) = object.facts
            {
                vector.join(held)
            }
        }
        return vector
    }

    /// Whether folds were written here under an id, now or before.
    package func isOwn(_ writer: PeerID) -> Bool { writer == peer || formerPeers.contains(writer) }
}
