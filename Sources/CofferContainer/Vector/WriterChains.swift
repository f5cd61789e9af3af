internal import CofferMerge

/// What is known of the folds that were written under one peer id: a tree, since copies of a store write
/// under one id until one of them notices.
struct WriterChains: Hashable, Sendable {
    /// A fold's hash, and the one of the fold before it.
    struct Link: Hashable, Sendable {
        let hash: ChainHash
        let parent: ChainHash
    }

    /// A fold up to which some are had.
    struct Anchor: Hashable, Sendable {
        let fold: UInt64
        let hash: ChainHash
    }

    /// What is known of each fold: of one chain one link, of a fork several.
    private var links: [UInt64: [Link]] = [:]
    /// The folds that are had on the way to each of some folds; those of a fold are also had on the way to
    /// whatever follows it.
    private var had: [Anchor: FoldSet] = [:]
    /// Folds that are had on nobody knows which chain.
    private var hadSomewhere = FoldSet()
    /// The folds of which several are known.
    private var forks: Set<UInt64> = []
}

extension WriterChains {
    /// Whether one chain is known, as far as can be seen.
    var isPlain: Bool {
        guard forks.isEmpty else { return false }
        var hashes: [UInt64: ChainHash] = [:]
        for anchor in had.keys {
            if let known = links[anchor.fold], !known.contains(where: { $0.hash == anchor.hash }) {
                return false
            }
            if let other = hashes.updateValue(anchor.hash, forKey: anchor.fold), other != anchor.hash {
                return false
            }
        }
        return true
    }

    /// Notes the hashes of a log.
    mutating func note(_ segment: ChainSegment) {
        var parent = segment.before
        for (fold, hash) in zip(segment.folds, segment.hashes) {
            let link = Link(hash: hash, parent: parent)
            let known = links[fold] ?? []
            if !known.contains(link) {
                links[fold] = known + [link]
                if !known.isEmpty { forks.insert(fold) }
            }
            parent = hash
        }
        noteBreak(at: segment.first)
        let last = segment.folds.upperBound
        if last < .max { noteBreak(at: last + 1) }
    }

    /// Counts a fold as a fork where what is known of it does not follow what is known of the one before.
    private mutating func noteBreak(at fold: UInt64) {
        guard let known = links[fold], let former = links[fold - 1] else { return }
        if known.contains(where: { link in !former.contains { $0.hash == link.parent } }) {
            forks.insert(fold)
        }
    }

    /// Notes that folds are had, of the chain that has this hash at the last of them.
    mutating func have(_ folds: FoldSet, chain: ChainHash?) {
        guard let chain else {
            hadSomewhere.formUnion(folds)
            return
        }
        let anchor = Anchor(fold: folds.last, hash: chain)
        var all = had.removeValue(forKey: anchor) ?? FoldSet()
        all.formUnion(folds)
        let path = path(to: anchor)
        // What was had on the way is had here, and of what goes on from here nothing more is to be noted.
        for (other, folds) in had where path[other.fold] == other.hash {
            all.formUnion(folds)
            had[other] = nil
        }
        if let further = had.keys.first(where: { self.path(to: $0)[anchor.fold] == anchor.hash }) {
            had[further]?.formUnion(all)
        } else {
            had[anchor] = all
        }
    }

    /// The hashes from a fold back to the first one that is known.
    private func path(to end: Anchor) -> [UInt64: ChainHash] {
        var path = [end.fold: end.hash]
        var (fold, hash) = (end.fold, end.hash)
        while fold > 0, let link = links[fold]?.first(where: { $0.hash == hash }) {
            (fold, hash) = (fold - 1, link.parent)
            path[fold] = hash
        }
        return path
    }

    /// The last folds that are known of each chain.
    private var ends: [Anchor] {
        var ends: [Anchor] = []
        for (fold, known) in links {
            let next = fold == .max ? [] : links[fold + 1] ?? []
            for link in known where !next.contains(where: { $0.parent == link.hash }) {
                ends.append(Anchor(fold: fold, hash: link.hash))
            }
        }
        return ends
    }

    /// What the chain to a fold is called: at each fork the smallest hash goes on with the name, and the
    /// others are named by theirs.
    func name(of path: [UInt64: ChainHash], writer: PeerID) -> PeerID {
        var name = writer
        // Where it begins another way than what is known, nobody can say what it left, or where.
        if let first = path.keys.min(), let hash = path[first], let known = links[first],
            !known.contains(where: { $0.hash == hash })
        {
            return hash.branch
        }
        for fold in forks.sorted() {
            guard let hash = path[fold], let parent = fold > 0 ? path[fold - 1] : nil else { continue }
            let siblings = (links[fold] ?? []).filter { $0.parent == parent }
            if let smallest = siblings.map(\.hash).min(), smallest < hash { name = hash.branch }
        }
        return name
    }

