internal import CofferFormats
internal import CofferModel
internal import CofferWire
internal import FoundationEssentials

/// Turns values of columns into those of files of whole stores, and back.
enum AtomicValues {
    /// The value of a row, which is not null.
    static func value(of column: Column, row: Int, _ property: EntityPlan.Property) -> AtomicStoreValue? {
        let type = property.attribute?.type
        switch column.values {
        case .integers(let values): return .integer(values[row])
        case .bits(let bits): return .boolean(bits[row / 8] >> UInt8(row % 8) & 1 != 0)
        case .doubles(let values): return type == .date ? .date(values[row]) : .real(values[row])
        case .floats(let values): return .real(Double(values[row]))
        case .bytes(let runs):
            let bytes = runs.data[runs.range(row)]
            return type == .string || type == .uri
                ? .text(String(decoding: bytes, as: UTF8.self)) : .bytes(Array(bytes))
        case .uuids(let bytes):
            return .text(uuid(bytes[(16 * row)..<(16 * row + 16)]).uuidString)
        case .decimals(let bytes): return .decimal(DecimalParts(bytes, row: row).digits)
        case .references: return nil
        }
    }

    /// A column for `property` without rows.
    static func column(of property: EntityPlan.Property) -> Column { StoredColumn(property).column }

    /// Appends a value, or null, as row `row`; `false` if it is not of the property's type.
    static func append(_ value: AtomicStoreValue?, to column: inout Column, row: Int, _ type: AttributeType)
        -> Bool
    {
        if value == nil { column.setNull(row) }
        switch (column.values, value) {
        case (.integers(var values), let value):
            column.values = .integers([])
            var number: Int64 = 0
            if case .integer(let given)? = value { number = given }
            values.append(number)
            column.values = .integers(values)
            if case .integer? = value { return type.integerRange?.contains(number) ?? true }
            return value == nil
        case (.bits(var bits), let value):
            column.values = .bits([])
            if row % 8 == 0 { bits.append(0) }
            var isSound = value == nil
            switch value {
            case .boolean(let isTrue)?:
                if isTrue { bits[row / 8] |= 1 << UInt8(row % 8) }
                isSound = true
            default: break
            }
            column.values = .bits(bits)
            return isSound
        case (.doubles(var values), let value):
            column.values = .doubles([])
            let number = real(value)
            values.append(number ?? 0)
            column.values = .doubles(values)
            return value == nil || number != nil
        case (.floats(var values), let value):
            column.values = .floats([])
            let number = real(value)
            values.append(Float(number ?? 0))
            column.values = .floats(values)
            return value == nil || number != nil
        case (.bytes(var runs), let value):
            column.values = .bytes(ByteRuns())
            let bytes = bytes(value, isText: type == .string || type == .uri)
            runs.data += bytes ?? []
            runs.ends.append(UInt32(clamping: runs.data.count))
            column.values = .bytes(runs)
            return (value == nil || bytes != nil) && runs.data.count <= UInt32.max
        case (.uuids(var all), let value):
            column.values = .uuids([])
            var uuid: UUID?
            if case .text(let text)? = value { uuid = UUID(uuidString: text) }
            all += uuid.map { unsafe withUnsafeBytes(of: $0.uuid) { unsafe Array($0) } } ?? zeros
            column.values = .uuids(all)
            return value == nil || uuid != nil
        case (.decimals(var all), let value):
            column.values = .decimals([])
            var parts: DecimalParts?
            if case .decimal(let text)? = value { parts = DecimalParts(text: text) }
            (parts ?? DecimalParts(text: "0"))?.append(to: &all)
            column.values = .decimals(all)
            return value == nil || parts != nil
        case (.references, _): return false
        }
    }

    private static let zeros = [UInt8](repeating: 0, count: 16)

    private static func uuid(_ bytes: ArraySlice<UInt8>) -> UUID {
        var value = UUID().uuid
        unsafe withUnsafeMutableBytes(of: &value) { unsafe $0.copyBytes(from: bytes) }
        return UUID(uuid: value)
    }

    private static func real(_ value: AtomicStoreValue?) -> Double? {
        switch value {
        case .real(let number)?, .date(let number)?: number
        default: nil
        }
    }

    private static func bytes(_ value: AtomicStoreValue?, isText: Bool) -> [UInt8]? {
        switch value {
        case .text(let text)? where isText: Array(text.utf8)
        case .bytes(let bytes)? where !isText: bytes
        default: nil
        }
    }
}
