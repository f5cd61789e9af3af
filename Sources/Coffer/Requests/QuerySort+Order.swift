import CofferModel

extension QuerySort {
    /// How two values are ordered, null before all else; what has no order is the same.
    ///
    /// The rules of a locale are not followed here, only the alikeness of case: the service's locale is not known.
    func order(_ left: AttributeValue, _ right: AttributeValue) -> ValueOrder {
        switch (left, right) {
        case (.null, .null): .same
        case (.null, _): .before
        case (_, .null): .after
        default: left.order(with: right, options: options) ?? .same
        }
    }

    private var options: QueryComparison.Options {
        switch comparison {
        case .caseInsensitive, .localizedCaseInsensitive, .localizedStandard: .caseInsensitive
        case .binary: .normalized
        case .localized: []
        }
    }
}
