package import CofferWire

/// The result of one save.
///
/// A class, since it is handed to many and never changed.
package final class SaveExecution: Sendable {
    /// The reply to the client, once the commit has returned.
    package let reply: SaveReplyMessage
    /// What all others are notified of; `nil` if nothing was written.
    package let transaction: TransactionMessage?
    /// `reply` as it was packed to be stored for a retry, so that it is sent like this; `nil` if nothing was
    /// stored.
    package let packedReply: [UInt8]?
    /// The packed reply, if the row of the transaction holds it.
    let replyInTransaction: [UInt8]?
    /// The number in `reply`; `nil` if the save was refused, or executed before.
    let number: UInt64?
    /// Whether there is a `transaction`, for callers that do not need the transaction itself.
    package let writesTransaction: Bool

    /// Creates the result of a save that wrote nothing.
    init(reply: SaveReplyMessage, number: UInt64? = nil, packedReply: [UInt8]? = nil) {
        self.reply = reply
        self.number = number
        self.packedReply = packedReply
        transaction = nil
        replyInTransaction = nil
        writesTransaction = false
    }

    /// Creates the result of a save that wrote `transaction`.
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

    /// A copy that carries `successors` in its transaction.
    package func telling(_ successors: [SuccessorGroup]) -> SaveExecution {
        guard !successors.isEmpty, var transaction else { return self }
        transaction.successors = successors
        return SaveExecution(
            reply: reply, packedReply: packedReply, transaction: transaction,
            replyInTransaction: replyInTransaction)
    }
}
