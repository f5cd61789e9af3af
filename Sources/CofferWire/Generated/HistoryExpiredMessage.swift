// Made by Protos/generate: do not edit.

/// The token lies before what history still has, or belongs to another store: reload, and go on from
/// `current`.
///
/// `coffer.v1.HistoryExpired`.
package struct HistoryExpiredMessage: Sendable, Equatable {
    /// The oldest number that a token may have.
    package var floor: UInt64
    /// The store's last transaction.
    package var current: UInt64
    /// The token belongs to another store.
    package var isOtherStore: Bool

    /// A message from its fields.
    package init(floor: UInt64, current: UInt64, isOtherStore: Bool) {
        self.floor = floor
        self.current = current
        self.isOtherStore = isOtherStore
    }
}

extension HistoryExpiredMessage: FieldMessage {
    static var name: StaticString { "coffer.v1.HistoryExpired" }

    var aboutByteCount: Int { 16 }

    init(reading reader: inout FieldReader) throws(WireError) {
        self.init(floor: 0, current: 0, isOtherStore: false)
        try readFields(from: &reader)
    }

    /// Not a part of the initialiser, which would end with a copy of the whole.
    @inline(never)
    private mutating func readFields(from reader: inout FieldReader) throws(WireError) {
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
