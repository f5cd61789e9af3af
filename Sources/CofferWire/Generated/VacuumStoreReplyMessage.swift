// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// The answer, and over a channel what comes before it if the caller takes items: how far it has come.
///
/// `coffer.v1.VacuumStoreReply`.
package struct VacuumStoreReplyMessage: Sendable, Equatable {
    /// How much is done.
    package var doneByteCount: UInt64
    /// About how much there is to do.
    package var totalByteCount: UInt64
    /// In the answer only: of the file and its log, before it began.
    package var formerByteCount: UInt64
    /// In the answer only: of both now.
    package var byteCount: UInt64

    /// A message from its fields.
    package init(
        doneByteCount: UInt64, totalByteCount: UInt64, formerByteCount: UInt64 = 0, byteCount: UInt64 = 0
    ) {
        self.doneByteCount = doneByteCount
        self.totalByteCount = totalByteCount
        self.formerByteCount = formerByteCount
        self.byteCount = byteCount
    }
}

extension VacuumStoreReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__VacuumStoreReply>) {
        unsafe coffer__v1__vacuum_store_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__VacuumStoreReply>) throws(WireError) {
        let c = unsafe message.pointee
        doneByteCount = unsafe c.done_bytes
        totalByteCount = unsafe c.total_bytes
        formerByteCount = unsafe c.former_byte_count
        byteCount = unsafe c.byte_count
    }

    func fill(_ c: inout Coffer__V1__VacuumStoreReply, in arena: inout PackArena) {
        unsafe c.done_bytes = doneByteCount
        unsafe c.total_bytes = totalByteCount
        unsafe c.former_byte_count = formerByteCount
        unsafe c.byte_count = byteCount
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
