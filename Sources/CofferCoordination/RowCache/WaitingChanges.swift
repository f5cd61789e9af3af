import CofferWire

/// Durable transactions whose changes the row cache has still to take in.
///
/// Taking them in one by one costs as much as a tenth of a small save, and nobody may look in between: so they wait until somebody
/// does, or until they are so many that they are worth the work.
struct WaitingChanges: Sendable {
    private var transactions: [TransactionMessage] = []
    private var rowCount = 0
    private var byteCount = 0

    var isEmpty: Bool { transactions.isEmpty }

    /// Whether they are enough to be taken in together.
    var isFull: Bool {
        transactions.count >= Limits.waitingTransactions || rowCount >= Limits.waitingRows
            || byteCount >= Limits.waitingBytes
    }

    mutating func append(_ transaction: TransactionMessage) {
        transactions.append(transaction)
        for change in transaction.changes {
            rowCount += change.primaryKeys.count
            for column in change.columns { byteCount += column.byteCount }
        }
    }

    /// Takes all out, in the order of their numbers.
    mutating func take() -> [TransactionMessage] {
        defer { self = WaitingChanges() }
        return transactions
    }
}
