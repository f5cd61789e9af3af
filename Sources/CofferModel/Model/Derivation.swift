/// What a derived attribute is computed from, read from its expression and checked against the model.
///
/// The kinds are those that Core Data's SQLite stores know: a value of the object itself or of one at the
/// other end of a to-one relationship, as it is or through a function of text; the count of a to-many
/// relationship, or the sum of a number of its objects; the time of the save.
package struct Derivation: Sendable, Hashable {
    /// Where the value comes from.
    package enum Source: Sendable, Hashable {
        /// Another attribute of the object.
        case own(AttributeDescription)
        /// An attribute of the object at the other end of a to-one relationship.
        case related(RelationshipDescription, AttributeDescription)
        /// How many objects a to-many relationship has.
        case count(RelationshipDescription)
        /// The sum of a number of all objects of a to-many relationship; 0 if there is none.
        ///
        /// A save that takes a sum of integers beyond 64 bits is refused.
        case sum(RelationshipDescription, AttributeDescription)
        /// When the object was saved last.
        case now
    }

    /// What is made of a text.
    package enum Transform: Sendable, Hashable, CaseIterable {
        /// The text without differences of case and marks.
        case canonical
        /// The text in capitals.
        case uppercase
        /// The text in small letters.
        case lowercase
    }

    /// Where the value comes from.
    package let source: Source
    /// What is made of it; `nil` if it is taken as it is.
    package let transform: Transform?

    /// Reads the expression of a derived attribute of `entity`.
    ///
    /// The operator of a to-many relationship may stand at the end, as Xcode has it (`pages.number.@sum`),
    /// before the attribute (`pages.@sum.number`), or as a function (`sum:(pages.number)`, `count:(pages)`).
    /// - Throws: `ModelError.invalidDerivation` for any other expression, for one that names what is not
    ///   stored or is derived itself, and if the result does not fit the attribute's type.
    package init(
        of attribute: AttributeDescription, in entity: EntityDescription, of model: ManagedObjectModel
    ) throws(ModelError) {
        let reader = DerivationReader(attribute: attribute, entity: entity, model: model)
        (source, transform) = try reader.read()
    }
}

extension EntityDescription {
    /// The attributes, inherited ones included, that a store computes.
    package var derivedAttributes: [AttributeDescription] {
        attributes.filter { $0.derivationExpression != nil && !$0.isTransient }
    }
}

extension AttributeDescription {
    /// Whether it is derived, and says when its object was saved last, which cannot be computed again.
    package var isTimeOfSave: Bool {
        guard let expression = definition.derivationExpression,
            // An expression that cannot be read is refused with its model.
            case .function(let name, _)? = try? QueryExpression(format: expression)
        else { return false }
        return QueryFunction(rawValue: name) == .now
    }
}

/// Reads one expression.
private struct DerivationReader {
    let attribute: AttributeDescription
    let entity: EntityDescription
    let model: ManagedObjectModel

    func read() throws(ModelError) -> (Derivation.Source, Derivation.Transform?) {
        let (source, transform) = try parts()
        if let fault = misfit(of: source, transform) { throw failure(fault) }
        return (source, transform)
    }

    private func parts() throws(ModelError) -> (Derivation.Source, Derivation.Transform?) {
        let expression: QueryExpression
        do throws(QueryError) {
            expression = try QueryExpression(format: attribute.derivationExpression ?? "")
        } catch {
            throw failure("it cannot be read: \(error)")
        }
        switch expression {
        case .keyPath(let keys): return (try source(keys), nil)
        case .function(let name, let arguments):
            let function = QueryFunction(rawValue: name)
            if function == .now { return (.now, nil) }
            guard arguments.count == 1, case .keyPath(let keys) = arguments[0] else { break }
            switch function {
            case .count: return (try source(keys + [CollectionOperator.count.rawValue]), nil)
            case .sum: return (try source(keys + [CollectionOperator.sum.rawValue]), nil)
            case .canonical: return (try source(keys), .canonical)
            case .uppercase: return (try source(keys), .uppercase)
            case .lowercase: return (try source(keys), .lowercase)
            default: break
            }
        default: break
        }
        throw failure(
            "write an attribute, one of a to-one relationship, either in canonical:, uppercase: or lowercase:, "
                + "a to-many relationship with @count or @sum, or now()")
    }

    private func source(_ keys: [String]) throws(ModelError) -> Derivation.Source {
        let operators = keys.filter { $0.hasPrefix("@") }
        let names = keys.filter { !$0.hasPrefix("@") }
        guard let first = names.first, operators.count < 2 else { throw failure("it names no property") }
        guard let property = entity.property(named: first), !property.isTransient else {
            throw failure("'\(first)' is not a stored property of \(entity.name)")
        }
        guard let relationship = property.relationship else {
            guard names.count == 1, operators.isEmpty else {
                throw failure("'\(first)' is an attribute, and nothing is behind it")
            }
            return .own(try stored(property))
        }
        switch (operators.first, relationship.isToMany) {
        case (nil, false): return .related(relationship, try attribute(names, of: relationship))
        case (CollectionOperator.count.rawValue, true) where names.count == 1: return .count(relationship)
        case (CollectionOperator.sum.rawValue, true):
            return .sum(relationship, try attribute(names, of: relationship))
        default:
            throw failure("a to-many relationship takes @count or @sum, and a to-one relationship neither")
        }
    }

    private func attribute(
        _ names: [String], of relationship: RelationshipDescription
    ) throws(ModelError) -> AttributeDescription {
        let destination = model.destination(of: relationship)
        guard names.count == 2, let property = destination.property(named: names[1]) else {
            throw failure("one attribute of \(destination.name) is to stand behind '\(names[0])'")
        }
        return try stored(property)
    }

    private func stored(_ property: PropertyDescription) throws(ModelError) -> AttributeDescription {
        guard let attribute = property.attribute, !property.isTransient else {
            throw failure("'\(property.name)' is not a stored attribute")
        }
        guard attribute.derivationExpression == nil else {
            throw failure("'\(property.name)' is derived itself: write what that is derived from")
        }
        return attribute
    }

    private func misfit(of source: Derivation.Source, _ transform: Derivation.Transform?) -> String? {
        let type = attribute.type
        switch source {
        case .own(let other), .related(_, let other):
            if transform != nil, other.type != .string || type != .string {
                return "functions of text take and make strings"
            }
            return other.type == type ? nil : "the types differ"
        case .count: return type.isNumeric ? nil : "a count is a number"
        case .sum(_, let other): return other.type.isNumeric && type.isNumeric ? nil : "a sum is a number"
        case .now: return type == .date ? nil : "the time of a save is a date"
        }
    }

    private func failure(_ reason: String) -> ModelError {
        .invalidDerivation(entity: entity.name, attribute: attribute.name, reason: reason)
    }
}
