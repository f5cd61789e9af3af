/// `coffer.v1.VacuumStoreRequest`: makes a store's file as small as it can be.
package struct VacuumStoreRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32

    /// A request about the store of a handle.
    package init(store: UInt32) { self.store = store }
}

/// `coffer.v1.VacuumStoreReply`: how far that has come; the last one says what came of it.
package struct VacuumStoreReplyMessage: Sendable, Equatable {
    /// Bytes that are written.
    package var doneByteCount: UInt64
    /// About how many will be.
    package var totalByteCount: UInt64
    /// Bytes of the file and its log before; 0 before the end.
    package var formerByteCount: UInt64
    /// Bytes of both now; 0 before the end.
    package var byteCount: UInt64

    /// A reply from its fields; a field that is left out has its default.
    package init(
        doneByteCount: UInt64, totalByteCount: UInt64, formerByteCount: UInt64 = 0, byteCount: UInt64 = 0
    ) {
        self.doneByteCount = doneByteCount
        self.totalByteCount = totalByteCount
        self.formerByteCount = formerByteCount
        self.byteCount = byteCount
    }
}
