internal import CofferModel
internal import FoundationEssentials

extension OrderedBytes {
    /// The kind of a value and what it holds.
    mutating func append(_ value: AttributeValue) {
        switch value {
        case .null: append(0 as UInt8)
        case .integer(let number): append(kind: 1, UInt64(bitPattern: number))
        case .boolean(let flag): append(kind: 2, flag ? 1 : 0)
        case .double(let number): append(kind: 3, number.bitPattern)
        case .float(let number): append(kind: 4, UInt64(number.bitPattern))
        case .decimal(let number): append(kind: 5, number.description)
        case .string(let text): append(kind: 6, text)
        case .date(let date): append(kind: 7, date.timeIntervalSinceReferenceDate.bitPattern)
        case .binary(let bytes): append(kind: 8, bytes)
        case .uuid(let uuid): append(kind: 9, uuid.uuidString)
        case .uri(let text): append(kind: 10, text)
        case .transformable(let bytes): append(kind: 11, bytes)
        case .object(let id): append(kind: 12, "\(id)")
        }
    }

    private mutating func append(kind: UInt8, _ word: UInt64) {
        append(kind)
        append(word)
    }

    private mutating func append(kind: UInt8, _ text: String) {
        append(kind)
        append(text)
    }

    private mutating func append(kind: UInt8, _ content: [UInt8]) {
        append(kind)
        append(UInt64(content.count))
        for byte in content { append(byte) }
    }
}
