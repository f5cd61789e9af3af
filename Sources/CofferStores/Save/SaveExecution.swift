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
    /// The number that `reply` tells; `nil` where the save was refused, or executed before.
    let number: UInt64?
    /// Whether there is a `transaction`, for those who do not want it.
    package let writesTransaction: Bool

    /// A save that wrote nothing.
    init(reply: SaveReplyMessage, number: UInt64? = nil, packedReply: [UInt8]? = nil) {
        self.reply = reply
        self.number = number
        self.packedReply = packedReply
        transaction = nil
        replyInTransaction = nil
        writesTransaction = false
    }

    /// A save that wrote `transaction`.
    init(
        reply: SaveReplyMessage, packedReply: [UInt8]?, transaction: TransactionMessage,
        replyInTransaction: [UInt8]?
    ) {
        self.reply = reply
        self.packedReply = packedReply
        self.replyInTransaction = replyInTransaction
        number = transaction.number
        self.transaction = transaction
        writesTransaction = true
    }
}
