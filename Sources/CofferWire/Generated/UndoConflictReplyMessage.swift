// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// What came of that.
///
/// `coffer.v1.UndoConflictReply`.
package struct UndoConflictReplyMessage: Sendable, Equatable {
    /// The transaction; 0 if it was undone before.
    package var number: UInt64

    /// A message from its fields.
    package init(number: UInt64) {
        self.number = number
    }
}

extension UndoConflictReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__UndoConflictReply>) {
        unsafe coffer__v1__undo_conflict_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__UndoConflictReply>) throws(WireError) {
        let c = unsafe message.pointee
        number = unsafe c.number
    }

    func fill(_ c: inout Coffer__V1__UndoConflictReply, in arena: inout PackArena) {
        unsafe c.number = number
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
