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

    init(
        reply: SaveReplyMessage, transaction: TransactionMessage? = nil, packedReply: [UInt8]? = nil
    ) {
        self.reply = reply
        self.transaction = transaction
        self.packedReply = packedReply
    }

    /// The packed reply, where the row of the transaction holds it.
    var replyInTransaction: [UInt8]? {
        guard let packedReply, transaction != nil, packedReply.count <= Limits.replyInTransaction else {
            return nil
        }
        return packedReply
    }
}
