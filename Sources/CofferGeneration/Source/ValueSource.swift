import CofferModel
import FoundationEssentials

/// Writes values and predicates as Swift expressions.
struct ValueSource {
    let types: TypeNames

    /// A default value, as `Field.default(_:)` takes it; `nil` for kinds that model files have no defaults
    /// of.
    func argument(_ value: AttributeValue) -> String? {
        switch value {
        case .integer(let number): String(number)
        case .boolean(let flag): flag ? "true" : "false"
        case .string(let text): SwiftName.literal(text)
        case .double(let number) where number.isFinite: "\(number)"
        case .float, .decimal, .date, .uuid, .uri, .double:
            content(of: value).map { "\(types("AttributeValue"))\($0)" }
        case .null, .binary, .transformable, .object: nil
        }
    }

    /// A value as a member of `AttributeValue`; `nil` for an object.
    func content(of value: AttributeValue) -> String? {
        switch value {
        case .null: ".null"
        case .integer(let number): ".integer(\(number))"
        case .boolean(let flag): ".boolean(\(flag))"
        case .double(let number): ".double(\(literal(number)))"
        case .float(let number): ".float(\(number.isFinite ? "\(number)" : literal(Double(number))))"
        case .decimal(let number):
            ".decimal(\(types("Decimal"))(string: \(SwiftName.literal(number.description))) ?? 0)"
        case .string(let text): ".string(\(SwiftName.literal(text)))"
        case .uri(let text): ".uri(\(SwiftName.literal(text)))"
        case .date(let date):
            ".date(\(types("Date"))(timeIntervalSinceReferenceDate: \(literal(date.timeIntervalSinceReferenceDate))))"
        case .uuid(let uuid): ".uuid(\(types("UUID"))(uuid: (\(bytes(of: uuid)))))"
        case .binary(let bytes): ".binary(\(bytes))"
        case .transformable(let bytes): ".transformable(\(bytes))"
        case .object: nil
        }
    }

    private func literal(_ number: Double) -> String {
        number.isNaN ? ".nan" : number.isInfinite ? (number < 0 ? "-.infinity" : ".infinity") : "\(number)"
    }

    private func bytes(of uuid: UUID) -> String {
        uuid.uuidString.utf8.filter { $0 != UInt8(ascii: "-") }.map { String(UnicodeScalar($0)) }.enumerated()
            .map { $0.offset.isMultiple(of: 2) ? ($0.offset == 0 ? "0x" : ", 0x") + $0.element : $0.element }
            .joined()
    }
}

extension ValueSource {
    /// A predicate as an expression in which `arguments` name what fills its variables; `nil` if it names an
    /// object.
    func predicate(_ predicate: QueryPredicate, _ arguments: [String: String]) -> String? {
        switch predicate {
        case .always(let value): ".always(\(value))"
        case .and(let parts): list(parts.map { self.predicate($0, arguments) }).map { ".and(\($0))" }
        case .or(let parts): list(parts.map { self.predicate($0, arguments) }).map { ".or(\($0))" }
        case .not(let part): self.predicate(part, arguments).map { ".not(\($0))" }
        case .comparison(let comparison): self.comparison(comparison, arguments)
        }
    }

    private func comparison(_ comparison: QueryComparison, _ arguments: [String: String]) -> String? {
        guard let left = expression(comparison.left, arguments),
            let right = expression(comparison.right, arguments)
        else { return nil }
        var text = "\(left), .\(SwiftName.declared("\(comparison.operator)")), \(right)"
        if comparison.modifier != .direct { text += ", modifier: .\(comparison.modifier)" }
        let known: [(QueryComparison.Options, String)] = [
            (.caseInsensitive, ".caseInsensitive"), (.diacriticInsensitive, ".diacriticInsensitive"),
            (.normalized, ".normalized"), (.localeSensitive, ".localeSensitive"),
        ]
        let options = known.filter { comparison.options.contains($0.0) }.map(\.1)
        if !options.isEmpty { text += ", options: [\(options.joined(separator: ", "))]" }
        return ".comparison(\(types("QueryComparison"))(\(text)))"
    }

    private func expression(_ expression: QueryExpression, _ arguments: [String: String]) -> String? {
        switch expression {
        case .constant(let value): content(of: value).map { ".constant(\($0))" }
        case .collection(let parts):
            list(parts.map { self.expression($0, arguments) }).map { ".collection(\($0))" }
        case .evaluatedObject: ".evaluatedObject"
        case .keyPath(let keys): ".keyPath(\(texts(keys)))"
        // An argument is a value: keys cannot be followed from it.
        case .variable(let name, let keys) where arguments[name] != nil && !keys.isEmpty: nil
        case .variable(let name, let keys):
            arguments[name].map { "\($0).queryExpression" }
                ?? ".variable(\(SwiftName.literal(name)), keyPath: \(texts(keys)))"
        case .function(let name, let parts):
            list(parts.map { self.expression($0, arguments) })
                .map { ".function(\(SwiftName.literal(name)), \($0))" }
        case .subquery(let collection, let variable, let predicate, let keys):
            subquery(collection, variable: variable, where: predicate, keys: keys, arguments: arguments)
        case .conditional(let condition, let then, let otherwise):
            conditional(
                predicate(condition, arguments), then: self.expression(then, arguments),
                otherwise: self.expression(otherwise, arguments))
        }
    }

    private func subquery(
        _ collection: QueryExpression, variable: String, where predicate: QueryPredicate, keys: [String],
        arguments: [String: String]
    ) -> String? {
        var inner = arguments
        inner[variable] = nil
        guard let collection = expression(collection, arguments),
            let predicate = self.predicate(predicate, inner)
        else { return nil }
        let name = SwiftName.literal(variable)
        return
            ".subquery(collection: \(collection), variable: \(name), predicate: \(predicate), keyPath: \(texts(keys)))"
    }

    private func conditional(_ condition: String?, then: String?, otherwise: String?) -> String? {
        guard let condition, let then, let otherwise else { return nil }
        return ".conditional(\(condition), then: \(then), otherwise: \(otherwise))"
    }

    private func list(_ parts: [String?]) -> String? {
        let known = parts.compactMap { $0 }
        return known.count == parts.count ? "[\(known.joined(separator: ", "))]" : nil
    }

    private func texts(_ texts: [String]) -> String {
        "[\(texts.map { SwiftName.literal($0) }.joined(separator: ", "))]"
    }
}
