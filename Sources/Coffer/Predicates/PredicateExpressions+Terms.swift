import CofferModel
import FoundationEssentials

extension PredicateExpressions.Variable: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        .operand(try translation.operand(of: key))
    }
}

extension PredicateExpressions.Value: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        try PredicateConstant.term(value)
    }
}

extension PredicateExpressions.NilLiteral: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) -> PredicateTerm {
        .operand(PredicateOperand(.null))
    }
}

extension PredicateExpressions.KeyPath: PredicateTermSource {
    func term(in translation: inout PredicateTranslation) throws(QueryError) -> PredicateTerm {
        if let captured = root as? PredicateExpressions.Value<Root.Output> {
            return try PredicateConstant.term(captured.value[keyPath: keyPath])
        }
        switch try translation.term(of: root) {
        case .objects(let objects):
            if let type = Root.Output.self as? any CountedCollection.Type,
                let count = objects.appending(CollectionOperator.count.rawValue)
            {
                if keyPath == type.keyPaths.count { return .operand(PredicateOperand(count, null: .never)) }
                if keyPath == type.keyPaths.isEmpty {
                    return .predicate(.compare(count, .equal, .constant(.integer(0))))
                }
            }
        case .units(let text) where keyPath == \String.UTF16View.count:
            return .operand(PredicateOperand(.function("length:", [text.whole]), null: .never))
        case .operand(let operand) where Root.Output.self == String.self:
            if keyPath == \String.count {
                return .operand(PredicateOperand(.function("characters:", [operand.whole]), null: .never))
            }
            if keyPath == \String.isEmpty {
                return .predicate(operand.isEqual(to: PredicateOperand(.string(""))))
            }
            if keyPath == \String.utf16 { return .units(operand) }
        case .operand(let object) where Root.Output.self is ManagedObject.Type:
            return try property(of: object, in: translation)
        default: break
        }
        throw .invalidOperand(
            "a key path of \(Root.Output.self) to \(Output.self) has no meaning for a store, but for those of relationships and texts to 'count' and 'isEmpty'"
        )
    }

    private func property(
        of object: PredicateOperand, in translation: PredicateTranslation
    ) throws(QueryError) -> PredicateTerm {
        if let part = self as? any ObjectKeyPath, part.isID {
            return .operand(object)
        }
        let name = try translation.name(of: keyPath, in: Root.Output.self)
        guard let path = object.expression.appending(name) else {
            throw .invalidOperand("'\(name)' is asked of an object that has no key path: ask each of the two")
        }
        if Output.self is any CountedCollection.Type { return .objects(path) }
        if Output.self is any OptionalValue.Type { return .operand(PredicateOperand(path, null: .isNil)) }
        guard let type = Output.self as? any AttributeConvertible.Type else {
            throw .invalidOperand("'\(name)' has the type \(Output.self), which no attribute has")
        }
        let instead = translation.valueForNull(of: name, in: Root.Output.self, as: type)
        return .operand(PredicateOperand(path, null: instead.isNull ? .isNil : .reads(instead)))
    }
}

/// A key path of an object, whatever its class is.
private protocol ObjectKeyPath {
    /// Whether it leads to the id.
    var isID: Bool { get }
}

extension PredicateExpressions.KeyPath: ObjectKeyPath where Root.Output: ManagedObject {
    fileprivate var isID: Bool { keyPath == \Root.Output.objectID }
}

/// An optional, whatever it wraps.
private protocol OptionalValue {}
extension Optional: OptionalValue {}

/// A to-many relationship or what was left of one, whatever its objects are.
private protocol CountedCollection {
    static var keyPaths: (count: AnyKeyPath, isEmpty: AnyKeyPath) { get }
}

extension RelatedObjects: CountedCollection {
    fileprivate static var keyPaths: (count: AnyKeyPath, isEmpty: AnyKeyPath) {
        (\RelatedObjects<Object>.count, \RelatedObjects<Object>.isEmpty)
    }
}

extension Array: CountedCollection {
    fileprivate static var keyPaths: (count: AnyKeyPath, isEmpty: AnyKeyPath) {
        (\[Element].count, \[Element].isEmpty)
    }
}
