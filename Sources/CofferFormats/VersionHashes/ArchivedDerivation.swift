internal import CofferModel

/// The expression of a derived attribute as Core Data archives it.
///
/// Source: measured; `pages.@count`, as Xcode has it, is `count:(pages)` in the stores that Core Data makes,
/// and in their hashes.
struct ArchivedDerivation {
    /// What Core Data's archive calls the function; `nil` if the expression is a key path alone.
    let selector: String?
    /// The key path that the function is of; `nil` if it has no argument.
    let keyPath: String?

    /// The expression as text, as it enters version hashes.
    var text: String {
        guard let selector else { return keyPath ?? "" }
        return "\(selector)(\(keyPath ?? ""))"
    }

    /// Reads an expression in any way in which it may be written; what cannot be read is taken as a key path.
    init(_ text: String) {
        (selector, keyPath) = Self.parts(of: text)
    }

    private static func parts(of text: String) -> (selector: String?, keyPath: String?) {
        // What is not an expression fails elsewhere, where the model is checked.
        guard let expression = try? QueryExpression(format: text) else { return (nil, text) }
        switch expression {
        case .keyPath(let keys): return parts(of: keys)
        case .function(let name, let arguments):
            guard let first = arguments.first else { return (name, nil) }
            guard arguments.count == 1, case .keyPath(let keys) = first else { return (nil, text) }
            return (name, keys.joined(separator: "."))
        default: return (nil, text)
        }
    }

    /// A key path, in which an operator of a collection becomes a function of the rest.
    private static func parts(of keys: [String]) -> (selector: String?, keyPath: String?) {
        let operators: [String: QueryFunction] = [
            "@count": .count, "@sum": .sum, "@min": .min, "@max": .max, "@avg": .average,
        ]
        let found = keys.compactMap { operators[$0] }
        guard found.count == 1 else { return (nil, keys.joined(separator: ".")) }
        return (found[0].rawValue, keys.filter { operators[$0] == nil }.joined(separator: "."))
    }
}
