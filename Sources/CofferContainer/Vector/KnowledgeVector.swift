package import CofferMerge

/// For each peer, the folds that a state has.
package struct KnowledgeVector: Hashable, Sendable {
    /// What a state has of each peer; there are no empty entries.
    package private(set) var entries: [PeerID: Entry] = [:]

    /// What a state has of one peer.
    package struct Entry: Hashable, Sendable {
        /// The folds.
        package var folds: FoldSet
        /// The hash of the peer's chain at the last of them; `nil` if it is not known.
        package var chain: ChainHash?

        /// Some folds and the hash at the last one.
        package init(_ folds: FoldSet, chain: ChainHash?) {
            self.folds = folds
            self.chain = chain
        }
    }

    /// The vector of a state without registers.
    package init() {}

    /// The vector with these entries; empty ones are left out.
    package init(_ entries: [PeerID: Entry]) { self.entries = entries.filter { !$0.value.folds.isEmpty } }

    /// The folds of a peer.
    package func folds(of peer: PeerID) -> FoldSet { entries[peer]?.folds ?? FoldSet() }

    /// Adds folds of a peer, at the last of which its chain has this hash.
    package mutating func insert(_ folds: FoldSet, of peer: PeerID, chain: ChainHash?) {
        guard !folds.isEmpty else { return }
        guard var entry = entries[peer] else {
            entries[peer] = Entry(folds, chain: chain)
            return
        }
        if folds.last > entry.folds.last || folds.last == entry.folds.last && entry.chain == nil {
            entry.chain = chain
        }
        entry.folds.formUnion(folds)
        entries[peer] = entry
    }

    /// Adds what another vector has.
    package mutating func join(_ other: KnowledgeVector) {
        for (peer, entry) in other.entries { insert(entry.folds, of: peer, chain: entry.chain) }
    }

    /// Puts an entry in the place of a peer's, or takes it away.
    package mutating func replace(_ peer: PeerID, with entry: Entry?) {
        entries[peer] = entry.flatMap { $0.folds.isEmpty ? nil : $0 }
    }

    /// Whether every fold of another vector is in it.
    package func isSuperset(of other: KnowledgeVector) -> Bool {
        other.entries.allSatisfy { folds(of: $0.key).isSuperset(of: $0.value.folds) }
    }

    /// The entries that are not the same in an earlier vector.
    package func changes(since earlier: KnowledgeVector) -> KnowledgeVector {
        KnowledgeVector(entries.filter { earlier.entries[$0.key] != $0.value })
    }

    /// Whether both have the same folds.
    package func hasSameFolds(as other: KnowledgeVector) -> Bool {
        entries.mapValues(\.folds) == other.entries.mapValues(\.folds)
    }
}
