package import CofferModel
import FoundationEssentials

extension AttributeType {
    /// What Xcode calls the type in model files.
    package var xcodeName: String {
        switch self {
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binary: "Binary"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        }
    }
}

extension ModelReader {
    func attribute(_ element: XMLElement, of entity: String) throws(FormatError) -> AttributeDefinition {
        let name = try required("name", of: element, in: entity)
        let typeName = try required("attributeType", of: element, in: entity)
        guard let type = AttributeType.allCases.first(where: { $0.xcodeName == typeName }) else {
            throw error(element, "the attributeType '\(typeName)' is unknown", in: entity)
        }
        var attribute = AttributeDefinition(name, type, isOptional: try flag("optional", of: element))
        attribute.isTransient = try flag("transient", of: element)
        attribute.allowsExternalStorage = try flag("allowsExternalBinaryDataStorage", of: element)
        attribute.preservesValueOnDeletion = try flag("preserveAfterDeletion", of: element)
        attribute.isIndexed = try flag("indexed", of: element)
        attribute.isTextIndexed = try flag("spotlightIndexingEnabled", of: element)
        attribute.transformerName = text("valueTransformerName", of: element)
        attribute.versionHashModifier = text("versionHashModifier", of: element)
        attribute.renamingIdentifier = text("elementID", of: element)
        if try flag("derived", of: element) {
            attribute.derivationExpression = try required("derivationExpression", of: element, in: entity)
        }
        attribute.defaultValue = try defaultValue(of: element, type: type, in: entity)
        attribute.validation = try validation(of: element, type: type, in: entity)
        return attribute
    }

    private func defaultValue(
        of element: XMLElement, type: AttributeType, in entity: String
    ) throws(FormatError) -> AttributeValue {
        if type == .date, let seconds = try number("defaultDateTimeInterval", of: element, in: entity) {
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        }
        guard let text = element["defaultValueString"] else { return .null }
        guard let value = Self.value(text, type) else {
            throw error(element, "the default '\(text)' is not of type \(type.xcodeName)", in: entity)
        }
        return value
    }

    /// The value that Xcode writes as `text`, or `nil` where it is none of `type`.
    private static func value(_ text: String, _ type: AttributeType) -> AttributeValue? {
        switch type {
        // Xcode keeps what was typed when the type was another: '0.0' for an integer.
        case .integer16, .integer32, .integer64:
            (Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }).map { .integer($0) }
        case .decimal: decimal(text).map { .decimal($0) }
        case .double: Double(text).map { .double($0) }
        case .float: Float(text).map { .float($0) }
        case .string: .string(text)
        case .boolean: boolean(text).map { .boolean($0) }
        case .uuid: UUID(uuidString: text).map { .uuid($0) }
        case .uri: .uri(text)
        case .date, .binary, .transformable: nil
        }
    }

    /// A decimal number, all of it: `Decimal` itself would stop at the first character it does not know.
    private static func decimal(_ text: String) -> Decimal? {
        guard Double(text)?.isFinite ?? false, !text.contains(where: { "xXpP".contains($0) }) else {
            return nil
        }
        return Decimal(string: text)
    }

    private static func boolean(_ text: String) -> Bool? {
        switch text {
        case "YES", "1", "true": true
        case "NO", "0", "false": false
        default: nil
        }
    }

    private func validation(
        of element: XMLElement, type: AttributeType, in entity: String
    ) throws(FormatError) -> AttributeValidation {
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
        guard let number = Double(text), number.isFinite else {
            throw error(element, "'\(name)' is '\(text)', which is not a number", in: entity)
        }
        return number
    }
}
