internal import CofferMerge

/// What is known of the folds that were written under one peer id, and which of them are had.
struct WriterChains: Hashable, Sendable {
    typealias Anchor = ChainTree.Anchor

    private(set) var tree = ChainTree()
    /// The folds that are had on the way to each of some folds; those of a fold are also had on the way to
    /// whatever follows it.
    private var had: [Anchor: FoldSet] = [:]
    /// Folds that are had, on a chain that is not known.
    private var hadSomewhere = FoldSet()
}

extension WriterChains {
    /// Whether one chain is known, as far as can be seen.
    var isPlain: Bool {
        guard !tree.isForked else { return false }
        var hashes: [UInt64: ChainHash] = [:]
        for anchor in had.keys {
            if tree.contradicts(anchor) { return false }
            if let other = hashes.updateValue(anchor.hash, forKey: anchor.fold), other != anchor.hash {
                return false
            }
        }
        return true
    }

    /// Notes the hashes of a log.
    mutating func note(_ segment: ChainSegment) { tree.note(segment) }

    /// Notes that folds are had, of the chain that has this hash at the last of them.
    mutating func have(_ folds: FoldSet, chain: ChainHash?) {
        guard let chain else {
            hadSomewhere.formUnion(folds)
            return
        }
        let anchor = Anchor(fold: folds.last, hash: chain)
        var all = had.removeValue(forKey: anchor) ?? FoldSet()
        all.formUnion(folds)
        let path = tree.path(to: anchor)
        // What was had on the way is had here, and of what goes on from here nothing more is to be noted.
        for (other, folds) in had where tree.hash(at: other.fold, on: path) == other.hash {
            all.formUnion(folds)
            had[other] = nil
        }
        let further = had.keys.filter { leads(from: anchor, to: $0) }
        if let nearest = further.min(by: { ($0.fold, $0.hash) < ($1.fold, $1.hash) }) {
            had[nearest]?.formUnion(all)
        } else {
            had[anchor] = all
        }
    }

    /// Whether a fold is on the way to another.
    private func leads(from anchor: Anchor, to end: Anchor) -> Bool {
        tree.hash(at: anchor.fold, on: tree.path(to: end)) == anchor.hash
    }

    /// What is had of each chain, and the hash at the last fold that is.
    ///
    /// - Parameters:
    ///   - writer: The id under which all were written.
    ///   - wanted: The name of the only chain that is asked for; `nil`: all are.
    /// - Returns: For each chain, by its name, what is had of it.
    func entries(writer: PeerID, named wanted: PeerID? = nil) -> [PeerID: KnowledgeVector.Entry] {
        guard !isPlain else { return plainEntry(writer: writer) }
        var found: [PeerID: KnowledgeVector.Entry] = [:]
        let known = had.map { (path: tree.path(to: $0.key), folds: $0.value) }
        let paths = Set(tree.ends).union(had.keys).map(tree.path)
        for (path, name) in zip(paths, tree.names(of: paths, writer: writer))
        where wanted == nil || name == wanted {
            var entry = found[name] ?? KnowledgeVector.Entry(FoldSet(), chain: nil)
            for (other, folds) in known {
                guard let common = tree.lastCommonFold(of: path, other) else { continue }
                entry.folds.formUnion(folds.through(common))
            }
            if let hash = tree.hash(at: entry.folds.last, on: path) { entry.chain = hash }
            found[name] = entry
        }
        return found
    }

    /// What is had if there is one chain.
    private func plainEntry(writer: PeerID) -> [PeerID: KnowledgeVector.Entry] {
        var folds = hadSomewhere
        for run in had.values { folds.formUnion(run) }
        let last = folds.last
        let chain = had.keys.first { $0.fold == last }?.hash ?? tree.firstHash(at: last)
        return folds.isEmpty ? [:] : [writer: KnowledgeVector.Entry(folds, chain: chain)]
    }

    /// The name of the chain that a log is of.
    func name(of segment: ChainSegment, writer: PeerID) -> PeerID {
        name(of: Anchor(fold: segment.folds.upperBound, hash: segment.last), writer: writer)
    }

    /// The name of the chain that has a hash after a fold.
    private func name(of anchor: Anchor, writer: PeerID) -> PeerID {
        isPlain ? writer : tree.names(of: [tree.path(to: anchor)], writer: writer)[0]
    }

    /// Which folds of a log are not had.
    func unknown(of segment: ChainSegment, writer: PeerID) -> FoldSet {
        let wanted = FoldSet(segment.folds)
        let name = name(of: segment, writer: writer)
        return wanted.subtracting(entries(writer: writer, named: name)[name]?.folds ?? FoldSet())
    }

    /// Whether the folds of a log are had for certain: on the way to one that is, as links show it.
    func hasCertainly(_ segment: ChainSegment) -> Bool {
        let last = Anchor(fold: segment.folds.upperBound, hash: segment.last)
        var certain = FoldSet()
        for (anchor, folds) in had where leads(from: last, to: anchor) { certain.formUnion(folds) }
        return certain.contains(segment.folds)
    }

    /// Whether folds up to one with a hash are among those of an entry, which are on the way to its own hash.
    func covers(
        _ folds: ClosedRange<UInt64>, last hash: ChainHash, by entry: KnowledgeVector.Entry
    ) -> Bool {
        guard entry.folds.contains(folds) else { return false }
        guard let chain = entry.chain else { return isPlain }
        // What is not known to lead there may have left before.
        let end = Anchor(fold: entry.folds.last, hash: chain)
        if isPlain, tree.contains(end) { return true }
        return leads(from: Anchor(fold: folds.upperBound, hash: hash), to: end)
    }

    /// What is known, with nothing had.
    var withoutFolds: WriterChains {
        var chains = self
        (chains.had, chains.hadSomewhere) = ([:], FoldSet())
        return chains
    }

    /// Whether the fold with a hash is had.
    func has(_ hash: ChainHash, at fold: UInt64, writer: PeerID) -> Bool {
        // What is had ends there with another fold of that number: this one is another chain's.
        let ends = had.keys.filter { $0.fold >= fold }
        if !ends.isEmpty, ends.allSatisfy({ $0.fold == fold && $0.hash != hash }) { return false }
        let name = name(of: Anchor(fold: fold, hash: hash), writer: writer)
        return entries(writer: writer, named: name)[name]?.folds.contains(fold...fold) ?? false
    }

    /// Whether a fold of that number is had, on any chain.
    func hasAny(_ fold: UInt64) -> Bool {
        had.values.contains { $0.contains(fold...fold) }
            || isPlain && hadSomewhere.contains(fold...fold)
    }

    /// Whether another fold of that number, or of one before, is known than on the way to this hash.
    func contradicts(_ hash: ChainHash, at fold: UInt64) -> Bool {
        tree.contradicts(Anchor(fold: fold, hash: hash))
    }
}
