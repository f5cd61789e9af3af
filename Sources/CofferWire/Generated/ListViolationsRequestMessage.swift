// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Asks for what the model forbids; saves wait meanwhile.
///
/// `coffer.v1.ListViolationsRequest`.
package struct ListViolationsRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32

    /// A message from its fields.
    package init(store: UInt32) {
        self.store = store
    }
}

extension ListViolationsRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListViolationsRequest>) {
        unsafe coffer__v1__list_violations_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListViolationsRequest>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
    }

    func fill(_ c: inout Coffer__V1__ListViolationsRequest, in arena: inout PackArena) {
        unsafe c.store = store
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
