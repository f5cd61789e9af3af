internal import CofferModel
internal import CofferWire
internal import FoundationEssentials

/// Checks values against the model's rules.
///
/// Confined to the writer; it keeps compiled expressions.
final class ValueValidation {
    private var expressions: [String: RegularExpression] = [:]

    /// What is wrong with one value.
    struct Fault {
        var row: Int
        var property: String
        var reason: ValidationReason
        var text: String
        /// What is out of bounds, or does not match; null if nothing is there.
        var measure = AttributeValue.null

        /// Whether the value of another fault of the property is as far from what is allowed, or further.
        func isNoWorse(than other: Fault) -> Bool {
            guard reason == other.reason else { return false }
            if measure == other.measure { return true }
            guard let bound = other.measure.bound, let order = measure.order(withBound: bound) else {
                return false
            }
            return switch reason {
            case .tooSmall: order != .before
            case .tooLarge: order != .after
            default: false
            }
        }
    }

    /// All faults in one group's columns; with `isComplete`, properties without a column count as null.
    ///
    /// - Throws: `StoreError.unsupported` if the model's expression for an attribute cannot be matched.
    func faults(
        in columns: [Column], rows: Int, of plan: EntityPlan, isComplete: Bool
    ) throws(StoreError) -> [Fault] {
        var faults: [Fault] = []
        for index in plan.required {
            let place = columns.firstIndex { $0.property == index }
            if place == nil, !isComplete { continue }
            if let place, columns[place].nulls.isEmpty { continue }
            for row in 0..<rows where place.map({ columns[$0].isNull(row) }) ?? true {
                let name = plan.description.properties[index].name
                faults.append(
                    Fault(
                        row: row, property: name, reason: .required,
                        text: "'\(plan.name).\(name)' must have a value"))
                if faults.count >= Limits.outcomeItems { return faults }
            }
        }
        faults += impossibleValues(in: columns, rows: rows, of: plan)
        if faults.count >= Limits.outcomeItems { return faults }
        for column in columns {
            guard let property = plan.properties[column.property], property.hasRule,
                let attribute = property.attribute
            else { continue }
            let expression = try expression(of: attribute, plan)
            for row in 0..<rows where !column.isNull(row) && !column.isNaN(row) {
                if let (reason, text, measure) = fault(
                    in: column, row: row, attribute: attribute, expression: expression)
                {
                    faults.append(
                        Fault(
                            row: row, property: attribute.name, reason: reason,
                            text: "'\(plan.name).\(attribute.name)' \(text)", measure: measure))
                    if faults.count >= Limits.outcomeItems { return faults }
                }
            }
        }
        return faults
    }

    /// The values of one group's columns that no store can keep, whatever the model says.
    func impossibleValues(in columns: [Column], rows: Int, of plan: EntityPlan) -> [Fault] {
        var faults: [Fault] = []
        for column in columns where column.hasNaN {
            guard let name = plan.properties[column.property]?.name else { continue }
            for row in 0..<rows where column.isNaN(row) {
                faults.append(
                    Fault(
                        row: row, property: name, reason: .outOfRange,
                        text: "'\(plan.name).\(name)' is not a number (NaN), which no store can keep"))
                if faults.count >= Limits.outcomeItems { return faults }
            }
        }
        return faults
    }

    private func fault(
        in column: Column, row: Int, attribute: AttributeDescription, expression: RegularExpression?
    ) -> (ValidationReason, String, AttributeValue)? {
        let rule = attribute.validation
        var text: String?
        let value: AttributeValue
        switch column.values {
        case .bytes(let runs) where attribute.type == .string || attribute.type == .uri:
            let string = String(decoding: runs.data[runs.range(row)], as: UTF8.self)
            text = string
            value = .integer(Int64(string.utf16.count))
        case .decimals(let bytes):
            let exact = column.value(at: row, type: attribute.type)
            // A message may carry decimals that are too large for Foundation.
            value = exact.isNull ? .double(DecimalParts(bytes, row: row).double) : exact
        case .integers, .doubles, .floats: value = column.value(at: row, type: attribute.type)
        case .bytes, .bits, .uuids, .references: return nil
        }
        if let minimum = rule.minimum, value.order(withBound: minimum) == .before {
            return (.tooSmall, attribute.text(below: minimum), value)
        }
        if let maximum = rule.maximum, value.order(withBound: maximum) == .after {
            return (.tooLarge, attribute.text(above: maximum), value)
        }
        if let text, let expression, let fault = expression.fault(in: text) {
            return (.noMatch, fault, .string(text))
        }
        return nil
    }

    /// The expression that texts of an attribute must match; anybody may have written the model, so it is
    /// matched in linear time.
    private func expression(
        of attribute: AttributeDescription, _ plan: EntityPlan
    ) throws(StoreError) -> RegularExpression? {
        guard let pattern = attribute.validation.regularExpression else { return nil }
        if let known = expressions[pattern] { return known }
        do throws(QueryError) {
            let expression = try RegularExpression(pattern)
            expressions[pattern] = expression
            return expression
        } catch .invalidPattern(_, let reason), .tooComplex(let reason) {
            throw .unsupported(
                entity: plan.name, property: attribute.name,
                detail: "the model's expression for it cannot be used: \(reason)")
        } catch {
            throw .unsupported(entity: plan.name, property: attribute.name, detail: "\(error)")
        }
    }
}

extension AttributeValue {
    /// What another value can be compared with; `nil` if it has no order, and for decimals, which may be too
    /// long.
    fileprivate var bound: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number
        case .float(let number): Double(number)
        case .date(let date): date.timeIntervalSinceReferenceDate
        case .null, .boolean, .decimal, .string, .binary, .uuid, .uri, .transformable, .object: nil
        }
    }
}

extension Column {
    /// Whether a row's value is NaN.
    fileprivate func isNaN(_ row: Int) -> Bool {
        if isNull(row) { return false }
        return switch values {
        case .doubles(let numbers): numbers[row].isNaN
        case .floats(let numbers): numbers[row].isNaN
        case .decimals(let bytes): DecimalParts.isNaN(bytes, row: row)
        case .integers, .bits, .bytes, .uuids, .references: false
        }
    }

    /// Whether any row's value is NaN.
    fileprivate var hasNaN: Bool {
        switch values {
        case .doubles(let numbers): numbers.contains { $0.isNaN }
        case .floats(let numbers): numbers.contains { $0.isNaN }
        case .decimals(let bytes): (0..<bytes.count / 18).contains { DecimalParts.isNaN(bytes, row: $0) }
        case .integers, .bits, .bytes, .uuids, .references: false
        }
    }
}
