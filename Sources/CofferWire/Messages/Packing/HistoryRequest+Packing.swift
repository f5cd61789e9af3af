internal import FoundationEssentials

extension HistoryRequestMessage: WireMessage, FieldMessage {
    static var name: StaticString { "coffer.v1.HistoryRequest" }

    static var readLimit: MessageLimit { .small }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(store: 0, storeUUID: nil, after: 0)
        fromFloor = false  // Until no token has come.
        var token = MergedRun()
        while let field = try reader.nextField() {
            switch field.number {
            case 1: store = try reader.number32(field)
            case 2: unsafe token.take(try reader.run(field))
            case 3: limit = Int(try reader.number32(field))
            case 4: fromFloor = try reader.flag(field)
            case 5:
                let time: Double = try reader.fixed(field)
                afterTime = time == 0 ? nil : time
            case 6: withoutChanges = try reader.flag(field)
            default: try reader.skip(field)
            }
        }
        guard let read: HistoryTokenMessage = try reader.message(of: token) else {
            fromFloor = true
            return
        }
        storeUUID = read.storeUUID
        after = read.number
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        writer.put(1, number: UInt64(store))
        if let storeUUID {
            try writer.put(2, message: HistoryTokenMessage(storeUUID: storeUUID, number: after))
        }
        writer.put(3, number: UInt64(UInt32(clamping: limit)))
        writer.put(4, flag: fromFloor)
        writer.put(5, fixed: afterTime ?? 0)
        writer.put(6, flag: withoutChanges)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try self.init(readingFields: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try packingFields() }
}

/// `coffer.v1.HistoryToken`, whose parts a request has as its own.
private struct HistoryTokenMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.HistoryToken" }

    let storeUUID: UUID
    let number: UInt64

    init(storeUUID: UUID, number: UInt64) {
        self.storeUUID = storeUUID
        self.number = number
    }

    init(reading reader: inout FieldReader) throws(WireError) {
        var storeUUID: UUID?
        var number: UInt64 = 0
        while let field = try reader.nextField() {
            switch field.number {
            case 1: storeUUID = try reader.uuid(field, "coffer.v1.HistoryToken.store_uuid")
            case 2: number = try reader.number(field)
            default: try reader.skip(field)
            }
        }
        guard let storeUUID else { throw .malformed("coffer.v1.HistoryToken.store_uuid: absent") }
        self.init(storeUUID: storeUUID, number: number)
    }

    func write(to writer: inout FieldWriter) {
        writer.always(1, uuid: storeUUID)
        writer.put(2, number: number)
    }
}
