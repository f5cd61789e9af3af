internal import CofferSQLite

/// A decimal as it travels (18 bytes) and as it is stored: a number, and its exact digits where the number
/// cannot say them.
///
/// Two decimals are equal where their values are, whatever their exponents. A column of type DECIMAL turns a
/// double that is whole into an integer of 64 bits where it fits.
package struct StoredDecimal: Sendable, Equatable {
    private let isNegative: Bool
    private let exponent: Int
    private let mantissa: UInt128

    /// Reads row `row` of a column: sign, exponent, mantissa (16 bytes, little endian).
    ///
    /// - Precondition: `bytes` holds the row.
    package init(_ bytes: [UInt8], row: Int) {
        let start = 18 * row
        var mantissa: UInt128 = 0
        for place in (0..<16).reversed() { mantissa = mantissa << 8 | UInt128(bytes[start + 2 + place]) }
        self.init(isNegative: bytes[start] != 0, exponent: Int(Int8(bitPattern: bytes[start + 1])), mantissa)
    }

    /// Whether row `row` of a column is NaN, which travels as a negative zero.
    static func isNaN(_ bytes: [UInt8], row: Int) -> Bool {
        bytes[18 * row] != 0 && bytes[(18 * row + 2)..<(18 * row + 18)].allSatisfy { $0 == 0 }
    }

    /// A value without zeros at the end of its digits.
    private init(isNegative: Bool, exponent: Int, _ mantissa: UInt128) {
        var (exponent, mantissa) = (exponent, mantissa)
        while mantissa != 0, mantissa % 10 == 0, exponent < 127 {
            mantissa /= 10
            exponent += 1
        }
        self.isNegative = isNegative && mantissa != 0
        self.exponent = mantissa == 0 ? 0 : exponent
        self.mantissa = mantissa
    }

    /// Reads digits such as `-12.5e-3`; `nil` where they are none, or more than a decimal holds.
    package init?(text: String) {
        var (mantissa, exponent) = (UInt128(0), 0)
        var rest = Substring(text)
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest = rest.dropFirst() }
        if let mark = rest.firstIndex(where: { $0 == "e" || $0 == "E" }) {
            guard let power = Int(rest[rest.index(after: mark)...]), (-9_999...9_999).contains(power) else {
                return nil
            }
            exponent = power
            rest = rest[..<mark]
        }
        var (isFraction, hasDigits) = (false, false)
        for byte in rest.utf8 {
            if byte == UInt8(ascii: "."), !isFraction {
                isFraction = true
                continue
            }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            hasDigits = true
            let (shifted, overflow) = mantissa.multipliedReportingOverflow(by: 10)
            let (sum, carry) = shifted.addingReportingOverflow(UInt128(byte - UInt8(ascii: "0")))
            guard !overflow, !carry else { return nil }
            mantissa = sum
            if isFraction { exponent -= 1 }
        }
        guard hasDigits else { return nil }
        self.init(isNegative: isNegative, exponent: exponent, mantissa)
        guard (-128...127).contains(self.exponent) else { return nil }
    }

    /// Reads a column, and the exact digits beside it; `nil` where it holds no number.
    init?(_ statement: SQLiteStatement, _ column: Int, digits: String?) {
        switch statement.type(column) {
        case .integer: self.init(integer: statement.int64(column), digits: digits)
        case .real: self.init(number: statement.double(column), digits: digits)
        case .text, .blob, .null: return nil
        }
    }

    /// Reads a column's integer, and the exact digits beside it where there are some and it still is what
    /// their nearest double is.
    package init?(integer: Int64, digits: String?) {
        if let digits, let exact = StoredDecimal(text: digits), Int64(exactly: exact.double) == integer {
            self = exact
        } else {
            self.init(text: String(integer))
        }
    }

    /// Reads a column's number, and the exact digits beside it where there are some and they still are that
    /// number's.
    package init?(number: Double, digits: String?) {
        if let digits, let exact = StoredDecimal(text: digits), exact.double == number {
            self = exact
        } else {
            self.init(text: number.description)
        }
    }

    /// The digits, exactly.
    package var text: String {
        (isNegative ? "-" : "") + String(mantissa) + (exponent == 0 ? "" : "e\(exponent)")
    }

    /// The nearest double.
    package var double: Double { Double(text) ?? 0 }

    /// The digits, where reading what a column makes of the double would give another decimal.
    package var digitsBesideDouble: String? {
        let double = self.double
        let integer = Int64(exactly: double)
        // SQLite leaves the least integer a double.
        let read = integer.flatMap { $0 == .min ? nil : String($0) } ?? double.description
        return StoredDecimal(text: read) == self ? nil : text
    }

    /// Appends the 18 bytes that travel.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(isNegative ? 1 : 0)
        bytes.append(UInt8(bitPattern: Int8(clamping: exponent)))
        for place in 0..<16 { bytes.append(UInt8(truncatingIfNeeded: mantissa >> UInt128(8 * place))) }
    }
}
