// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Asks for transactions, oldest first.
///
/// `coffer.v1.HistoryRequest`.
package struct HistoryRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// Only transactions behind this place; absent: all that are left.
    package var token: HistoryTokenMessage?
    /// Transactions; 0 leaves the bound to the service.
    package var limit: Int
    /// From the oldest transaction that is left, whatever `after` says.
    package var fromFloor: Bool
    /// Only transactions after it, in seconds since 2001-01-01 00:00 UTC; 0: any.
    package var afterTime: Double?
    /// Transactions come without `changes`.
    package var withoutChanges: Bool

    /// A message from its fields.
    package init(
        store: UInt32, token: HistoryTokenMessage?, limit: Int, fromFloor: Bool, afterTime: Double?,
        withoutChanges: Bool
    ) {
        self.store = store
        self.token = token
        self.limit = limit
        self.fromFloor = fromFloor
        self.afterTime = afterTime
        self.withoutChanges = withoutChanges
    }
}

extension HistoryRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__HistoryRequest>) {
        unsafe coffer__v1__history_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__HistoryRequest>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
        token = try unsafe optional(c.after)
        limit = unsafe Int(clamping: c.limit)
        fromFloor = unsafe c.from_floor != 0
        afterTime = unsafe c.after_time == 0 ? nil : c.after_time
        withoutChanges = unsafe c.without_changes != 0
    }

    func fill(_ c: inout Coffer__V1__HistoryRequest, in arena: inout PackArena) throws(WireError) {
        unsafe c.store = store
        try unsafe c.after = arena.makeOptional(token)
        unsafe c.limit = UInt32(clamping: limit)
        unsafe c.from_floor = fromFloor ? 1 : 0
        unsafe c.after_time = afterTime ?? 0
        unsafe c.without_changes = withoutChanges ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
