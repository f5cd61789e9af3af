/// A stored number as a row of a decimals column: sign, exponent, mantissa.
///
/// A double stands for the decimal that it is written as with the fewest digits.
struct DecimalRow {
    private var isNegative = false
    private var exponent: Int8 = 0
    private var mantissa: UInt128 = 0

    init(_ value: Int64) {
        isNegative = value < 0
        mantissa = UInt128(value.magnitude)
    }

    /// `nil` for what is no finite number, or too large or small for a decimal.
    init?(_ value: Double) {
        guard value.isFinite else { return nil }
        var scale = 0
        var isFraction = false
        var digits = value.description.utf8[...]
        if let mark = digits.firstIndex(of: UInt8(ascii: "e")) {
            scale = Int(String(digits[digits.index(after: mark)...]) ?? "") ?? 0
            digits = digits[..<mark]
        }
        for byte in digits {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isFraction = true
            default:
                mantissa = mantissa * 10 + UInt128(byte - UInt8(ascii: "0"))
                if isFraction { scale -= 1 }
            }
        }
        while mantissa != 0, mantissa % 10 == 0 {
            mantissa /= 10
            scale += 1
        }
        if mantissa == 0 { (isNegative, scale) = (false, 0) }
        guard let exponent = Int8(exactly: scale) else { return nil }
        self.exponent = exponent
    }

    /// Appends the 18 bytes.
    func append(to bytes: inout [UInt8]) {
        bytes.append(isNegative ? 1 : 0)
        bytes.append(UInt8(bitPattern: exponent))
        for shift in stride(from: UInt128(0), to: 128, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: mantissa >> shift))
        }
    }
}
