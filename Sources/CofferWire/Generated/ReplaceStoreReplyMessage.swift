// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import FoundationEssentials

/// The new file is in its place.
///
/// `coffer.v1.ReplaceStoreReply`.
package struct ReplaceStoreReplyMessage: Sendable, Equatable {
    /// 16 bytes: that of the new file.
    package var uuid: UUID
    /// Its last transaction, behind all that the old file had; no token from before is good any more.
    package var number: UInt64

    /// A message from its fields.
    package init(uuid: UUID, number: UInt64) {
        self.uuid = uuid
        self.number = number
    }
}

extension ReplaceStoreReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ReplaceStoreReply>) {
        unsafe coffer__v1__replace_store_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ReplaceStoreReply>) throws(WireError) {
        let c = unsafe message.pointee
        uuid = try unsafe c.uuid.uuid("coffer.v1.ReplaceStoreReply.uuid")
        number = unsafe c.number
    }

    func fill(_ c: inout Coffer__V1__ReplaceStoreReply, in arena: inout PackArena) {
        unsafe c.uuid = arena.uuid(uuid)
        unsafe c.number = number
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
