// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Keeps the present state of a store readable, whatever is written, until it is released, the session ends,
/// or it has to be given up.
///
/// `coffer.v1.PinRequest`.
package struct PinRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32

    /// A message from its fields.
    package init(store: UInt32) {
        self.store = store
    }
}

extension PinRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__PinRequest>) {
        unsafe coffer__v1__pin_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__PinRequest>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
    }

    func fill(_ c: inout Coffer__V1__PinRequest, in arena: inout PackArena) {
        unsafe c.store = store
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
