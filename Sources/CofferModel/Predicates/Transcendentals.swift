internal import Glibc  // Swift's library has none of these four; they take and give plain numbers.

/// Functions of real numbers that only the C library has.
enum Transcendentals {
    static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
    static func exponential(_ value: Double) -> Double { exp(value) }
    static func naturalLogarithm(_ value: Double) -> Double { log(value) }
    static func decimalLogarithm(_ value: Double) -> Double { log10(value) }
}
