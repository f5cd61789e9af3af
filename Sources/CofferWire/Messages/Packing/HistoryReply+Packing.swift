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
                let page = try reader.message(field, as: HistoryPage.self)
                outcome = .transactions(page.transactions, number: page.number, hasMore: page.hasMore)
            case 2:
                let expiry = try reader.message(field, as: HistoryExpiry.self)
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
            let page = HistoryPage(transactions: transactions, number: number, hasMore: hasMore)
            try writer.put(1, message: page)
        case .expired(let floor, let current, let isOtherStore):
            let expiry = HistoryExpiry(floor: floor, current: current, isOtherStore: isOtherStore)
            try writer.put(2, message: expiry)
        }
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}

/// `coffer.v1.HistoryTransactions`.
private struct HistoryPage {
    var transactions: [TransactionMessage] = []
    var number: UInt64 = 0
    var hasMore = false
}

extension HistoryPage: FieldMessage {
    static var name: StaticString { "coffer.v1.HistoryTransactions" }

    var aboutByteCount: Int { 14 + transactions.aboutByteCount }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field.number {
            case 1:
                try transactions.append(
                    reader.message(field), "coffer.v1.HistoryTransactions.transactions")
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

/// `coffer.v1.HistoryExpired`.
private struct HistoryExpiry {
    var floor: UInt64 = 0
    var current: UInt64 = 0
    var isOtherStore = false
}

extension HistoryExpiry: FieldMessage {
    static var name: StaticString { "coffer.v1.HistoryExpired" }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: floor = try reader.number(field)
            case 2: current = try reader.number(field)
            case 3: isOtherStore = try reader.flag(field)
            default: try reader.skip(field)
            }
        }
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, number: floor)
        writer.put(2, number: current)
        writer.put(3, flag: isOtherStore)
    }
}
