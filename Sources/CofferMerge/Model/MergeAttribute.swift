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
        defaultValue = attribute.definition.defaultValue.asKept
        isOptional = attribute.definition.isOptional
    }

    /// What a cell is seen as by this model; a large value, which stands apart, as null.
    ///
    /// It is `nil`, as if there were no cell, if no value of this type stands for the cell's content.
    package func seen(_ cell: Cell) -> AttributeValue? {
        switch cell.content {
        case .null: .null
        case .record: nil
        case .large(let value): value.fits(type) ? .null : nil
        case .value(let value):
            if value.fits(type) {
                value
            } else {
                value.type.flatMap { AttributeConversion(from: $0, to: type) }?.convert(value)
            }
        }
    }
}
