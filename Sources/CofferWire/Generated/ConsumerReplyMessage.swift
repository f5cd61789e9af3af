// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// A reader of history.
///
/// `coffer.v1.ConsumerReply`.
package struct ConsumerReplyMessage: Sendable, Equatable {
    /// The oldest number that a token may have.
    package var floor: UInt64
    /// Those of the caller's application, or of all if it asked so; a request without a name only lists them.
    package var consumers: [HistoryConsumerMessage]

    /// A message from its fields.
    package init(floor: UInt64, consumers: [HistoryConsumerMessage] = []) {
        self.floor = floor
        self.consumers = consumers
    }
}

extension ConsumerReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ConsumerReply>) {
        unsafe coffer__v1__consumer_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ConsumerReply>) throws(WireError) {
        let c = unsafe message.pointee
        floor = unsafe c.floor
        consumers = try unsafe messages(
            c.consumers, count: c.n_consumers, field: "coffer.v1.ConsumerReply.consumers")
    }

    func fill(_ c: inout Coffer__V1__ConsumerReply, in arena: inout PackArena) throws(WireError) {
        unsafe c.floor = floor
        try unsafe (c.n_consumers, c.consumers) = arena.list(consumers)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
