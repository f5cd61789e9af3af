package import CofferWire

/// One transaction on its way to the clients of the store, packed once for all clients that are told the
/// same.
///
/// Confined to the leader of the commit queue.
package final class EncodedTransaction {
    /// What is told of one of its changes.
    package enum Part: UInt8, Sendable {
        /// Not even that it happened.
        case nothing
        /// Which rows it concerns.
        case withoutValues
        /// Everything.
        case all
    }

    /// What was committed.
    let transaction: TransactionMessage
    private var packed: [[Part]: [UInt8]] = [:]

    /// A transaction that is packed when a client is told of it.
    package init(_ transaction: TransactionMessage) {
        self.transaction = transaction
    }

    /// The transaction with these parts of its changes, packed.
    ///
    /// - Throws: `WireError.tooLarge` if it would not fit into a frame.
    func bytes(_ parts: [Part]) throws(WireError) -> [UInt8] {
        if let bytes = packed[parts] { return bytes }
        var told = transaction
        told.changes = zip(transaction.changes, parts).compactMap { change, part in
            var change = change
            switch part {
            case .nothing: return nil
            case .withoutValues: change.columns = []
            case .all: break
            }
            return change
        }
        let bytes = try told.packed()
        packed[parts] = bytes
        return bytes
    }
}
