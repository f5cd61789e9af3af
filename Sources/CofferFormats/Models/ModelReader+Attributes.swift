internal import CofferModel
import FoundationEssentials

extension AttributeType {
    /// Whether a file has its defaults as texts; else what stands there is of the type it had before.
    var hasDefaultText: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .string, .boolean, .uuid, .uri:
            true
        case .date, .binary, .transformable: false
        }
    }

    /// Whether its values have a least and a greatest one, or a length.
    fileprivate var hasBounds: Bool { isNumeric || self == .string || self == .date || self == .uri }
}

extension ModelReader {
    func attribute(_ element: XMLElement, of entity: String) throws(FormatError) -> AttributeDefinition {
        let name = try required("name", of: element, in: entity)
        let type = try type(of: element, in: entity)
        var attribute = AttributeDefinition(name, type, isOptional: try flag("optional", of: element))
        attribute.isTransient = try flag("transient", of: element)
        attribute.allowsExternalStorage = try flag("allowsExternalBinaryDataStorage", of: element)
        attribute.preservesValueOnDeletion = try flag("preserveAfterDeletion", of: element)
        attribute.isIndexed = try flag("indexed", of: element)
        attribute.isTextIndexed = try flag("spotlightIndexingEnabled", of: element)
        attribute.transformerName = text("valueTransformerName", of: element)
        attribute.versionHashModifier = text("versionHashModifier", of: element)
        attribute.renamingIdentifier = text("elementID", of: element)
        for info in element.children(named: "userInfo") { attribute.userInfo = userInfo(info) }
        if try flag("derived", of: element) {
            attribute.derivationExpression = try required("derivationExpression", of: element, in: entity)
        }
        attribute.defaultValue = try defaultValue(of: element, type: type, in: entity)
        attribute.validation = try validation(of: element, type: type, in: entity)
        return attribute
    }

    /// The type; a transient attribute may have none, and has no column that depends on it.
    private func type(of element: XMLElement, in entity: String) throws(FormatError) -> AttributeType {
        let name = text("attributeType", of: element)
        if let type = AttributeType.allCases.first(where: { $0.name == name }) { return type }
        switch name {
        case nil, "Undefined", "Transient", "Object ID", "ObjectID":
            if try flag("transient", of: element) { return .transformable }
            guard let name else { throw error(element, "'attributeType' is missing", in: entity) }
            throw error(
                element, "only a transient attribute can have the attributeType '\(name)'", in: entity)
        case .some(let name): throw error(element, "the attributeType '\(name)' is unknown", in: entity)
        }
    }

    private func defaultValue(
        of element: XMLElement, type: AttributeType, in entity: String
    ) throws(FormatError) -> AttributeValue {
        if type == .date, let seconds = try number("defaultDateTimeInterval", of: element, in: entity) {
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        }
        guard let text = element["defaultValueString"] else { return .null }
        guard type.hasDefaultText else {
            notices.add(element, "its default '\(text)' is of another type, and is passed over", file: file)
            return .null
        }
        if text.isEmpty, type != .string { return .null }
        guard let value = Self.value(text, type) else {
            if type == .uuid {
                // Xcode keeps what was typed when the type was another, and its compiler passes it over.
                notices.add(element, "its default '\(text)' is not a UUID, and is passed over", file: file)
                return .null
            }
            throw error(element, "the default '\(text)' is not of type \(type.name)", in: entity)
        }
        return value
    }

    /// The value that Xcode writes as `text`, or `nil` if it is not a value of `type`.
    static func value(_ text: String, _ type: AttributeType) -> AttributeValue? {
        switch type {
        // Xcode keeps what was typed when the type was another: '0.0' for an integer.
        case .integer16, .integer32, .integer64:
            (Int64(text) ?? number(text).flatMap { Int64(exactly: $0) }).map { .integer($0) }
        case .decimal: decimal(text).map { .decimal($0) }
        case .double: number(text).map { .double($0) }
        case .float: (Float(text) ?? number(text).map { Float($0) }).map { .float($0) }
        case .string: .string(text)
        case .boolean: boolean(text).map { .boolean($0) }
        case .uuid: UUID(uuidString: text).map { .uuid($0) }
        case .uri: .uri(text)
        case .date, .binary, .transformable: nil
        }
    }

    /// A decimal number, all of it: `Decimal` itself would stop at the first character it does not know.
    private static func decimal(_ text: String) -> Decimal? {
        if let number = number(text), Double(text) == nil { return Decimal(number) }
        guard Double(text)?.isFinite ?? false, !text.contains(where: { "xXpP".contains($0) }) else {
            return nil
        }
        return Decimal(string: text)
    }

    /// A number, or what was a truth before the attribute's type was changed.
    private static func number(_ text: String) -> Double? {
        if let number = Double(text) { return number }
        switch text {
        case "YES": return 1
        case "NO": return 0
        default: return nil
        }
    }

    private static func boolean(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true": true
        case "no", "false": false
        default: Double(text).flatMap { $0.isFinite ? $0 != 0 : nil }
        }
    }

    private func validation(
        of element: XMLElement, type: AttributeType, in entity: String
    ) throws(FormatError) -> AttributeValidation {
        guard type.hasBounds else { return AttributeValidation() }
        let (minimum, maximum) =
            type == .date
            ? ("minDateTimeInterval", "maxDateTimeInterval") : ("minValueString", "maxValueString")
        return AttributeValidation(
            minimum: try number(minimum, of: element, in: entity),
            maximum: try number(maximum, of: element, in: entity),
            regularExpression: text("regularExpressionString", of: element))
    }

    private func number(_ name: String, of element: XMLElement, in entity: String) throws(FormatError)
        -> Double?
    {
        guard let text = text(name, of: element) else { return nil }
        guard let number = Self.number(text), number.isFinite else {
            throw error(element, "'\(name)' is '\(text)', which is not a number", in: entity)
        }
        return number
    }
}
