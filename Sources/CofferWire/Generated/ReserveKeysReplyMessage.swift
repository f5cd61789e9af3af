// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// The keys.
///
/// `coffer.v1.ReserveKeysReply`.
package struct ReserveKeysReplyMessage: Sendable, Equatable {
    /// For each reservation the first key; the others follow without gap.
    package var firstKeys: [Int64]

    /// A message from its fields.
    package init(firstKeys: [Int64]) {
        self.firstKeys = firstKeys
    }
}

extension ReserveKeysReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ReserveKeysReply>) {
        unsafe coffer__v1__reserve_keys_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ReserveKeysReply>) throws(WireError) {
        let c = unsafe message.pointee
        firstKeys = unsafe Array(copying: c.first_keys, count: c.n_first_keys)
    }

    func fill(_ c: inout Coffer__V1__ReserveKeysReply, in arena: inout PackArena) {
        unsafe (c.n_first_keys, c.first_keys) = arena.numbers(firstKeys)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
