package import CofferMerge

/// What is known of the chains of peers, and which of their folds a state has.
///
/// Two copies of a store write under one id until one of them notices. Their logs differ from some fold on:
/// of both chains the one whose first differing fold has the smaller hash keeps the id, and the other is
/// named by the first 8 bytes of its own. That is a function of the hashes that are known, so everybody who
/// knows the same names them the same, whichever came first.
package struct ChainBook: Hashable, Sendable {
    private var writers: [PeerID: WriterChains] = [:]

    /// A book of a state without registers.
    package init() {}

    /// What the state has.
    package var vector: KnowledgeVector {
        var entries: [PeerID: KnowledgeVector.Entry] = [:]
        for (writer, chains) in writers {
            entries.merge(chains.entries(writer: writer)) { one, _ in one }
        }
        return KnowledgeVector(entries)
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

    /// What the chain that a log is of is called.
    package func name(of segment: ChainSegment, by writer: PeerID) -> PeerID {
        writers[writer]?.name(of: segment, writer: writer) ?? writer
    }

    /// Whether a hash at a fold is another one than is known of that writer.
    package func contradicts(_ hash: ChainHash, at fold: UInt64, by writer: PeerID) -> Bool {
        writers[writer]?.contradicts(hash, at: fold) ?? false
    }
}
