package import CofferModel

/// What the rules of merging need of an attribute.
package struct MergeAttribute: Sendable {
    /// The kind of its values.
    package let type: AttributeType
    /// What an absent cell is seen as.
    package let defaultValue: AttributeValue
    /// Whether it may be null.
    package let isOptional: Bool

    init(_ attribute: AttributeDescription) {
        type = attribute.type
        defaultValue = attribute.definition.defaultValue
        isOptional = attribute.definition.isOptional
    }

    /// What a cell is seen as by this model.
    ///
    /// `nil`, as if there were no cell, where no value of this type stands for its content.
    package func seen(_ cell: Cell) -> AttributeValue? {
        switch cell.content {
        case .null: .null
        case .record: nil
        case .value(let value):
            if value.fits(type) {
                value
            } else {
                value.widestType.flatMap { AttributeConversion(from: $0, to: type) }?.convert(value)
            }
        }
    }
}

extension AttributeValue {
    /// The type of attribute that holds every value of this kind.
    fileprivate var widestType: AttributeType? {
        switch self {
        case .null, .object: nil
        case .integer: .integer64
        case .boolean: .boolean
        case .double: .double
        case .float: .float
        case .decimal: .decimal
        case .string: .string
        case .date: .date
        case .binary: .binary
        case .uuid: .uuid
        case .uri: .uri
        case .transformable: .transformable
        }
    }
}
