internal import CofferModel
internal import CofferWire

/// Checks values against what the model demands of them.
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
    }

    /// All faults of one group's columns; `isComplete` where properties without a column are null.
    ///
    /// - Throws: `StoreError.unsupported` where the model's expression for an attribute is none that can be matched.
    func faults(
        in columns: [Column], rows: Int, of plan: EntityPlan, isComplete: Bool
    ) throws(StoreError) -> [Fault] {
        var faults: [Fault] = []
        for index in plan.required {
            let place = columns.firstIndex { $0.property == index }
            if place == nil, !isComplete { continue }
            if let place, columns[place].nulls.isEmpty, !columns[place].hasNaN { continue }
            for row in 0..<rows where place.map({ columns[$0].isStoredNull(row) }) ?? true {
                let name = plan.description.properties[index].name
                faults.append(
                    Fault(
                        row: row, property: name, reason: .required,
                        text: "'\(plan.name).\(name)' must have a value"))
                if faults.count >= Limits.outcomeItems { return faults }
            }
        }
        for column in columns {
            guard let property = plan.properties[column.property], property.hasRule,
                let attribute = property.attribute
            else { continue }
            let expression = try expression(of: attribute, plan)
            for row in 0..<rows where !column.isStoredNull(row) {
                if let (reason, text) = fault(in: column, row, attribute, expression) {
                    faults.append(
                        Fault(
                            row: row, property: attribute.name, reason: reason,
                            text: "'\(plan.name).\(attribute.name)' \(text)"))
                    if faults.count >= Limits.outcomeItems { return faults }
                }
            }
        }
        return faults
    }

    private func fault(
        in column: Column, _ row: Int, _ attribute: AttributeDescription, _ expression: RegularExpression?
    ) -> (ValidationReason, String)? {
        let rule = attribute.validation
        var text: String?
        let measure: Double
        switch column.values {
        case .integers(let values): measure = Double(values[row])
        case .doubles(let values): measure = values[row]
        case .floats(let values): measure = Double(values[row])
        case .decimals(let bytes): measure = StoredDecimal(bytes, row: row).double
        case .bytes(let runs) where attribute.type == .string || attribute.type == .uri:
            let string = String(decoding: runs.data[runs.range(row)], as: UTF8.self)
            text = string
            measure = Double(string.utf16.count)
        case .bytes, .bits, .uuids, .references: return nil
        }
        if let minimum = rule.minimum, measure < minimum {
            return (.tooSmall, attribute.text(below: minimum))
        }
        if let maximum = rule.maximum, measure > maximum {
            return (.tooLarge, attribute.text(above: maximum))
        }
        if let text, let expression, !matches(text, expression) {
            return (.noMatch, "does not match its expression")
        }
        return nil
    }

    /// What texts of an attribute must match; the model may be anybody's, so it is followed in linear time.
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

    private func matches(_ text: String, _ expression: RegularExpression) -> Bool {
        text.utf8.count <= Limits.matchedCharacters && expression.matches(text)
    }
}

extension Column {
    /// Whether a row has no value once it is stored: it is null, or what is no number, which the file has no other form for.
    func isStoredNull(_ row: Int) -> Bool {
        if isNull(row) { return true }
        switch values {
        case .doubles(let numbers): return numbers[row].isNaN
        case .floats(let numbers): return numbers[row].isNaN
        case .decimals(let bytes): return StoredDecimal.isNaN(bytes, row: row)
        case .integers, .bits, .bytes, .uuids, .references: return false
        }
    }

    /// Whether any row is what is no number.
    fileprivate var hasNaN: Bool {
        switch values {
        case .doubles(let numbers): numbers.contains { $0.isNaN }
        case .floats(let numbers): numbers.contains { $0.isNaN }
        case .decimals(let bytes): (0..<bytes.count / 18).contains { StoredDecimal.isNaN(bytes, row: $0) }
        case .integers, .bits, .bytes, .uuids, .references: false
        }
    }
}
