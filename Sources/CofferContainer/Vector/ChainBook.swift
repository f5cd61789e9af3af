package import CofferMerge

/// What is known of the chains of peers, and which of their folds a state has.
///
/// Two copies of a store write under one id until one of them notices. Their logs differ from some fold
/// on: of both chains the one whose first differing fold has the smaller hash keeps the id, and the other
/// is named by the first 8 bytes of its own. That is a function of the hashes that are known, so all
/// peers that know the same hashes name the chains the same, whichever came first.
package struct ChainBook: Hashable, Sendable {
    private var writers: [PeerID: WriterChains] = [:]

    /// A book of a state without registers.
    package init() {}

    /// What the state has.
    package var vector: KnowledgeVector {
        var vector = KnowledgeVector()
        for (writer, chains) in writers {
            for (peer, entry) in chains.entries(writer: writer) {
                vector.insert(entry.folds, of: peer, chain: entry.chain)
            }
        }
        return vector
    }

    /// What is wrong with a log that would make the book larger than any that peers write; `nil`: nothing.
    ///
    /// Kilobytes that are deflated could stand for more hashes than memory has room for, and for so many
    /// copies of one store that to name them takes hours. What goes on from a fold that is known is always
    /// right.
    ///
    /// - Parameters:
    ///   - segment: The hashes of the log.
    ///   - writer: The id under which it was written.
    ///   - own: The ids under which this store writes and wrote, of which all folds are in its file.
    ///   - rules: The figures to go by.
    /// - Returns: The fault, which says what to do.
    func fault(
        of segment: ChainSegment, by writer: PeerID, own: Set<PeerID>, rules: ExchangeRules
    ) -> ObjectFault? {
        let tree = writers[writer]?.tree ?? ChainTree()
        if tree.contradictsOrder(of: segment) {
            return .malformed(reason: "its hashes do not follow each other as in another log of its writer")
        }
        var next = tree
        next.note(segment)
        let added = next.foldCount - tree.foldCount
        if added > 0, !own.contains(writer) {
            let known = writers.reduce(0) { own.contains($1.key) ? $0 : $0 + $1.value.tree.foldCount }
            if known + added > rules.knownFolds {
                return .malformed(
                    reason:
                        "the logs of the folder tell of more than \(rules.knownFolds) folds: remove those that no "
                        + "machine of yours wrote, and open the store again")
            }
        }
        let limit = next.isForked ? rules.branchesOfWriter : Limits.missingRuns
        guard next.runCount > limit, next.runCount > tree.runCount || next.isForked && !tree.isForked else {
            return nil
        }
        return .malformed(
            reason:
                "more than \(limit) copies of a store seem to have gone on as '\(writer)': remove those logs that "
                + "no machine of yours wrote, and open the store again")
    }

    /// Notes the hashes of a log, whether or not it is taken.
    package mutating func note(_ segment: ChainSegment, by writer: PeerID) {
        writers[writer, default: WriterChains()].note(segment)
    }

    /// Notes that the state has the folds of a log.
    package mutating func have(_ segment: ChainSegment, by writer: PeerID) {
        note(segment, by: writer)
        writers[writer, default: WriterChains()].have(FoldSet(segment.folds), chain: segment.last)
    }

    /// Notes that the state has what another vector has.
    package mutating func have(_ vector: KnowledgeVector) {
        for (peer, entry) in vector.entries {
            writers[writer(of: peer, entry), default: WriterChains()].have(entry.folds, chain: entry.chain)
        }
    }

    /// Under which id a chain is written that a vector calls by its hash.
    private func writer(of peer: PeerID, _ entry: KnowledgeVector.Entry) -> PeerID {
        if writers[peer] != nil { return peer }
        return writers.first { $0.value.entries(writer: $0.key)[peer] != nil }?.key ?? peer
    }

    /// The folds of a log that the state does not have.
    package func unknown(of segment: ChainSegment, by writer: PeerID) -> FoldSet {
        writers[writer]?.unknown(of: segment, writer: writer) ?? FoldSet(segment.folds)
    }

    /// Whether the state has the folds of a log for certain, and not only some of their numbers.
    package func hasCertainly(_ segment: ChainSegment, by writer: PeerID) -> Bool {
        writers[writer]?.hasCertainly(segment) ?? false
    }

    /// What the chain that a log is of is called.
    package func name(of segment: ChainSegment, by writer: PeerID) -> PeerID {
        writers[writer]?.name(of: segment, writer: writer) ?? writer
    }

    /// Whether a state with a vector has the folds of a log whose last one has a hash.
    package func covers(
        _ folds: ClosedRange<UInt64>, last hash: ChainHash, of writer: PeerID, by vector: KnowledgeVector
    ) -> Bool {
        guard let chains = writers[writer] else { return false }
        // A chain that left another goes by a name of its own, and not everywhere the same yet.
        return vector.entries.contains { peer, entry in
            (peer == writer || entry.chain != nil && !chains.isPlain)
                && chains.covers(folds, last: hash, by: entry)
        }
    }

    /// What is known, of a state that has nothing.
    package var withoutFolds: ChainBook {
        var book = self
        book.writers = writers.mapValues(\.withoutFolds)
        return book
    }

    /// Notes that the state has folds up to one with a hash.
    package mutating func have(_ folds: ClosedRange<UInt64>, last hash: ChainHash, by writer: PeerID) {
        writers[writer, default: WriterChains()].have(FoldSet(folds), chain: hash)
    }

    /// Whether the state has the fold with a hash.
    package func has(_ hash: ChainHash, at fold: UInt64, by writer: PeerID) -> Bool {
        writers[writer]?.has(hash, at: fold, writer: writer) ?? false
    }

    /// Whether the state may have a fold: one of that number, on any chain.
    package func hasAny(_ fold: UInt64, by writer: PeerID) -> Bool {
        writers[writer]?.hasAny(fold) ?? false
    }

    /// Whether a hash at a fold is another one than is known of that writer.
    package func contradicts(_ hash: ChainHash, at fold: UInt64, by writer: PeerID) -> Bool {
        writers[writer]?.contradicts(hash, at: fold) ?? false
    }
}
