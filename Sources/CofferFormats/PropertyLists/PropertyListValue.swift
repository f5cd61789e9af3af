package import FoundationEssentials

/// One value of a property list, of any kind that the format has.
///
/// FoundationEssentials' coders lose kinds that matter here: they cannot tell the real 2.0 from the integer 2
/// when the reader does not know which it wants, and know no references of keyed archives.
package indirect enum PropertyListValue: Sendable, Hashable {
    /// Values by key.
    case dictionary([String: PropertyListValue])
    /// Values in order.
    case array([PropertyListValue])
    /// Text.
    case string(String)
    /// Bytes.
    case data([UInt8])
    /// A point in time.
    case date(Date)
    /// An integer that fits into 64 bits with a sign.
    case integer(Int64)
    /// An integer above `Int64.max`.
    case largeInteger(UInt64)
    /// A floating point number.
    case real(Double)
    /// True or false.
    case boolean(Bool)
    /// A reference inside a keyed archive.
    case reference(UInt64)
    /// No value; only binary property lists can hold it.
    case null
}

extension PropertyListValue {
    /// The values by key, if it is a dictionary.
    package var dictionary: [String: PropertyListValue]? {
        if case .dictionary(let values) = self { values } else { nil }
    }

    /// The values in order, if it is an array.
    package var array: [PropertyListValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The text, if it is a string.
    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The bytes, if it is data.
    package var data: [UInt8]? {
        if case .data(let bytes) = self { bytes } else { nil }
    }

    /// The integer, if it is one that fits.
    package var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }
}
