import CofferLinux
package import CofferWire

/// Durable transactions whose changes the row cache has still to take in.
///
/// Taking them in one by one costs as much as a tenth of a small save, and there may be no look into the
/// cache in between. So they wait until there is one, or until they are so many that they are worth the
/// work.
package struct WaitingChanges: Sendable {
    private var transactions: [TransactionMessage] = []
    private var rowCount = 0
    private var byteCount = 0
    private var since: UInt64 = 0

    /// Nothing that waits.
    package init() {}

    /// Whether none waits.
    package var isEmpty: Bool { transactions.isEmpty }

    /// Whether they are enough to be taken in together.
    package var isFull: Bool {
        transactions.count >= Limits.waitingTransactions || rowCount >= Limits.waitingRows
            || byteCount >= Limits.waitingBytes
    }

    /// Adds a transaction that has just become durable.
    package mutating func append(_ transaction: TransactionMessage) {
        // Of all of them the oldest counts, so that a save reads the clock once in many.
        if transactions.isEmpty { since = Monotonic.now }
        transactions.append(transaction)
        for change in transaction.changes {
            rowCount += change.primaryKeys.count
            for column in change.columns { byteCount += column.byteCount }
        }
    }

    /// Takes all out, in the order of their numbers, with when the first came, in nanoseconds of the
    /// monotonic clock.
    package mutating func take() -> (transactions: [TransactionMessage], since: UInt64) {
        defer { self = WaitingChanges() }
        return (transactions, since)
    }
}
