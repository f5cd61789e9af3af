// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Asks for what was overruled, the oldest first.
///
/// `coffer.v1.ListConflictsRequest`.
package struct ListConflictsRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// The last that is known; 0: none.
    package var after: UInt64
    /// How many at most; 0: as many as fit.
    package var limit: UInt32

    /// A message from its fields.
    package init(store: UInt32, after: UInt64 = 0, limit: UInt32 = 0) {
        self.store = store
        self.after = after
        self.limit = limit
    }
}

extension ListConflictsRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListConflictsRequest>) {
        unsafe coffer__v1__list_conflicts_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListConflictsRequest>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
        after = unsafe c.after
        limit = unsafe c.limit
    }

    func fill(_ c: inout Coffer__V1__ListConflictsRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.after = after
        unsafe c.limit = limit
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
