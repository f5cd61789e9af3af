// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Gives a handle back.
///
/// `coffer.v1.CloseStoreRequest`.
package struct CloseStoreRequestMessage: Sendable, Equatable {
    /// The handle.
    package var store: UInt32

    /// A message from its fields.
    package init(store: UInt32) {
        self.store = store
    }
}

extension CloseStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__CloseStoreRequest>) {
        unsafe coffer__v1__close_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__CloseStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
    }

    func fill(_ c: inout Coffer__V1__CloseStoreRequest, in arena: inout PackArena) {
        unsafe c.store = store
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
