internal import CofferLinux
internal import CofferModel

/// Keys whose bytes order texts by the rules of a locale, as memory does too: see `Collation`.
enum LocalizedOrder {
    /// The key of a text for a comparison that is localized.
    static func key(_ text: String, _ comparison: QuerySort.Comparison, locale: String) -> [UInt8] {
        let rules: Collation.Rules =
            switch comparison {
            case .binary, .caseInsensitive, .localized: .localized
            case .localizedCaseInsensitive: .caseInsensitive
            case .localizedStandard: .standard
            }
        return Collation.key(text, rules, locale: locale) ?? Array(comparison.keyWithoutLocale(text).utf8)
    }
}
