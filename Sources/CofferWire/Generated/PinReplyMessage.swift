// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// The state that is kept.
///
/// `coffer.v1.PinReply`.
package struct PinReplyMessage: Sendable, Equatable {
    /// What Fetch, Rows and Relationship call it by.
    package var generation: UInt64
    /// The last transaction in it.
    package var number: UInt64

    /// A message from its fields.
    package init(generation: UInt64, number: UInt64) {
        self.generation = generation
        self.number = number
    }
}

extension PinReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__PinReply>) {
        unsafe coffer__v1__pin_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__PinReply>) throws(WireError) {
        let c = unsafe message.pointee
        generation = unsafe c.generation
        number = unsafe c.number
    }

    func fill(_ c: inout Coffer__V1__PinReply, in arena: inout PackArena) {
        unsafe c.generation = generation
        unsafe c.number = number
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
