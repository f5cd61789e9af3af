// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// How far a store is.
///
/// `coffer.v1.SyncStatusReply`.
package struct SyncStatusReplyMessage: Sendable, Equatable {
    /// Missing if it is not shared.
    package var store: UbiquitousStoreMessage?

    /// A message from its fields.
    package init(store: UbiquitousStoreMessage?) {
        self.store = store
    }
}

extension SyncStatusReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SyncStatusReply>) {
        unsafe coffer__v1__sync_status_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SyncStatusReply>) throws(WireError) {
        let c = unsafe message.pointee
        store = try unsafe optional(c.store)
    }

    func fill(_ c: inout Coffer__V1__SyncStatusReply, in arena: inout PackArena) throws(WireError) {
        try unsafe c.store = arena.makeOptional(store)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
