package import CofferWire

/// What became of one save.
///
/// A class, as what is handed to many and never changed.
package final class SaveExecution: Sendable {
    /// What its client is told, once the commit has returned.
    package let reply: SaveReplyMessage
    /// What everybody else is told; `nil` where nothing was written.
    package let transaction: TransactionMessage?
    /// `reply` as it was packed to be kept for a retry, to be sent as it is; `nil` where nothing was kept.
    package let packedReply: [UInt8]?
    /// The packed reply, where the row of the transaction holds it.
    let replyInTransaction: [UInt8]?
    /// Whether there is a `transaction`, for those who do not want it.
    package let writesTransaction: Bool

    init(
        reply: SaveReplyMessage, transaction: TransactionMessage? = nil, packedReply: [UInt8]? = nil
    ) {
        self.reply = reply
        self.transaction = transaction
        self.packedReply = packedReply
        writesTransaction = transaction != nil
        let isSmall = (packedReply?.count ?? 0) <= Limits.replyInTransaction
        replyInTransaction = transaction != nil && isSmall ? packedReply : nil
    }
}
