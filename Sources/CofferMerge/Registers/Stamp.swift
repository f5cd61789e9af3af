/// When, by which peer and in which of its folds a register was written: of two, the greater stays.
package struct Stamp: Sendable, Hashable {
    /// Microseconds since 1970 by the writer's clock, or one more than the greatest that he overwrote.
    package let microseconds: Int64
    /// The peer that wrote it.
    package let peer: PeerID
    /// The number of the writer's fold.
    package let fold: UInt64

    /// A stamp of one fold of a peer.
    package init(_ microseconds: Int64, peer: PeerID, fold: UInt64) {
        self.microseconds = microseconds
        self.peer = peer
        self.fold = fold
    }

    /// Whether it lies within what a log may hold: what is later could not be overwritten for ever.
    package var isWellFormed: Bool { (0...Limits.lastMicrosecond).contains(microseconds) }
}

extension Stamp: Comparable {
    package static func < (left: Stamp, right: Stamp) -> Bool {
        (left.microseconds, left.peer, left.fold) < (right.microseconds, right.peer, right.fold)
    }
}
