package import FoundationEssentials

/// The value of an attribute that is computed from values of the same object, as it was before a migration.
package struct MappedExpression: Sendable, Hashable {
    /// An attribute that is read.
    package struct Origin: Sendable, Hashable {
        /// Its place in the properties of the entity that the object was of.
        package let index: Int
        /// Its name.
        package let name: String
        /// Its type.
        package let type: AttributeType
    }

    /// The expression, in which the object's attributes are key paths.
    package let expression: QueryExpression
    /// What it reads, each once.
    package let origins: [Origin]
    /// The type that values get.
    package let type: AttributeType

    /// The expression `written`, in which `$source` is an object of `entity`.
    init(
        _ written: QueryExpression, of entity: EntityDescription, in model: ManagedObjectModel,
        to type: AttributeType, at place: MappingPlace
    ) throws(MigrationError) {
        var reader = SourceReader(entity: entity, place: place)
        expression = try reader.read(written)
        var check = PredicateCheck(entity: entity, model: model)
        do throws(QueryError) {
            var checked = expression
            if try check.typed(&checked).isMany { throw .tooComplex("it gives several values") }
        } catch {
            throw place.error("\(error)")
        }
        origins = reader.origins
        self.type = type
        // SQL functions take no more than 127 arguments, two for each of these and one.
        if origins.count > Limits.mappedOrigins {
            throw place.error("it reads more than \(Limits.mappedOrigins) attributes")
        }
    }

    /// The value for an object that had `values`, in the order of `origins`; `nil` if the expression gives
    /// no value of the type.
    ///
    /// - Complexity: O(expression).
    package func value(of values: [AttributeValue], now: Date) -> AttributeValue? {
        let subject = FormerObject(expression: self, values: values)
        // An expression that fails for these values gives none.
        guard let value = try? expression.evaluate(on: subject, now: now) else { return nil }
        if value.isNull { return .null }
        guard let found = value.type, let conversion = AttributeConversion(from: found, to: type)
        else { return nil }
        return conversion.convert(value)
    }

    /// An object by its attributes.
    private struct FormerObject: PredicateSubject {
        let expression: MappedExpression
        let values: [AttributeValue]
        var identity: AttributeValue { .null }

        func value(forKey key: String) throws(QueryError) -> SubjectValue {
            guard let place = expression.origins.firstIndex(where: { $0.name == key }) else {
                throw .unknownKey(key, keyPath: key, entity: "object")
            }
            return .value(values[place])
        }
    }

    /// Puts the attributes of the object in the place of `$source`.
    private struct SourceReader {
        let entity: EntityDescription
        let place: MappingPlace
        var origins: [Origin] = []

        mutating func read(_ expression: QueryExpression) throws(MigrationError) -> QueryExpression {
            switch expression {
            case .constant: return expression
            case .collection(let parts): return .collection(try read(parts))
            case .function(let name, let parts): return .function(name, try read(parts))
            case .variable("source", let keys):
                try note(keys, in: expression)
                return .keyPath(keys)
            case .variable(let name, _): throw place.error("nothing has the name '$\(name)' there")
            case .keyPath(let keys):
                throw place.error("'\(keys.joined(separator: "."))' has no '$source.' before it")
            case .evaluatedObject, .subquery, .conditional:
                throw place.error(
                    "'\(expression.format)' is neither a key path nor a constant nor a function")
            }
        }

        private mutating func read(_ parts: [QueryExpression]) throws(MigrationError) -> [QueryExpression] {
            var result: [QueryExpression] = []
            for part in parts { result.append(try read(part)) }
            return result
        }

        private mutating func note(_ keys: [String], in expression: QueryExpression) throws(MigrationError) {
            guard let key = keys.first else {
                throw place.error("'$source' is an object, and an attribute holds a value")
            }
            let property = entity.properties.first { $0.name == key }
            guard let attribute = property?.attribute, !attribute.isTransient else {
                let reason =
                    property == nil
                    ? "'\(entity.name)' has no property '\(key)'"
                    : "'\(expression.format)' is not an attribute that '\(entity.name)' keeps"
                throw place.error(reason)
            }
            if attribute.allowsExternalStorage {
                throw place.error("'\(key)' may be kept in files, of which nothing is computed")
            }
            if origins.contains(where: { $0.index == attribute.index }) { return }
            origins.append(Origin(index: attribute.index, name: key, type: attribute.type))
        }
    }
}

/// A place in a mapping model, for errors.
struct MappingPlace {
    /// The name of the entity mapping.
    let mapping: String
    /// The name of the property; `nil` if all of the mapping is meant.
    var property: String?

    /// What is wrong there.
    func error(_ reason: String) -> MigrationError {
        .invalidMapping(mapping: mapping, property: property, reason: reason)
    }
}
