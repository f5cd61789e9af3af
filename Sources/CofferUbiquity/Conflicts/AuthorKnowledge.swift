internal import CofferContainer
internal import CofferMerge

/// Which folds the authors of registers had seen, as far as their logs and baselines tell.
struct AuthorKnowledge {
    private let exchange: Exchange
    /// What was known here before something was joined.
    private let former: KnowledgeVector

    /// What is known.
    ///
    /// - Parameters:
    ///   - exchange: What others told, the object that is being joined included.
    ///   - former: What was known here before that.
    init(_ exchange: Exchange, before former: KnowledgeVector) {
        (self.exchange, self.former) = (exchange, former)
    }

    /// Whether a fold was known here before.
    func isOld(_ stamp: Stamp) -> Bool {
        exchange.isOwn(stamp.peer) || stamp.fold == 0
            || former.folds(of: stamp.peer).contains(stamp.fold...stamp.fold)
    }

    /// Whether the author of `later` had seen what was written as `earlier`, or that cannot be told.
    ///
    /// It cannot be told, for example, if `later` came in another peer's baseline, and its author's log
    /// was never read here.
    func hasSeen(_ earlier: Stamp, by later: Stamp) -> Bool {
        let author = later.peer
        if author == earlier.peer || earlier.fold == 0 || later.fold == 0 { return true }
        if exchange.isOwn(author) { return isOld(earlier) }
        guard let known = exchange.knowledge[author], later.fold <= known.completeThrough else { return true }
        return known.vector.folds(of: earlier.peer).contains(earlier.fold...earlier.fold)
    }
}
