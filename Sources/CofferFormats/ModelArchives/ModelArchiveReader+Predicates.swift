import CofferModel
import FoundationEssentials

// Predicates and expressions of archives, as the formats that models have.

extension ModelArchiveReader {
    /// The format of a predicate; `nil` if there is none, or one with a part that is not known.
    func predicateFormat(_ value: PropertyListValue?) throws(FormatError) -> String? {
        try predicate(value, depth: 0)?.description
    }

    func predicate(
        _ value: PropertyListValue?, depth: Int
    ) throws(FormatError) -> QueryPredicate? {
        guard depth < archivedPredicateDepth, let object = archive.object(value) else { return nil }
        switch object.className {
        case "NSTruePredicate": return .always(true)
        case "NSFalsePredicate": return .always(false)
        case "NSCompoundPredicate": return try compound(object.values, depth: depth)
        case "NSComparisonPredicate": return try comparison(object.values, depth: depth)
        default: return nil
        }
    }

    private func compound(
        _ values: [String: PropertyListValue], depth: Int
    ) throws(FormatError) -> QueryPredicate? {
        var parts: [QueryPredicate] = []
        for member in try archive.members(values["NSSubpredicates"]) {
            guard let part = try predicate(member, depth: depth + 1) else { return nil }
            parts.append(part)
        }
        switch archive.value(values["NSCompoundPredicateType"])?.integer {
        case ArchivedCompound.and: return .and(parts)
        case ArchivedCompound.or: return .or(parts)
        case ArchivedCompound.not where parts.count == 1: return .not(parts[0])
        default: return nil
        }
    }

    private func comparison(
        _ values: [String: PropertyListValue], depth: Int
    ) throws(FormatError) -> QueryPredicate? {
        guard let form = archive.object(values["NSPredicateOperator"])?.values,
            let sign = Self.sign(archive.value(form["NSOperatorType"])?.integer),
            let modifier = Self.modifier(archive.value(form["NSModifier"])?.integer ?? 0),
            let left = try queryExpression(values["NSLeftExpression"], depth: depth + 1),
            let right = try queryExpression(values["NSRightExpression"], depth: depth + 1)
        else { return nil }
        // Those of texts have their options as flags.
        let options =
            archive.value(form["NSOptions"])?.integer ?? archive.value(form["NSFlags"])?.integer ?? 0
        guard (0...15).contains(options) else { return nil }
        return .comparison(
            QueryComparison(
                left, sign, right, modifier: modifier,
                options: QueryComparison.Options(rawValue: UInt8(clamping: options))))
    }

    private static func sign(_ number: Int64?) -> QueryComparison.Operator? {
        switch number {
        case ArchivedOperator.less: .less
        case ArchivedOperator.lessOrEqual: .lessOrEqual
        case ArchivedOperator.greater: .greater
        case ArchivedOperator.greaterOrEqual: .greaterOrEqual
        case ArchivedOperator.equal: .equal
        case ArchivedOperator.notEqual: .notEqual
        case ArchivedOperator.matches: .matches
        case ArchivedOperator.like: .like
        case ArchivedOperator.beginsWith: .beginsWith
        case ArchivedOperator.endsWith: .endsWith
        case ArchivedOperator.in: .in
        case ArchivedOperator.contains: .contains
        case ArchivedOperator.between: .between
        default: nil
        }
    }

    private static func modifier(_ number: Int64) -> QueryComparison.Modifier? {
        switch number {
        case 0: .direct
        case 1: .all
        case 2: .any
        default: nil
        }
    }
}

extension ModelArchiveReader {
    /// An expression of a predicate; `nil` if it is of a kind that is not known.
    func queryExpression(
        _ value: PropertyListValue?, depth: Int
    ) throws(FormatError) -> QueryExpression? {
        guard depth < archivedPredicateDepth, let object = archive.object(value) else { return nil }
        let values = object.values
        switch object.className {
        case "NSSelfExpression": return .evaluatedObject
        case "NSConstantValueExpression": return constant(values["NSConstantValue"]).map { .constant($0) }
        case "NSVariableExpression":
            return archive.text(values["NSVariable"]).map { .variable($0, keyPath: []) }
        case "NSKeyPathExpression": return try keyPath(values, depth: depth)
        case "NSAggregateExpression":
            var members: [QueryExpression] = []
            for member in try archive.members(values["NSCollection"]) {
                guard let part = try queryExpression(member, depth: depth + 1) else { return nil }
                members.append(part)
            }
            return .collection(members)
        default: return nil
        }
    }

    private func keyPath(
        _ values: [String: PropertyListValue], depth: Int
    ) throws(FormatError) -> QueryExpression? {
        let specifier = try archive.members(values["NSArguments"]).first.flatMap { archive.object($0) }
        guard let text = specifier.flatMap({ archive.text($0.values["NSKeyPath"]) }), !text.isEmpty else {
            return nil
        }
        let keys = text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        switch try queryExpression(values["NSOperand"], depth: depth + 1) {
        case .evaluatedObject: return .keyPath(keys)
        case .variable(let name, let before): return .variable(name, keyPath: before + keys)
        default: return nil
        }
    }

    private func constant(_ value: PropertyListValue?) -> AttributeValue? {
        guard let found = archive.value(value) else { return .null }
        switch found {
        case .null: return .null
        case .integer(let number): return .integer(number)
        case .real(let number): return .double(number)
        case .boolean(let flag): return .boolean(flag)
        default: break
        }
        if let text = archive.text(value) { return .string(text) }
        guard let seconds = archive.object(value).flatMap({ archive.value($0.values["NS.time"]) }) else {
            return nil
        }
        switch seconds {
        case .real(let number): return .date(Date(timeIntervalSinceReferenceDate: number))
        case .integer(let number): return .date(Date(timeIntervalSinceReferenceDate: Double(number)))
        default: return nil
        }
    }
}
