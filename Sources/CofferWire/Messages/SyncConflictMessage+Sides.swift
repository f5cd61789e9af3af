extension SyncConflictMessage {
    /// The author and time of an edit.
    package struct Side: Sendable, Equatable {
        /// What the writer writes under.
        package var peer: UInt64
        /// Microseconds since 1970.
        package var time: Int64

        /// A side from its fields.
        package init(peer: UInt64 = 0, time: Int64 = 0) { (self.peer, self.time) = (peer, time) }
    }

    /// The author and time of what was overruled.
    package var lost: Side {
        get { Side(peer: lostPeer, time: lostTime) }
        set { (lostPeer, lostTime) = (newValue.peer, newValue.time) }
    }

    /// The author and time of what stayed.
    package var kept: Side {
        get { Side(peer: keptPeer, time: keptTime) }
        set { (keptPeer, keptTime) = (newValue.peer, newValue.time) }
    }
}
