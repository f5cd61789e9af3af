// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Some objects are done.
///
/// `coffer.v1.MigrateObjectsReply`.
package struct MigrateObjectsReplyMessage: Sendable, Equatable {
    /// All are, and both stores are closed.
    package var isDone: Bool

    /// A message from its fields.
    package init(isDone: Bool) {
        self.isDone = isDone
    }
}

extension MigrateObjectsReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrateObjectsReply>) {
        unsafe coffer__v1__migrate_objects_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrateObjectsReply>) throws(WireError) {
        let c = unsafe message.pointee
        isDone = unsafe c.done != 0
    }

    func fill(_ c: inout Coffer__V1__MigrateObjectsReply, in arena: inout PackArena) {
        unsafe c.done = isDone ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
