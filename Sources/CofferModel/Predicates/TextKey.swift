/// What a key behind a text asks of it.
package enum TextKey: String, Sendable, Hashable, CaseIterable {
    /// How many UTF-16 units it has.
    case length
    /// The text itself.
    case description

    /// What the key makes of a value; `nil` if the value is not a text.
    package func value(of value: AttributeValue) -> AttributeValue? {
        guard let text = value.textValue else { return nil }
        return switch self {
        case .length: .integer(Int64(text.utf16.count))
        case .description: .string(text)
        }
    }

    /// The key if it is the only one behind a value.
    package init?(only keys: [String]) {
        guard keys.count == 1 else { return nil }
        self.init(rawValue: keys[0])
    }
}

extension KeyPathResolver {
    /// A key path to a text and the key behind it, if `keys` are these; `nil` if the last of them is a
    /// property.
    package static func textKey(
        at keys: [String], from entity: EntityDescription, in model: ManagedObjectModel
    ) -> (path: [String], key: TextKey)? {
        guard keys.count > 1, let key = keys.last.flatMap(TextKey.init(rawValue:)) else { return nil }
        let path = Array(keys.dropLast())
        // What does not resolve is refused, with the reason, when the whole key path is followed.
        guard let resolved = try? resolve(path, from: entity, in: model), resolved.collectionOperator == nil,
            let type = resolved.attributeType, type == .string || type == .uri
        else { return nil }
        return (path, key)
    }
}
