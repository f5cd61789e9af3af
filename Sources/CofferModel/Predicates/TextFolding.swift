@_spi(_Unicode) internal import Swift

/// Makes texts alike that `[c]` and `[d]` call alike.
///
/// Text is compared by its UTF-8 bytes once it is folded, as SQLite compares it, so that memory and store
/// agree. Without options nothing is folded: `é` written with one scalar and with two are different.
package enum TextFolding {
    /// The text with upper case made lower for `[c]`, and without combining marks for `[d]`.
    ///
    /// By Unicode's rules for single characters, whatever the locale: `ẞ` is `ß`, but `ß` is not `ss`. Marks
    /// are what a canonical decomposition leaves besides base characters (general category Mn); so `ø`, which
    /// does not decompose, keeps its stroke.
    /// - Complexity: O(bytes); ASCII takes one pass without decoding.
    package static func fold(_ text: String, options: QueryComparison.Options) -> String {
        let options = options.intersection(folding)
        if options.isEmpty { return text }
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            guard options.contains(.caseInsensitive), text.utf8.contains(where: isCapital) else {
                return text
            }
            return String(decoding: text.utf8.map(lowercase), as: UTF8.self)
        }
        return foldUnicode(text, options)
    }

    /// Folds text as bytes; bytes that are not valid UTF-8 are replaced by U+FFFD.
    package static func fold(utf8 bytes: [UInt8], options: QueryComparison.Options) -> [UInt8] {
        let options = options.intersection(folding)
        if options.isEmpty { return bytes }
        if bytes.allSatisfy({ $0 < 0x80 }) {
            return options.contains(.caseInsensitive) ? bytes.map(lowercase) : bytes
        }
        return Array(foldUnicode(String(decoding: bytes, as: UTF8.self), options).utf8)
    }

    private static let folding: QueryComparison.Options = [.caseInsensitive, .diacriticInsensitive]

    private static func isCapital(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "A") < 26 }

    private static func lowercase(_ byte: UInt8) -> UInt8 { isCapital(byte) ? byte | 0x20 : byte }

    private static func foldUnicode(_ text: String, _ options: QueryComparison.Options) -> String {
        var result = String.UnicodeScalarView()
        let foldsCase = options.contains(.caseInsensitive)
        let dropsMarks = options.contains(.diacriticInsensitive)
        // Canonically equivalent texts are alike once anything is folded.
        for scalar in text._nfd {
            if dropsMarks, scalar.value > 0x7f, scalar.properties.generalCategory == .nonspacingMark {
                continue
            }
            if !foldsCase {
                result.append(scalar)
            } else if scalar.value < 0x80 {
                result.append(Unicode.Scalar(lowercase(UInt8(scalar.value))))
            } else {
                append(folded: scalar, to: &result)
            }
        }
        // Composed again, so that a letter is one scalar for patterns, and no text begins with half of
        // another's letter.
        return composed(String(result))
    }

    private static func composed(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        scalars.append(contentsOf: text._nfc)
        return String(scalars)
    }

    /// A pattern with its letters as folded texts have them, but not folded itself.
    static func compose(_ pattern: String, options: QueryComparison.Options) -> String {
        options.isDisjoint(with: folding) ? pattern : composed(pattern)
    }

    /// Lower case of upper case of a scalar, so that `ς`, `σ` and `Σ` are alike; upper case of more than one
    /// scalar is left alone.
    private static func append(folded scalar: Unicode.Scalar, to result: inout String.UnicodeScalarView) {
        let upper = scalar.properties.uppercaseMapping.unicodeScalars
        let base = upper.count == 1 ? upper.first ?? scalar : scalar
        result.append(contentsOf: base.properties.lowercaseMapping.unicodeScalars)
    }
}

extension TextFolding {
    /// Whether two texts are in an order or relation, folded by `options`; `nil` for operators that do not
    /// compare two texts.
    ///
    /// `LIKE` and `MATCHES` are not among them: see `LikePattern` and `RegularExpression`.
    package static func holds(
        _ left: String, _ operator: QueryComparison.Operator, _ right: String,
        options: QueryComparison.Options
    ) -> Bool? {
        let left = fold(left, options: options).utf8
        let right = fold(right, options: options).utf8
        return switch `operator` {
        case .equal: left.elementsEqual(right)
        case .notEqual: !left.elementsEqual(right)
        case .less: left.lexicographicallyPrecedes(right)
        case .lessOrEqual: !right.lexicographicallyPrecedes(left)
        case .greater: right.lexicographicallyPrecedes(left)
        case .greaterOrEqual: !left.lexicographicallyPrecedes(right)
        case .beginsWith: left.starts(with: right)
        case .endsWith: left.reversed().starts(with: right.reversed())
        case .contains: contains(Array(left), Array(right))
        case .in: contains(Array(right), Array(left))
        case .between, .like, .matches: nil
        }
    }

    /// Whether `needle` stands somewhere in `text`; the empty one does everywhere.
    ///
    /// - Complexity: O(`text.count` + `needle.count`), by Knuth, Morris and Pratt: both may be chosen by
    ///   the caller.
    package static func contains(_ text: [UInt8], _ needle: [UInt8]) -> Bool {
        guard !needle.isEmpty else { return true }
        guard needle.count <= text.count else { return false }
        var fallback = [0]
        var matched = 0
        for byte in needle.dropFirst() {
            while matched > 0, byte != needle[matched] { matched = fallback[matched - 1] }
            if byte == needle[matched] { matched += 1 }
            fallback.append(matched)
        }
        matched = 0
        for byte in text {
            while matched > 0, byte != needle[matched] { matched = fallback[matched - 1] }
            if byte == needle[matched] { matched += 1 }
            if matched == needle.count { return true }
        }
        return false
    }
}
