/// `coffer.v1.HistoryReply`.
package enum HistoryReplyMessage: Sendable, Equatable {
    /// Transactions in order, the store's last number, and whether there are more.
    case transactions([TransactionMessage], number: UInt64, hasMore: Bool)
    /// The token lies before `floor` or belongs to another store: reload, and go on from `current`.
    case expired(floor: UInt64, current: UInt64, isOtherStore: Bool)
}
