// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Asks for how far a store is.
///
/// `coffer.v1.SyncStatusRequest`.
package struct SyncStatusRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// Whether KIND_SYNC_DID_CHANGE is to be pushed, once, when it is further.
    package var watches: Bool

    /// A message from its fields.
    package init(store: UInt32, watches: Bool) {
        self.store = store
        self.watches = watches
    }
}

extension SyncStatusRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SyncStatusRequest>) {
        unsafe coffer__v1__sync_status_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SyncStatusRequest>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
        watches = unsafe c.watch != 0
    }

    func fill(_ c: inout Coffer__V1__SyncStatusRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.watch = watches ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
