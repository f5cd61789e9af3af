/// One property that results are ordered by.
///
/// Named so because Foundation has a `SortDescriptor` of its own.
///
/// ```swift
/// request.sortDescriptors = [
///     QuerySort("folder.name", comparison: .localizedStandard), QuerySort("stars", ascending: false),
/// ]
/// ```
public struct QuerySort: Sendable, Hashable {
    /// How two texts compare.
    public enum Comparison: UInt8, Sendable, Hashable, CaseIterable {
        /// By Unicode scalar, as bytes (`compare:`).
        case binary
        /// By Unicode scalar, upper and lower case alike (`caseInsensitiveCompare:`).
        case caseInsensitive
        /// By the rules of the request's locale (`localizedCompare:`).
        case localized
        /// By the rules of the locale, upper and lower case alike (`localizedCaseInsensitiveCompare:`).
        case localizedCaseInsensitive
        /// As a file manager sorts, numbers by value (`localizedStandardCompare:`).
        case localizedStandard
    }

    /// Property names from the object on, through to-one relationships.
    public var keyPath: [String]
    /// Whether small comes before large; null is smallest.
    public var isAscending: Bool
    /// How two texts compare.
    public var comparison: Comparison

    /// An order by `keyPath`, whose names are joined by dots.
    public init(_ keyPath: String, ascending: Bool = true, comparison: Comparison = .binary) {
        self.keyPath = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        isAscending = ascending
        self.comparison = comparison
    }

    /// An order by `keyPath`, name by name.
    public init(keyPath: [String], isAscending: Bool, comparison: Comparison) {
        self.keyPath = keyPath
        self.isAscending = isAscending
        self.comparison = comparison
    }
}

extension QuerySort.Comparison {
    /// A key that orders texts if the rules of locales are not available: case and marks alike at first.
    package func keyWithoutLocale(_ text: String) -> String {
        let both: QueryComparison.Options = [.caseInsensitive, .diacriticInsensitive]
        return switch self {
        case .binary: text
        case .caseInsensitive: TextFolding.fold(text, options: .caseInsensitive)
        case .localizedCaseInsensitive: TextFolding.fold(text, options: both)
        // What is alike otherwise is ordered as it is: below all texts stands what ends the first part.
        case .localized: TextFolding.fold(text, options: both) + "\0" + text
        case .localizedStandard: NaturalOrder.key(text)
        }
    }
}
