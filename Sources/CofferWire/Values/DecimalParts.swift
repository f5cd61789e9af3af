package import FoundationEssentials

/// A decimal number in parts: plus or minus `mantissa` times ten to the power of `exponent`.
///
/// Negative with a mantissa of zero is not a number, as in Foundation's `Decimal`.
package struct DecimalParts: Sendable, Hashable {
    /// Whether it is below zero.
    package var isNegative: Bool
    /// The power of ten.
    package var exponent: Int8
    /// The digits.
    package var mantissa: UInt128

    /// What is not a number (NaN).
    package static let notANumber = DecimalParts(isNegative: true, exponent: 0, mantissa: 0)

    /// Whether it is not a number (NaN).
    package var isNaN: Bool { isNegative && mantissa == 0 }

    /// How many bytes a column keeps for each: sign, exponent, mantissa.
    package static let byteCount = 18

    /// A number from its sign, its exponent and its digits.
    package init(isNegative: Bool, exponent: Int8, mantissa: UInt128) {
        self.isNegative = isNegative
        self.exponent = exponent
        self.mantissa = mantissa
    }
}

extension DecimalParts {
    /// The parts of `decimal`, exactly; equal numbers have equal parts, without zeros at the end of the
    /// mantissa.
    ///
    /// By arithmetic, since `Decimal` shows no fields: at most 128 comparisons.
    package init(_ decimal: Decimal) {
        guard !decimal.isNaN else {
            self = .notANumber
            return
        }
        var rest = decimal.significand
        var mantissa: UInt128 = 0
        for bit in (0..<128).reversed() where rest >= Self.powers[bit] {
            rest -= Self.powers[bit]
            mantissa |= 1 << UInt128(bit)
            if rest.isZero { break }
        }
        let exponent = Int8(clamping: decimal.exponent)
        self = Self(isNegative: decimal.sign == .minus, exponent: exponent, mantissa: mantissa).inLowestTerms
    }

    /// The powers of two that a mantissa is the sum of.
    private static let powers: [Decimal] = {
        var powers = [Decimal(1)]
        while powers.count < 128, let last = powers.last { powers.append(last + last) }
        return powers
    }()

    /// The number, exactly; `nil` if `Decimal` cannot hold it, as for 10^38 times 10^127.
    package var decimal: Decimal? {
        if isNaN { return .nan }
        var significand = Decimal(UInt64(truncatingIfNeeded: mantissa))
        let high = UInt64(truncatingIfNeeded: mantissa >> 64)
        if high != 0 { significand += Decimal(high) * Self.powers[64] }
        let result = Decimal(
            sign: isNegative ? .minus : .plus, exponent: Int(exponent), significand: significand)
        return result.isNaN ? nil : result
    }
}

extension DecimalParts {
    /// This number without zeros at the end of the mantissa, as far as the exponent can count them.
    package var inLowestTerms: DecimalParts {
        Self(isNegative: isNegative, scaledBy: Int(exponent), mantissa: mantissa) ?? self
    }

    /// A number without zeros at the end of the mantissa; `nil` if its exponent then does not fit.
    package init?(isNegative: Bool, scaledBy exponent: Int, mantissa: UInt128) {
        var (exponent, mantissa) = (mantissa == 0 ? 0 : exponent, mantissa)
        while mantissa != 0, mantissa % 10 == 0, exponent < Int8.max {
            mantissa /= 10
            exponent += 1
        }
        guard let exponent = Int8(exactly: exponent) else { return nil }
        self.init(isNegative: isNegative, exponent: exponent, mantissa: mantissa)
    }

    /// Reads a row of a decimals column: sign, exponent, mantissa; `nil` if it is not a decimal.
    package init?(row: Int, of bytes: [UInt8]) {
        let start = row * Self.byteCount
        guard start >= 0, start + Self.byteCount <= bytes.count, bytes[start] <= 1 else { return nil }
        self.init(bytes, row: row)
    }

    /// Reads a row of a decimals column that was checked.
    ///
    /// - Precondition: `bytes` holds the row.
    package init(_ bytes: [UInt8], row: Int) {
        let start = row * Self.byteCount
        self.init(
            isNegative: bytes[start] != 0, exponent: Int8(bitPattern: bytes[start + 1]),
            mantissa: Self.mantissa(bytes[(start + 2)..<(start + Self.byteCount)]))
    }

    /// The number whose bytes these are, the lowest first.
    static func mantissa(_ bytes: some BidirectionalCollection<UInt8>) -> UInt128 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// The mantissa's 16 bytes, the lowest first.
    var mantissaBytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: mantissa >> (8 * UInt128($0))) }
    }

    /// Appends a row of a decimals column.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(isNegative ? 1 : 0)
        bytes.append(UInt8(bitPattern: exponent))
        for index in 0..<UInt128(16) { bytes.append(UInt8(truncatingIfNeeded: mantissa >> (8 * index))) }
    }
}
