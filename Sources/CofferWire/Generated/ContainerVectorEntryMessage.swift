// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// What a state has of one peer.
///
/// `coffer.v1.ContainerVectorEntry`.
package struct ContainerVectorEntryMessage: Sendable, Equatable {
    /// Whose folds.
    package var peer: UInt64
    /// The last one that it has, or that it skipped: 1 or more.
    package var last: UInt64
    /// The hash of the peer's chain at that fold: 16 bytes; empty if it is not known.
    package var chain: [UInt8]
    /// The folds below `last` that it does not have: where each run of them begins, ascending.
    package var missingStarts: [UInt64]
    /// How many each run has: 1 or more.
    package var missingCounts: [UInt64]

    /// A message from its fields.
    package init(
        peer: UInt64, last: UInt64, chain: [UInt8] = [], missingStarts: [UInt64] = [],
        missingCounts: [UInt64] = []
    ) {
        self.peer = peer
        self.last = last
        self.chain = chain
        self.missingStarts = missingStarts
        self.missingCounts = missingCounts
    }
}

extension ContainerVectorEntryMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ContainerVectorEntry>) {
        unsafe coffer__v1__container_vector_entry__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ContainerVectorEntry>) throws(WireError) {
        let c = unsafe message.pointee
        peer = unsafe c.peer
        last = unsafe c.last
        chain = unsafe c.chain.array()
        missingStarts = unsafe Array(copying: c.missing_starts, count: c.n_missing_starts)
        missingCounts = unsafe Array(copying: c.missing_counts, count: c.n_missing_counts)
    }

    func fill(_ c: inout Coffer__V1__ContainerVectorEntry, in arena: inout PackArena) {
        unsafe c.peer = peer
        unsafe c.last = last
        unsafe c.chain = arena.data(chain)
        unsafe (c.n_missing_starts, c.missing_starts) = arena.numbers(missingStarts)
        unsafe (c.n_missing_counts, c.missing_counts) = arena.numbers(missingCounts)
    }
}
