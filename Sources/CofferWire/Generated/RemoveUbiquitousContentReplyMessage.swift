// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// It is removed.
///
/// `coffer.v1.RemoveUbiquitousContentReply`.
package struct RemoveUbiquitousContentReplyMessage: Sendable, Equatable {
    /// How many objects went from the container.
    package var removedCount: UInt64

    /// A message from its fields.
    package init(removedCount: UInt64) {
        self.removedCount = removedCount
    }
}

extension RemoveUbiquitousContentReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RemoveUbiquitousContentReply>) {
        unsafe coffer__v1__remove_ubiquitous_content_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__RemoveUbiquitousContentReply>) throws(WireError) {
        let c = unsafe message.pointee
        removedCount = unsafe c.removed_objects
    }

    func fill(_ c: inout Coffer__V1__RemoveUbiquitousContentReply, in arena: inout PackArena) {
        unsafe c.removed_objects = removedCount
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
