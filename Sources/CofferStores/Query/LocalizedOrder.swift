internal import CofferLinux
internal import CofferModel

/// Makes keys whose bytes order texts by the rules of a locale, as memory does too: see `Collation`.
///
/// Confined. A query asks for the keys of all its rows by the same rules, so what makes them is looked up
/// once.
struct LocalizedOrder {
    private var last: (comparison: QuerySort.Comparison, locale: String, collator: Collator?)?

    /// The key of a text for a comparison that is localized.
    mutating func key(_ text: String, _ comparison: QuerySort.Comparison, locale: String) -> [UInt8] {
        let collator: Collator?
        if let last, last.comparison == comparison, last.locale == locale {
            collator = last.collator
        } else {
            collator = Collation.collator(Self.rules(comparison), locale: locale)
            last = (comparison, locale, collator)
        }
        return collator?.key(text) ?? Array(comparison.keyWithoutLocale(text).utf8)
    }

    /// The key under which a text is kept, so that a list is ordered by it alone as a query orders, null
    /// before all texts.
    ///
    /// No key has a zero in it: what follows one breaks ties.
    mutating func keptKey(_ text: String, _ comparison: QuerySort.Comparison, locale: String) -> [UInt8] {
        let key = key(text, comparison, locale: locale) + [0]
        return comparison == .localizedStandard ? key + Array(text.utf8) : key
    }

    private static func rules(_ comparison: QuerySort.Comparison) -> Collation.Rules {
        switch comparison {
        case .binary, .caseInsensitive, .localized: .localized
        case .localizedCaseInsensitive: .caseInsensitive
        case .localizedStandard: .standard
        }
    }
}
