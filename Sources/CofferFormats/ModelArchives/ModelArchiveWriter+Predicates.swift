import CofferModel
import FoundationEssentials

// Predicates as Core Data archives them, those alone whose forms archives have shown: a reader of Apple's
// would refuse the whole model for another.

extension ModelArchiveWriter {
    /// The predicate of a format; `nil` if there is none, or one with a part whose form is not known.
    mutating func predicate(_ format: String?) -> PropertyListValue? {
        guard let format else { return nil }
        do throws(QueryError) {
            return add(try QueryPredicate(format: format))
        } catch {
            return nil  // A model with a predicate that cannot be read is a model without it for others.
        }
    }

    mutating func add(_ predicate: QueryPredicate) -> PropertyListValue? {
        switch predicate {
        case .always: return nil
        case .and(let parts): return add(parts, ArchivedCompound.and)
        case .or(let parts): return add(parts, ArchivedCompound.or)
        case .not(let part): return add([part], ArchivedCompound.not)
        case .comparison(let comparison): return add(comparison)
        }
    }

    private mutating func add(_ parts: [QueryPredicate], _ type: Int64) -> PropertyListValue? {
        var members: [PropertyListValue] = []
        for part in parts {
            guard let member = add(part) else { return nil }
            members.append(member)
        }
        return builder.add(
            ["NSCompoundPredicate", "NSPredicate", "NSObject"],
            ["NSCompoundPredicateType": .integer(type), "NSSubpredicates": builder.add(array: members)])
    }

    private mutating func add(_ comparison: QueryComparison) -> PropertyListValue? {
        guard comparison.modifier == .direct, let sign = add(comparison.operator, comparison.options),
            let left = add(comparison.left), let right = add(comparison.right)
        else { return nil }
        return builder.add(
            ["NSComparisonPredicate", "NSPredicate", "NSObject"],
            ["NSLeftExpression": left, "NSRightExpression": right, "NSPredicateOperator": sign])
    }

    private mutating func add(
        _ sign: QueryComparison.Operator, _ options: QueryComparison.Options
    ) -> PropertyListValue? {
        switch sign {
        case .less where options.isEmpty: ordering(ArchivedOperator.less)
        case .lessOrEqual where options.isEmpty: ordering(ArchivedOperator.lessOrEqual)
        case .greater where options.isEmpty: ordering(ArchivedOperator.greater)
        case .greaterOrEqual where options.isEmpty: ordering(ArchivedOperator.greaterOrEqual)
        case .equal: equality(ArchivedOperator.equal, isNegated: false, options)
        case .notEqual: equality(ArchivedOperator.notEqual, isNegated: true, options)
        case .contains:
            builder.add(
                ["NSInPredicateOperator", "NSPredicateOperator", "NSObject"],
                [
                    "NSModifier": .integer(0), "NSFlags": .integer(Int64(options.rawValue)),
                    "NSOperatorType": .integer(ArchivedOperator.contains),
                ])
        case .matches:
            builder.add(
                [
                    "NSMatchingPredicateOperator", "NSStringPredicateOperator", "NSPredicateOperator",
                    "NSObject",
                ],
                [
                    "NSModifier": .integer(0), "NSFlags": .integer(Int64(options.rawValue)),
                    "NSOperatorType": .integer(ArchivedOperator.matches),
                ])
        default: nil
        }
    }

    private mutating func ordering(_ type: Int64) -> PropertyListValue {
        builder.add(
            ["NSComparisonPredicateOperator", "NSPredicateOperator", "NSObject"],
            [
                "NSModifier": .integer(0), "NSVariant": .integer(type), "NSOptions": .integer(0),
                "NSOperatorType": .integer(type),
            ])
    }

    private mutating func equality(
        _ type: Int64, isNegated: Bool, _ options: QueryComparison.Options
    ) -> PropertyListValue {
        builder.add(
            ["NSEqualityPredicateOperator", "NSPredicateOperator", "NSObject"],
            [
                "NSModifier": .integer(0), "NSNegate": .boolean(isNegated),
                "NSOptions": .integer(Int64(options.rawValue)), "NSOperatorType": .integer(type),
            ])
    }
}

extension ModelArchiveWriter {
    private mutating func add(_ expression: QueryExpression) -> PropertyListValue? {
        switch expression {
        case .evaluatedObject: return selfExpression()
        case .constant(let value): return constant(value)
        case .keyPath(let keys): return keyPath(keys.joined(separator: "."), of: selfExpression())
        case .variable(let name, let keys):
            let variable = builder.add(
                ["NSVariableExpression", "NSExpression", "NSObject"],
                ["NSExpressionType": .integer(2), "NSVariable": builder.add(name)])
            return keys.isEmpty ? variable : keyPath(ofVariable: variable, keys.joined(separator: "."))
        case .collection, .function, .subquery, .conditional: return nil
        }
    }

    private mutating func constant(_ value: AttributeValue) -> PropertyListValue? {
        var values: [String: PropertyListValue] = ["NSExpressionType": .integer(0)]
        switch value {
        case .null: values["NSConstantValueClassName"] = KeyedArchiveBuilder.null
        case .integer(let number): values["NSConstantValue"] = builder.add(.integer(number))
        case .double(let number): values["NSConstantValue"] = builder.add(.real(number))
        case .boolean(let flag): values["NSConstantValue"] = builder.add(.boolean(flag))
        case .string(let text): values["NSConstantValue"] = builder.add(text)
        case .date(let date):
            values["NSConstantValue"] = builder.add(
                ["NSDate", "NSObject"], ["NS.time": .real(date.timeIntervalSinceReferenceDate)])
        default: return nil
        }
        return builder.add(["NSConstantValueExpression", "NSExpression", "NSObject"], values)
    }

    mutating func selfExpression() -> PropertyListValue {
        builder.add(["NSSelfExpression", "NSExpression", "NSObject"], ["NSExpressionType": .integer(1)])
    }

    /// A key path of an object.
    mutating func keyPath(_ path: String, of object: PropertyListValue) -> PropertyListValue {
        keyPath(
            path, of: object, type: 3,
            selector: path.contains(".") ? "valueForKeyPath:" : "valueForKey:")
    }

    /// A key path of what a variable stands for, which Core Data has as a call of a function.
    private mutating func keyPath(
        ofVariable variable: PropertyListValue, _ path: String
    ) -> PropertyListValue {
        keyPath(path, of: variable, type: 4, selector: "valueForKeyPath:")
    }

    private mutating func keyPath(
        _ path: String, of object: PropertyListValue, type: Int64, selector: String
    ) -> PropertyListValue {
        let specifier = builder.add(
            ["NSKeyPathSpecifierExpression", "NSExpression", "NSObject"],
            ["NSExpressionType": .integer(10), "NSKeyPath": builder.add(path)])
        return builder.add(
            ["NSKeyPathExpression", "NSFunctionExpression", "NSExpression", "NSObject"],
            [
                "NSExpressionType": .integer(type), "NSOperand": object,
                "NSSelectorName": builder.add(selector),
                "NSArguments": builder.add(array: [specifier], isMutable: true),
            ])
    }
}
