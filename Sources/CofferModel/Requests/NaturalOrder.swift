/// The order of `localizedStandardCompare:` as far as it needs no locale: case and marks alike, numbers by
/// their value.
package enum NaturalOrder {
    /// Texts compare by their keys' bytes as they do themselves.
    package static func key(_ text: String) -> String {
        var key = String.UnicodeScalarView()
        var digits: [Unicode.Scalar] = []
        func endNumber() {
            guard !digits.isEmpty else { return }
            let value = digits.drop { $0 == "0" }
            // A longer number is greater; each begins with a digit, so that it is ordered as digits are.
            key.append("0")
            key.append(Unicode.Scalar(0xE000 + UInt32(min(value.count, 0x1000))) ?? "0")
            key.append(contentsOf: value)
            digits.removeAll()
        }
        for scalar in TextFolding.fold(text, options: [.caseInsensitive, .diacriticInsensitive])
            .unicodeScalars
        {
            if ("0"..."9").contains(scalar) {
                digits.append(scalar)
            } else {
                endNumber()
                key.append(scalar)
            }
        }
        endNumber()
        return String(key)
    }
}
