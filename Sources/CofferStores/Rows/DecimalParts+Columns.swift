internal import CofferSQLite
package import CofferWire

/// A decimal as it is stored: a number, and its exact digits if the number cannot say them.
///
/// A column of type DECIMAL turns a double that is whole into an integer of 64 bits if it fits.
extension DecimalParts {
    /// Whether row `row` of a column is NaN, which travels as a negative zero.
    static func isNaN(_ bytes: [UInt8], row: Int) -> Bool {
        let start = byteCount * row
        return bytes[start] != 0 && bytes[(start + 2)..<(start + byteCount)].allSatisfy { $0 == 0 }
    }

    /// Reads digits such as `-12.5e-3`; `nil` if the text is not such a number, or has more digits than a
    /// decimal holds.
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
        self.init(isNegative: isNegative && mantissa != 0, scaledBy: exponent, mantissa: mantissa)
    }

    /// What stands in a column, and in a file, for what is not a number: no save of ours writes it, and other
    /// programs may have.
    package static let notANumberText = "NaN"

    /// Reads a column, and the exact digits beside it; `nil` if it holds neither a number nor the text for
    /// what is not a number.
    init?(_ statement: SQLiteStatement, _ column: Int, digits: String?) {
        switch statement.type(column) {
        case .integer: self.init(integer: statement.int64(column), digits: digits)
        case .real: self.init(number: statement.double(column), digits: digits)
        case .text where statement.text(column).lowercased() == Self.notANumberText.lowercased():
            self = .notANumber
        case .text, .blob, .null: return nil
        }
    }

    /// Reads a column's integer, or the exact digits beside it if there are some and their nearest double
    /// still is that integer.
    package init?(integer: Int64, digits: String?) {
        if let digits, let exact = Self(text: digits), Int64(exactly: exact.double) == integer {
            self = exact
        } else {
            self.init(text: String(integer))
        }
    }

    /// Reads a column's number, or the exact digits beside it if there are some and their nearest double
    /// still is that number.
    package init?(number: Double, digits: String?) {
        if let digits, let exact = Self(text: digits), exact.double == number {
            self = exact
        } else {
            self.init(text: number.description)
        }
    }

    /// The digits, exactly.
    package var text: String {
        (isNegative ? "-" : "") + String(mantissa) + (exponent == 0 ? "" : "e\(exponent)")
    }

    /// The nearest double; 0 for NaN, which no column keeps.
    package var double: Double { mantissa == 0 ? 0 : Double(text) ?? 0 }

    /// The digits, if reading what a column makes of the double would give another decimal.
    package var digitsBesideDouble: String? {
        if mantissa == 0 { return nil }
        let (exact, double) = (inLowestTerms, self.double)
        let integer = Int64(exactly: double)
        // SQLite leaves the least integer a double.
        let read = integer.flatMap { $0 == .min ? nil : String($0) } ?? double.description
        return Self(text: read) == exact ? nil : exact.text
    }
}

extension DecimalParts {
    /// The digits, with a point if they have a fraction, as every reader of XML stores takes them; for what
    /// is not a number, a text that no file can keep.
    package var digits: String {
        let digits = String(mantissa)
        let sign = isNegative ? "-" : ""
        let exponent = Int(exponent)
        if isNaN { return Self.notANumberText }
        if mantissa == 0 { return "0" }
        if exponent >= 0 { return sign + digits + String(repeating: "0", count: exponent) }
        let padded = String(repeating: "0", count: max(0, 1 - exponent - digits.utf8.count)) + digits
        return "\(sign)\(padded.dropLast(-exponent)).\(padded.suffix(-exponent))"
    }
}
