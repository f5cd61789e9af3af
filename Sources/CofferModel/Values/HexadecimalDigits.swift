/// Bytes as hexadecimal digits in lower case: no two names differ by case alone, which some folders would
/// take for one.
package enum HexadecimalDigits {
    /// Two digits a byte.
    package static func text(of bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.count)
        append(bytes, to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }

    /// All 16 digits of a number.
    package static func text(of number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// Appends two digits for each byte, as ASCII.
    package static func append(_ bytes: [UInt8], to digits: inout [UInt8]) {
        for byte in bytes { append(byte, to: &digits) }
    }

    /// Appends the two digits of a byte, as ASCII.
    package static func append(_ byte: UInt8, to digits: inout [UInt8]) {
        digits.append(digit(byte >> 4))
        digits.append(digit(byte & 15))
    }

    /// The bytes that `text` writes; `nil` if anything but pairs of such digits is in it.
    package static func bytes(of text: some StringProtocol) -> [UInt8]? {
        var values: [UInt8] = []
        for unit in text.utf8 {
            guard let value = value(of: unit) else { return nil }
            values.append(value)
        }
        guard values.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }

    /// The number that 16 digits write; `nil` if they are not 16 such digits.
    package static func number(of text: some StringProtocol) -> UInt64? {
        guard let bytes = bytes(of: text), bytes.count == 8 else { return nil }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
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
