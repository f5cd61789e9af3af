package import FoundationEssentials

extension HistoryRequestMessage {
    /// The store that the token belongs to; `nil` without one.
    package var storeUUID: UUID? { token?.storeUUID }

    /// Transactions after this number; 0 without a token.
    package var after: UInt64 { token?.number ?? 0 }

    /// Whether it is from the oldest transaction that is left: it asks for that, or has no token.
    package var isFromFloor: Bool { fromFloor || token == nil }

    /// A request for what comes after a number, or for all; a field that is left out has its default.
    package init(
        store: UInt32, storeUUID: UUID?, after: UInt64, limit: Int = 0, fromFloor: Bool = false,
        afterTime: Double? = nil, withoutChanges: Bool = false
    ) {
        self.init(
            store: store, token: storeUUID.map { HistoryTokenMessage(storeUUID: $0, number: after) },
            limit: limit, fromFloor: fromFloor || storeUUID == nil, afterTime: afterTime,
            withoutChanges: withoutChanges)
    }
}
