internal import CofferModel

/// Finds what has no value of its own in a group, since its objects may differ in it: SQLite would take that
/// of any of them.
struct GroupCheck {
    let model: ManagedObjectModel
    let entity: EntityDescription
    /// The key paths by which is grouped.
    let groupBy: [[String]]

    /// What an expression reads of each object, outside of functions of all of the group; `nil` if that is
    /// nothing.
    func loosePath(in expression: QueryExpression) -> String? {
        switch expression {
        case .constant, .variable: return nil
        case .evaluatedObject: return "SELF"
        case .keyPath(let names): return isAgreed(names) ? nil : names.joined(separator: ".")
        case .collection(let parts): return loosePath(in: parts)
        case .function(let name, let arguments):
            guard QueryFunction(name: name)?.isOfCollection ?? false, let first = arguments.first,
                isOfGroup(first)
            else { return loosePath(in: arguments) }
            return loosePath(in: Array(arguments.dropFirst()))
        case .subquery(let collection, _, let predicate, _):
            return loosePath(in: collection) ?? loosePath(in: predicate)
        case .conditional(let condition, let then, let otherwise):
            return loosePath(in: condition) ?? loosePath(in: [then, otherwise])
        }
    }

    /// What a condition reads of each object, outside of functions of all of the group; `nil` if that is
    /// nothing.
    func loosePath(in predicate: QueryPredicate) -> String? {
        switch predicate {
        case .always: nil
        case .and(let parts), .or(let parts): parts.lazy.compactMap { loosePath(in: $0) }.first
        case .not(let part): loosePath(in: part)
        case .comparison(let comparison): loosePath(in: [comparison.left, comparison.right])
        }
    }

    private func loosePath(in parts: [QueryExpression]) -> String? {
        parts.lazy.compactMap { loosePath(in: $0) }.first
    }

    /// Whether all objects of a group agree in what a key path leads to: it is grouped by, or by an object on
    /// the way.
    private func isAgreed(_ names: [String]) -> Bool { groupBy.contains { names.starts(with: $0) } }

    /// Whether a function is one of the group's values, not of those that each object leads to.
    private func isOfGroup(_ argument: QueryExpression) -> Bool {
        switch argument {
        case .keyPath(let names):
            // What does not resolve was refused before.
            let path = KeyPathResolver.textKey(at: names, from: entity, in: model)?.path ?? names
            return (try? KeyPathResolver.resolve(path, from: entity, in: model))?.isToMany == false
        case .subquery, .collection: return false
        case .constant, .evaluatedObject, .variable, .function, .conditional: return true
        }
    }
}
