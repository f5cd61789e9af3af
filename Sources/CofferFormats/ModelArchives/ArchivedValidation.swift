import CofferModel
import FoundationEssentials

extension ModelArchiveWriter {
    /// What a value must satisfy, and what Core Data says if it does not: a text, or the number of an error.
    struct ValidationRule {
        fileprivate let predicate: PropertyListValue
        fileprivate let warning: PropertyListValue
    }

    /// The rules of an attribute: bounds of numbers, dates and lengths, a pattern, and predicates whose
    /// archived forms are known.
    ///
    /// Source: measured, but for dates and patterns. Those have the forms that a predicate of the same
    /// meaning has; Core Data takes any predicate for a rule.
    mutating func validationRules(of attribute: AttributeDefinition) -> [ValidationRule] {
        let validation = attribute.validation
        var rules: [ValidationRule] = []
        if let bounds = ArchivedBound.of(attribute.type) {
            let limits = [(validation.minimum, bounds.minimum), (validation.maximum, bounds.maximum)]
            for case (let limit?, let bound) in limits where limit.isFinite {
                let value = Self.bound(limit, of: attribute.type)
                let comparison = QueryComparison(bounds.subject, bound.comparison, .constant(value))
                rules += rule(comparison, warning: bound.warning)
            }
        }
        if attribute.type == .string, let pattern = validation.regularExpression {
            rules += rule(
                QueryComparison(.evaluatedObject, .matches, .constant(.string(pattern))),
                warning: ArchivedBound.patternWarning)
        }
        for rule in validation.predicates {
            guard let predicate = predicate(rule.format) else { continue }
            rules.append(ValidationRule(predicate: predicate, warning: builder.add(rule.message)))
        }
        return rules
    }

    /// The rule that a comparison is, with the number of its error.
    private mutating func rule(_ comparison: QueryComparison, warning: Int64) -> [ValidationRule] {
        guard let predicate = add(.comparison(comparison)) else { return [] }
        return [ValidationRule(predicate: predicate, warning: builder.add(.integer(warning)))]
    }

    private static func bound(_ limit: Double, of type: AttributeType) -> AttributeValue {
        if type == .date { return .date(Date(timeIntervalSinceReferenceDate: limit)) }
        return Int64(exactly: limit).map { .integer($0) } ?? .double(limit)
    }

    mutating func add(_ rules: [ValidationRule], to values: inout [String: PropertyListValue]) {
        if rules.isEmpty { return }
        values["NSValidationPredicates"] = builder.add(array: rules.map(\.predicate), isMutable: true)
        values["NSValidationWarnings"] = builder.add(array: rules.map(\.warning), isMutable: true)
    }
}

extension ModelArchiveReader {
    /// What a value must satisfy; rules of unknown forms are passed over.
    func validation(
        _ values: [String: PropertyListValue], type: AttributeType
    ) throws(FormatError) -> AttributeValidation {
        var validation = AttributeValidation()
        let warnings = try archive.members(values["NSValidationWarnings"])
        for (place, member) in try archive.members(values["NSValidationPredicates"]).enumerated() {
            guard let predicate = try predicate(member, depth: 0) else { continue }
            let message = place < warnings.count ? archive.text(warnings[place]) : nil
            if message == nil, validation.takeBound(predicate, type: type) { continue }
            let format = predicate.description
            validation.predicates.append(
                ValidationPredicate(format: format, message: message ?? "must satisfy \(format)"))
        }
        return validation
    }
}

extension AttributeValidation {
    /// Takes a predicate that is a bound, or a pattern; `false` if it is neither.
    fileprivate mutating func takeBound(_ predicate: QueryPredicate, type: AttributeType) -> Bool {
        guard case .comparison(let comparison) = predicate, comparison.modifier == .direct,
            comparison.options.isEmpty, case .constant(let constant) = comparison.right
        else { return false }
        if type == .string, comparison.operator == .matches, comparison.left == .evaluatedObject,
            case .string(let pattern) = constant, regularExpression == nil
        {
            regularExpression = pattern
            return true
        }
        guard let bounds = ArchivedBound.of(type), comparison.left == bounds.subject else { return false }
        if case .double(let number) = constant, !number.isFinite { return true }
        guard let number = constant.bound else { return false }
        switch comparison.operator {
        case bounds.minimum.comparison: minimum = number
        case bounds.maximum.comparison: maximum = number
        default: return false
        }
        return true
    }
}

extension AttributeValue {
    /// A number that bounds something, or the seconds of a date: infinity does not, and nothing compares with
    /// what is not a number.
    fileprivate var bound: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number.isFinite ? number : nil
        case .date(let date):
            date.timeIntervalSinceReferenceDate.isFinite ? date.timeIntervalSinceReferenceDate : nil
        default: nil
        }
    }
}

/// How Core Data archives a bound: the comparison, and the number of the error if it fails.
private struct ArchivedBound {
    /// The number of the error if a text does not match its pattern.
    static let patternWarning: Int64 = 1_680

    let comparison: QueryComparison.Operator
    let warning: Int64

    /// The bounds of a type's values, and what of a value they bound; `nil` if it has none.
    static func of(
        _ type: AttributeType
    ) -> (subject: QueryExpression, minimum: ArchivedBound, maximum: ArchivedBound)? {
        switch type {
        case .integer16, .integer32, .integer64, .double, .float:
            (.evaluatedObject, minimum(1_620), maximum(1_610))
        case .string: (.keyPath(["length"]), minimum(1_670), maximum(1_660))
        case .date: (.evaluatedObject, minimum(1_640), maximum(1_630))
        case .boolean, .decimal, .binary, .uuid, .uri, .transformable: nil
        }
    }

    private static func minimum(_ warning: Int64) -> ArchivedBound {
        ArchivedBound(comparison: .greaterOrEqual, warning: warning)
    }

    private static func maximum(_ warning: Int64) -> ArchivedBound {
        ArchivedBound(comparison: .lessOrEqual, warning: warning)
    }
}
