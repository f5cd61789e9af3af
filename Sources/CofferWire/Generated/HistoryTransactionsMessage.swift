// Made by Protos/generate: do not edit.

/// A page of history.
///
/// `coffer.v1.HistoryTransactions`.
package struct HistoryTransactionsMessage: Sendable, Equatable {
    /// Oldest first.
    package var transactions: [TransactionMessage]
    /// The store's last transaction.
    package var number: UInt64
    /// Ask again behind the last of them.
    package var hasMore: Bool

    /// A message from its fields.
    package init(transactions: [TransactionMessage], number: UInt64, hasMore: Bool) {
        self.transactions = transactions
        self.number = number
        self.hasMore = hasMore
    }
}

extension HistoryTransactionsMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.HistoryTransactions" }

    var aboutByteCount: Int { 10 + transactions.aboutByteCount }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(transactions: [], number: 0, hasMore: false)
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
        while let field = try reader.nextField() {
            switch field.number {
            case 1:
                try transactions.append(reader.message(field), "coffer.v1.HistoryTransactions.transactions")
            case 2: number = try reader.number(field)
            case 3: hasMore = try reader.flag(field)
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        try writer.put(1, messages: transactions)
        writer.put(2, number: number)
        writer.put(3, flag: hasMore)
    }
}
