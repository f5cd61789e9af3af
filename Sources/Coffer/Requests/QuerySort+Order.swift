import CofferModel
import FoundationEssentials

extension QuerySort {
    /// How two values are ordered, null before all else; what cannot be compared is the same.
    ///
    /// Comparisons by the rules of a locale are made without one here, by letters alone: the service's locale is not known.
    func order(_ left: AttributeValue, _ right: AttributeValue) -> ValueOrder {
        switch (left, right) {
        case (.null, .null): .same
        case (.null, _): .before
        case (_, .null): .after
        case (.integer(let a), .integer(let b)): Self.order(a, b)
        case (.double(let a), .double(let b)): Self.order(a, b)
        case (.float(let a), .float(let b)): Self.order(a, b)
        case (.decimal(let a), .decimal(let b)): Self.order(a, b)
        case (.date(let a), .date(let b)): Self.order(a, b)
        case (.boolean(let a), .boolean(let b)): Self.order(a ? 1 : 0, b ? 1 : 0)
        case (.string(let a), .string(let b)), (.uri(let a), .uri(let b)): order(a, b)
        case (.uuid(let a), .uuid(let b)): Self.order(a.uuidString, b.uuidString)
        case (.object(let a), .object(let b)): Self.order(a.primaryKey ?? .max, b.primaryKey ?? .max)
        default: .same
        }
    }

    private func order(_ left: String, _ right: String) -> ValueOrder {
        guard comparison != .binary else {
            if left.utf8.elementsEqual(right.utf8) { return .same }
            return left.utf8.lexicographicallyPrecedes(right.utf8) ? .before : .after
        }
        let folded = Self.order(left.lowercased(), right.lowercased())
        let isCaseAlike = comparison == .caseInsensitive || comparison == .localizedCaseInsensitive
        return folded == .same && !isCaseAlike ? Self.order(left, right) : folded
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> ValueOrder {
        left < right ? .before : left == right ? .same : .after
    }
}
