extension HistoryReplyMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.HistoryReply" }

    var aboutByteCount: Int {
        if case .transactions(let transactions, _, _) = self { transactions.aboutByteCount + 24 } else { 40 }
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        var outcome: HistoryReplyMessage?  // Of several the last counts.
        while let field = try reader.nextField() {
            switch field.number {
            case 1:
                let page = try reader.message(field, as: HistoryTransactionsMessage.self)
                outcome = .transactions(page.transactions, number: page.number, hasMore: page.hasMore)
            case 2:
                let expiry = try reader.message(field, as: HistoryExpiredMessage.self)
                outcome = .expired(
                    floor: expiry.floor, current: expiry.current, isOtherStore: expiry.isOtherStore)
            default: try reader.skip(field)
            }
        }
        guard let outcome else { throw .malformed("coffer.v1.HistoryReply: without an outcome") }
        self = outcome
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        switch self {
        case .transactions(let transactions, let number, let hasMore):
            try writer.put(
                1,
                message: HistoryTransactionsMessage(
                    transactions: transactions, number: number, hasMore: hasMore))
        case .expired(let floor, let current, let isOtherStore):
            let expiry = HistoryExpiredMessage(floor: floor, current: current, isOtherStore: isOtherStore)
            try writer.put(2, message: expiry)
        }
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}
