extension String {
    /// Whether it has nothing but letters and digits of ASCII and `_`, no digit first: what may be a name in a model, and stand in SQL
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
}
