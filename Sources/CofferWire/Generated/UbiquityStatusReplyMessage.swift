// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// The shared stores.
///
/// `coffer.v1.UbiquityStatusReply`.
package struct UbiquityStatusReplyMessage: Sendable, Equatable {
    /// In the order of application and name.
    package var stores: [UbiquitousStoreMessage]

    /// A message from its fields.
    package init(stores: [UbiquitousStoreMessage]) {
        self.stores = stores
    }
}

extension UbiquityStatusReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__UbiquityStatusReply>) {
        unsafe coffer__v1__ubiquity_status_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__UbiquityStatusReply>) throws(WireError) {
        let c = unsafe message.pointee
        stores = try unsafe messages(
            c.stores, count: c.n_stores, field: "coffer.v1.UbiquityStatusReply.stores")
    }

    func fill(_ c: inout Coffer__V1__UbiquityStatusReply, in arena: inout PackArena) throws(WireError) {
        try unsafe (c.n_stores, c.stores) = arena.list(stores)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
