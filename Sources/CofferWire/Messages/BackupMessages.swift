package import FoundationEssentials

/// `coffer.v1.BackupStoreRequest`: copies a store as it is at one moment.
package struct BackupStoreRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// What the copy is called in the folder whose descriptor comes along.
    package var fileName: String
    /// Where that folder is, for messages.
    package var place: String
    /// Whether a file of that name gives way.
    package var replaces: Bool
    /// Whether values in files beside the store go into the copy itself.
    package var isOneFile: Bool

    /// A request from its fields; a field that is left out has its default.
    package init(
        store: UInt32, fileName: String = "", place: String = "", replaces: Bool = false,
        isOneFile: Bool = false
    ) {
        self.store = store
        self.fileName = fileName
        self.place = place
        self.replaces = replaces
        self.isOneFile = isOneFile
    }
}

/// `coffer.v1.BackupStoreReply`: how far a copy is; the last one says that it is there.
package struct BackupStoreReplyMessage: Sendable, Equatable {
    /// Bytes of the store's file that were copied.
    package var copiedByteCount: UInt64
    /// All of them.
    package var totalByteCount: UInt64
    /// The store's UUID, and so the copy's.
    package var uuid: UUID
    /// The last transaction in the copy; 0 before it is there.
    package var number: UInt64
    /// Bytes of the copy, with the files beside it; 0 before it is there.
    package var byteCount: UInt64

    /// A reply from its fields; a field that is left out has its default.
    package init(
        copiedByteCount: UInt64, totalByteCount: UInt64, uuid: UUID, number: UInt64 = 0, byteCount: UInt64 = 0
    ) {
        self.copiedByteCount = copiedByteCount
        self.totalByteCount = totalByteCount
        self.uuid = uuid
        self.number = number
        self.byteCount = byteCount
    }
}
