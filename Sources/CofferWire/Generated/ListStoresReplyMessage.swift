// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// The caller's stores.
///
/// `coffer.v1.ListStoresReply`.
package struct ListStoresReplyMessage: Sendable, Equatable {
    /// One for each store.
    package var stores: [StoreDescriptionMessage]

    /// A message from its fields.
    package init(stores: [StoreDescriptionMessage]) {
        self.stores = stores
    }
}

extension ListStoresReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListStoresReply>) {
        unsafe coffer__v1__list_stores_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListStoresReply>) throws(WireError) {
        let c = unsafe message.pointee
        stores = try unsafe messages(c.stores, count: c.n_stores, field: "coffer.v1.ListStoresReply.stores")
    }

    func fill(_ c: inout Coffer__V1__ListStoresReply, in arena: inout PackArena) throws(WireError) {
        try unsafe (c.n_stores, c.stores) = arena.list(stores)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
