extension CodingUserInfoKey {
    /// The `ManagedObjectModel` whose entities ids name, which a decoder needs in its `userInfo`.
    public static let managedObjectModel: CodingUserInfoKey = {
        guard let key = CodingUserInfoKey(rawValue: "org.coffer.managedObjectModel") else {
            preconditionFailure("a key has any text")
        }
        return key
    }()
}

extension ManagedObjectID: Codable {
    /// Writes the text form, `uri`.
    ///
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(uri)
    }

    /// Reads the text form, with the model under `CodingUserInfoKey.managedObjectModel`.
    ///
    /// - Throws: `DecodingError` if the decoder has no model, or the text is not an id of one of its
    ///   entities.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let model = decoder.userInfo[.managedObjectModel] as? ManagedObjectModel else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "The decoder's userInfo has no managedObjectModel.")
        }
        guard let id = ManagedObjectID(uri: try container.decode(String.self), in: model) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "The text is not an id of an object of the model.")
        }
        self = id
    }
}
