// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import FoundationEssentials

/// The answer, and over a channel what comes before it if the caller takes items: how far it has come.
///
/// `coffer.v1.BackupStoreReply`.
package struct BackupStoreReplyMessage: Sendable, Equatable {
    /// How much is done.
    package var copiedByteCount: UInt64
    /// How much there is to do.
    package var totalByteCount: UInt64
    /// 16 bytes: the store's, and so the copy's.
    package var uuid: UUID
    /// The last transaction in the copy.
    package var number: UInt64
    /// Of the copy, with the files beside it.
    package var byteCount: UInt64

    /// A message from its fields.
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

extension BackupStoreReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__BackupStoreReply>) {
        unsafe coffer__v1__backup_store_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__BackupStoreReply>) throws(WireError) {
        let c = unsafe message.pointee
        copiedByteCount = unsafe c.copied_bytes
        totalByteCount = unsafe c.total_bytes
        uuid = try unsafe c.uuid.uuid("coffer.v1.BackupStoreReply.uuid")
        number = unsafe c.number
        byteCount = unsafe c.byte_count
    }

    func fill(_ c: inout Coffer__V1__BackupStoreReply, in arena: inout PackArena) {
        unsafe c.copied_bytes = copiedByteCount
        unsafe c.total_bytes = totalByteCount
        unsafe c.uuid = arena.uuid(uuid)
        unsafe c.number = number
        unsafe c.byte_count = byteCount
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
