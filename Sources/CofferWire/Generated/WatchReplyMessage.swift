// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// From where on there are pushes.
///
/// `coffer.v1.WatchReply`.
package struct WatchReplyMessage: Sendable, Equatable {
    /// The store's last transaction: everything behind it is pushed.
    package var number: UInt64

    /// A message from its fields.
    package init(number: UInt64) {
        self.number = number
    }
}

extension WatchReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__WatchReply>) {
        unsafe coffer__v1__watch_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__WatchReply>) throws(WireError) {
        let c = unsafe message.pointee
        number = unsafe c.number
    }

    func fill(_ c: inout Coffer__V1__WatchReply, in arena: inout PackArena) {
        unsafe c.number = number
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
