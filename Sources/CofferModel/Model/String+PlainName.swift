extension String {
    /// Whether it has nothing but letters and digits of ASCII and `_`, no digit first: what may stand in SQL
    /// without quotes.
    package var isPlainName: Bool {
        !isEmpty
            && utf8.enumerated().allSatisfy { offset, byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "_"):
                    true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): offset > 0
                default: false
                }
            }
    }

    /// Whether it may be a name in a model: letters of any script with their marks, digits and `_`, no digit
    /// or mark first.
    ///
    /// That is what Core Data takes, and what is an identifier in Swift, in predicates and in SQL.
    package var isModelName: Bool {
        guard let first = unicodeScalars.first, first == "_" || first.properties.isAlphabetic else {
            return false
        }
        return unicodeScalars.allSatisfy { scalar in
            if scalar.isASCII {
                return scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            }
            return scalar.properties.isXIDContinue
        }
    }
}
