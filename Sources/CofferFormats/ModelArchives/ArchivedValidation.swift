import CofferModel

extension ModelArchiveWriter {
    /// Adds the bounds of a number to what an attribute's object holds, as predicates of the value, each with
    /// the code of the error that Core Data reports.
    ///
    /// Source: measured; other rules are not known in this form.
    mutating func addValidation(
        of attribute: AttributeDefinition, to values: inout [String: PropertyListValue]
    ) {
        guard attribute.hasArchivedBounds else { return }
        var predicates: [PropertyListValue] = []
        var warnings: [PropertyListValue] = []
        let bounds = [
            (attribute.validation.minimum, ArchivedBound.minimum),
            (attribute.validation.maximum, ArchivedBound.maximum),
        ]
        for case (let value?, let bound) in bounds {
            let number = Int64(exactly: value).map { PropertyListValue.integer($0) } ?? .real(value)
            let constant = builder.add(
                ["NSConstantValueExpression", "NSExpression", "NSObject"],
                ["NSExpressionType": .integer(0), "NSConstantValue": builder.add(number)])
            let object = builder.add(
                ["NSSelfExpression", "NSExpression", "NSObject"], ["NSExpressionType": .integer(1)])
            let comparison = builder.add(
                ["NSComparisonPredicateOperator", "NSPredicateOperator", "NSObject"],
                [
                    "NSModifier": .integer(0), "NSVariant": .integer(bound.comparison),
                    "NSOptions": .integer(0), "NSOperatorType": .integer(bound.comparison),
                ])
            predicates.append(
                builder.add(
                    ["NSComparisonPredicate", "NSPredicate", "NSObject"],
                    [
                        "NSLeftExpression": object, "NSRightExpression": constant,
                        "NSPredicateOperator": comparison,
                    ]))
            warnings.append(builder.add(.integer(bound.warning)))
        }
        values["NSValidationPredicates"] = builder.add(array: predicates, isMutable: true)
        values["NSValidationWarnings"] = builder.add(array: warnings, isMutable: true)
    }
}

extension ModelArchiveReader {
    /// The bounds of a number; rules of other forms are passed over.
    func validation(
        _ values: [String: PropertyListValue], type: AttributeType
    ) throws(FormatError) -> AttributeValidation {
        var validation = AttributeValidation()
        guard type.hasArchivedBounds else { return validation }
        for member in try archive.members(values["NSValidationPredicates"]) {
            guard let predicate = archive.object(member), predicate.className == "NSComparisonPredicate",
                archive.object(predicate.values["NSLeftExpression"])?.className == "NSSelfExpression",
                let right = archive.object(predicate.values["NSRightExpression"]),
                right.className == "NSConstantValueExpression",
                let number = number(right.values["NSConstantValue"]),
                let comparison = archive.object(predicate.values["NSPredicateOperator"])
            else { continue }
            switch archive.value(comparison.values["NSOperatorType"])?.integer {
            case ArchivedBound.minimum.comparison: validation.minimum = number
            case ArchivedBound.maximum.comparison: validation.maximum = number
            default: continue
            }
        }
        return validation
    }

    /// A number that bounds something: infinity does not, and nothing compares with what is not a number.
    private func number(_ value: PropertyListValue?) -> Double? {
        switch archive.value(value) {
        case .integer(let number): Double(number)
        case .real(let number): number.isFinite ? number : nil
        default: nil
        }
    }
}

extension AttributeDefinition {
    /// Whether it has bounds whose archived form is known.
    var hasArchivedBounds: Bool {
        type.hasArchivedBounds && (validation.minimum != nil || validation.maximum != nil)
    }
}

extension AttributeType {
    fileprivate var hasArchivedBounds: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float: true
        case .boolean, .decimal, .string, .date, .binary, .uuid, .uri, .transformable: false
        }
    }
}

/// How Core Data archives a bound: the number of the comparison, and that of the error where it fails.
private struct ArchivedBound {
    let comparison: Int64
    let warning: Int64

    static let minimum = ArchivedBound(comparison: 3, warning: 1_620)
    static let maximum = ArchivedBound(comparison: 1, warning: 1_610)
}
