/// Bytes as hexadecimal digits in lower case: no two names differ by case alone, which some folders would
/// take for one.
enum HexadecimalDigits {
    /// Two digits a byte.
    static func text(of bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digit($0 >> 4), digit($0 & 15)] }, as: UTF8.self)
    }

    /// All 16 digits of a number.
    static func text(of number: UInt64) -> String { text(of: number.bigEndianBytes) }

    /// The bytes that `text` writes; `nil` where anything but pairs of such digits is in it.
    static func bytes(of text: some StringProtocol) -> [UInt8]? {
        var values: [UInt8] = []
        for unit in text.utf8 {
            guard let value = value(of: unit) else { return nil }
            values.append(value)
        }
        guard values.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// The number that 16 digits write; `nil` where they are not 16 such digits.
    static func number(of text: some StringProtocol) -> UInt64? {
        guard let bytes = bytes(of: text), bytes.count == 8 else { return nil }
        return UInt64(bigEndianBytes: bytes)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension UInt64 {
    /// The number whose most significant byte comes first.
    init(bigEndianBytes bytes: some Sequence<UInt8>) { self = bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    /// The 8 bytes, the most significant first.
    var bigEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }
}
