// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// What is left.
///
/// `coffer.v1.PurgeHistoryReply`.
package struct PurgeHistoryReplyMessage: Sendable, Equatable {
    /// The oldest number that a token may have now.
    package var floor: UInt64

    /// A message from its fields.
    package init(floor: UInt64) {
        self.floor = floor
    }
}

extension PurgeHistoryReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__PurgeHistoryReply>) {
        unsafe coffer__v1__purge_history_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__PurgeHistoryReply>) throws(WireError) {
        let c = unsafe message.pointee
        floor = unsafe c.floor
    }

    func fill(_ c: inout Coffer__V1__PurgeHistoryReply, in arena: inout PackArena) {
        unsafe c.floor = floor
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