    /// What is had of each chain, and the hash at the last fold that is.
    func entries(writer: PeerID) -> [PeerID: KnowledgeVector.Entry] {
        guard !isPlain else { return plainEntry(writer: writer) }
        var found: [PeerID: KnowledgeVector.Entry] = [:]
        let known = had.map { (path: path(to: $0.key), folds: $0.value) }
        for end in Set(ends).union(had.keys) {
            let path = path(to: end)
            let name = name(of: path, writer: writer)
            var entry = found[name] ?? KnowledgeVector.Entry(FoldSet(), chain: nil)
            for (other, folds) in known {
                guard let common = path.keys.filter({ other[$0] == path[$0] }).max() else { continue }
                entry.folds.formUnion(folds.through(common))
            }
            if let hash = path[entry.folds.last] { entry.chain = hash }
            found[name] = entry
        }
        return found
    }

    /// What is had where there is one chain.
    private func plainEntry(writer: PeerID) -> [PeerID: KnowledgeVector.Entry] {
        var folds = hadSomewhere
        for run in had.values { folds.formUnion(run) }
        let last = folds.last
        let chain = had.keys.first { $0.fold == last }?.hash ?? links[last]?.first?.hash
        return folds.isEmpty ? [:] : [writer: KnowledgeVector.Entry(folds, chain: chain)]
    }

    /// The name of the chain that a log is of.
    func name(of segment: ChainSegment, writer: PeerID) -> PeerID {
        name(of: segment.last, at: segment.folds.upperBound, writer: writer)
    }

    /// Which folds of a log are not had.
    func unknown(of segment: ChainSegment, writer: PeerID) -> FoldSet {
        let wanted = FoldSet(segment.folds)
        let name = name(of: segment, writer: writer)
        return wanted.subtracting(entries(writer: writer)[name]?.folds ?? FoldSet())
    }

    /// Whether the folds of a log are had for certain: on the way to one that is, as links show it.
    func hasCertainly(_ segment: ChainSegment) -> Bool {
        var certain = FoldSet()
        for (anchor, folds) in had where path(to: anchor)[segment.folds.upperBound] == segment.last {
            certain.formUnion(folds)
        }
        return certain.contains(segment.folds)
    }

    /// Whether folds up to one with a hash are among those of an entry, which are on the way to its own hash.
    func covers(
        _ folds: ClosedRange<UInt64>, last hash: ChainHash, by entry: KnowledgeVector.Entry
    ) -> Bool {
        guard entry.folds.contains(folds) else { return false }
        guard let chain = entry.chain else { return isPlain }
        // What is not known to lead there may have left before.
        let isKnown = links[entry.folds.last]?.contains { $0.hash == chain } ?? false
        if isPlain, isKnown { return true }
        return path(to: Anchor(fold: entry.folds.last, hash: chain))[folds.upperBound] == hash
    }

    /// What is known, with nothing had.
    var withoutFolds: WriterChains {
        var chains = self
        (chains.had, chains.hadSomewhere) = ([:], FoldSet())
        return chains
    }

    /// The name of the chain that has a hash after a fold.
    func name(of hash: ChainHash, at fold: UInt64, writer: PeerID) -> PeerID {
        isPlain ? writer : name(of: path(to: Anchor(fold: fold, hash: hash)), writer: writer)
    }

    /// Whether the fold with a hash is had.
    func has(_ hash: ChainHash, at fold: UInt64, writer: PeerID) -> Bool {
        // What is had ends there with another fold of that number: this one is another chain's.
        let ends = had.keys.filter { $0.fold >= fold }
        if !ends.isEmpty, ends.allSatisfy({ $0.fold == fold && $0.hash != hash }) { return false }
        let name = name(of: hash, at: fold, writer: writer)
        return entries(writer: writer)[name]?.folds.contains(fold...fold) ?? false
    }

    /// Whether another fold of that number, or of one before, is known than on the way to this hash.
    func contradicts(_ hash: ChainHash, at fold: UInt64) -> Bool {
        guard let known = links[fold], !known.isEmpty else { return false }
        return !known.contains { $0.hash == hash }
    }
}
