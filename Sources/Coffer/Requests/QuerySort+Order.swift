import CofferLinux
import CofferModel

extension QuerySort {
    /// What a value is ordered by, as a store orders by it: keys whose plain order is that of the descriptor.
    func keys(of value: AttributeValue, locale: String) -> [AttributeValue] {
        guard let text = value.textValue else { return [value] }
        switch comparison {
        case .binary: return [value]
        case .caseInsensitive: return [.string(comparison.keyWithoutLocale(text))]
        case .localized: return [key(of: text, rules: .localized, locale: locale)]
        case .localizedCaseInsensitive: return [key(of: text, rules: .caseInsensitive, locale: locale)]
        case .localizedStandard: return [key(of: text, rules: .standard, locale: locale), value]
        }
    }

    /// How many sort keys a text has; a value that is not a text has one.
    var keyCount: Int { comparison == .localizedStandard ? 2 : 1 }

    private func key(of text: String, rules: Collation.Rules, locale: String) -> AttributeValue {
        Collation.key(text, rules, locale: locale).map { .binary($0) }
            ?? .string(comparison.keyWithoutLocale(text))
    }

    /// How two values are ordered, null before all else; values without an order count as the same.
    static func order(_ left: AttributeValue, _ right: AttributeValue) -> ValueOrder {
        switch (left.isNull, right.isNull) {
        case (true, true): .same
        case (true, false): .before
        case (false, true): .after
        case (false, false): left.order(with: right) ?? .same
        }
    }
}
