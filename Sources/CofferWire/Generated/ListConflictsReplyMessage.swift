// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// What was overruled.
///
/// `coffer.v1.ListConflictsReply`.
package struct ListConflictsReplyMessage: Sendable, Equatable {
    /// The oldest first.
    package var conflicts: [SyncConflictMessage]
    /// Whether there are more after these.
    package var hasMore: Bool

    /// A message from its fields.
    package init(conflicts: [SyncConflictMessage], hasMore: Bool) {
        self.conflicts = conflicts
        self.hasMore = hasMore
    }
}

extension ListConflictsReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListConflictsReply>) {
        unsafe coffer__v1__list_conflicts_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListConflictsReply>) throws(WireError) {
        let c = unsafe message.pointee
        conflicts = try unsafe messages(
            c.conflicts, count: c.n_conflicts, field: "coffer.v1.ListConflictsReply.conflicts")
        hasMore = unsafe c.has_more != 0
    }

    func fill(_ c: inout Coffer__V1__ListConflictsReply, in arena: inout PackArena) throws(WireError) {
        try unsafe (c.n_conflicts, c.conflicts) = arena.list(conflicts)
        unsafe c.has_more = hasMore ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
