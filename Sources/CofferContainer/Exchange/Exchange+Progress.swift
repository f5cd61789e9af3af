package import CofferMerge

/// How far folds are that were written here.
extension Exchange {
    /// Whether the container has all folds of an id up to one, as far as is known.
    package func isExported(_ fold: UInt64, of writer: PeerID) -> Bool {
        !outbox.contains { log in
            log.putAt == nil && log.writer == writer && log.content.chain.first <= fold
        }
    }

    /// Whether folds were written here under an id, now or before.
    package func isOwn(_ writer: PeerID) -> Bool { writer == peer || formerPeers.contains(writer) }
}
