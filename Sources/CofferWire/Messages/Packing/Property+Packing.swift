internal import CCofferMessages
internal import CofferModel
internal import FoundationEssentials

extension AttributeDefinition: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Attribute>) {
        unsafe coffer__v1__attribute__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__Attribute>) throws(WireError) {
        let c = unsafe message.pointee
        let validation = try unsafe AttributeValidation(
            minimum: c.minimum?.pointee.value, maximum: c.maximum?.pointee.value,
            regularExpression: c.regular_expression.optionalText(
                "coffer.v1.Attribute.regular_expression", limit: Limits.text))
        try unsafe self.init(
            c.name.text("coffer.v1.Attribute.name"), choice(c.type, "coffer.v1.Attribute.type"),
            isOptional: c.is_optional != 0,
            defaultValue: optional(c.default_value) ?? .null, isTransient: c.is_transient != 0,
            allowsExternalStorage: c.allows_external_storage != 0,
            preservesValueOnDeletion: c.preserves_value_on_deletion != 0, isIndexed: c.is_indexed != 0,
            isTextIndexed: c.is_text_indexed != 0,
            transformerName: c.transformer_name.optionalText("coffer.v1.Attribute.transformer_name"),
            derivationExpression: c.derivation_expression.optionalText(
                "coffer.v1.Attribute.derivation_expression"),
            validation: validation,
            versionHashModifier: c.version_hash_modifier.optionalText(
                "coffer.v1.Attribute.version_hash_modifier"),
            renamingIdentifier: c.renaming_identifier.optionalText("coffer.v1.Attribute.renaming_identifier"),
            userInfo: NoteForm.dictionary(c.user_info, count: c.n_user_info, "coffer.v1.Attribute.user_info"))
    }

    func fill(_ c: inout Coffer__V1__Attribute, in arena: inout PackArena) throws(WireError) {
        unsafe c.name = arena.text(name)
        unsafe c.type = type.rawValue
        unsafe c.is_optional = isOptional ? 1 : 0
        if !defaultValue.isNull { try unsafe c.default_value = arena.make(defaultValue.withoutSignOfZero) }
        unsafe c.is_transient = isTransient ? 1 : 0
        unsafe c.allows_external_storage = allowsExternalStorage ? 1 : 0
        unsafe c.preserves_value_on_deletion = preservesValueOnDeletion ? 1 : 0
        unsafe c.is_indexed = isIndexed ? 1 : 0
        unsafe c.is_text_indexed = isTextIndexed ? 1 : 0
        unsafe c.transformer_name = arena.text(transformerName ?? "")
        unsafe c.derivation_expression = arena.text(derivationExpression ?? "")
        unsafe c.minimum = Self.bound(validation.minimum, in: &arena)
        unsafe c.maximum = Self.bound(validation.maximum, in: &arena)
        unsafe c.regular_expression = arena.text(validation.regularExpression ?? "")
        unsafe c.version_hash_modifier = arena.text(versionHashModifier ?? "")
        unsafe c.renaming_identifier = arena.text(renamingIdentifier ?? "")
        try unsafe (c.n_user_info, c.user_info) = arena.list(NoteForm.list(userInfo))
    }
}

extension AttributeDefinition {
    private static func bound(
        _ value: Double?, in arena: inout PackArena
    ) -> UnsafeMutablePointer<Coffer__V1__Bound>? {
        guard let value else { return nil }
        let bound = unsafe arena.make(empty: coffer__v1__bound__init)
        unsafe bound.pointee.value = value + 0.0  // A negative zero becomes positive.
        return unsafe bound
    }
}

extension RelationshipDefinition: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Relationship>) {
        unsafe coffer__v1__relationship__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__Relationship>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            c.name.text("coffer.v1.Relationship.name"),
            to: c.destination.text("coffer.v1.Relationship.destination"),
            inverse: c.inverse.optionalText("coffer.v1.Relationship.inverse"), isToMany: c.is_to_many != 0,
            isOrdered: c.is_ordered != 0, isOptional: c.is_optional != 0,
            minimumCount: Int(Int32(bitPattern: c.minimum_count)),
            maximumCount: Int(Int32(bitPattern: c.maximum_count)),
            deleteRule: choice(c.delete_rule, "coffer.v1.Relationship.delete_rule"),
            isTransient: c.is_transient != 0,
            versionHashModifier: c.version_hash_modifier.optionalText(
                "coffer.v1.Relationship.version_hash_modifier"),
            renamingIdentifier: c.renaming_identifier.optionalText(
                "coffer.v1.Relationship.renaming_identifier"),
            userInfo: NoteForm.dictionary(
                c.user_info, count: c.n_user_info, "coffer.v1.Relationship.user_info"))
    }

    func fill(_ c: inout Coffer__V1__Relationship, in arena: inout PackArena) throws(WireError) {
        unsafe c.name = arena.text(name)
        unsafe c.destination = arena.text(destination)
        unsafe c.inverse = arena.text(inverse ?? "")
        unsafe c.is_to_many = isToMany ? 1 : 0
        unsafe c.is_ordered = isOrdered ? 1 : 0
        unsafe c.is_optional = isOptional ? 1 : 0
        unsafe c.minimum_count = UInt32(bitPattern: Int32(clamping: minimumCount))
        unsafe c.maximum_count = UInt32(bitPattern: Int32(clamping: maximumCount))
        unsafe c.delete_rule = deleteRule.rawValue
        unsafe c.is_transient = isTransient ? 1 : 0
        unsafe c.version_hash_modifier = arena.text(versionHashModifier ?? "")
        unsafe c.renaming_identifier = arena.text(renamingIdentifier ?? "")
        try unsafe (c.n_user_info, c.user_info) = arena.list(NoteForm.list(userInfo))
    }
}
