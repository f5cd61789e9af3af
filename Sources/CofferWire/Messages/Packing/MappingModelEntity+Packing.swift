internal import CCofferMessages
internal import CofferModel

extension MappingModel.Entity: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__EntityMapping>) {
        unsafe coffer__v1__entity_mapping__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__EntityMapping>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            c.name.text("coffer.v1.EntityMapping.name"),
            kind: requiredChoice(c.kind.rawValue, "coffer.v1.EntityMapping.kind"),
            source: c.source.optionalText("coffer.v1.EntityMapping.source"),
            destination: c.destination.optionalText("coffer.v1.EntityMapping.destination"))
        let hashes = try unsafe (
            c.source_hash.digest("coffer.v1.EntityMapping.source_hash"),
            c.destination_hash.digest("coffer.v1.EntityMapping.destination_hash")
        )
        sourceHash = hashes.0.isEmpty ? nil : hashes.0
        destinationHash = hashes.1.isEmpty ? nil : hashes.1
        predicate = try unsafe c.predicate.optionalText(
            "coffer.v1.EntityMapping.predicate", limit: Limits.text)
        policyClassName = try unsafe c.policy_class.optionalText("coffer.v1.EntityMapping.policy_class")
        attributes = try unsafe messages(
            c.attributes, count: c.n_attributes, field: "coffer.v1.EntityMapping.attributes",
            limit: Limits.modelElements)
        relationships = try unsafe messages(
            c.relationships, count: c.n_relationships, field: "coffer.v1.EntityMapping.relationships",
            limit: Limits.modelElements)
        userInfo = try unsafe NoteForm.dictionary(
            c.user_info, count: c.n_user_info, "coffer.v1.EntityMapping.user_info")
    }

    func fill(_ c: inout Coffer__V1__EntityMapping, in arena: inout PackArena) throws(WireError) {
        unsafe c.name = arena.text(name)
        unsafe c.kind = Coffer__V1__EntityMapping__Kind(rawValue: kind.wire)
        unsafe c.source = arena.text(source ?? "")
        unsafe c.destination = arena.text(destination ?? "")
        unsafe c.source_hash = arena.data(sourceHash ?? [])
        unsafe c.destination_hash = arena.data(destinationHash ?? [])
        unsafe c.predicate = arena.text(predicate ?? "")
        unsafe c.policy_class = arena.text(policyClassName ?? "")
        try unsafe (c.n_attributes, c.attributes) = arena.list(attributes)
        try unsafe (c.n_relationships, c.relationships) = arena.list(relationships)
        try unsafe (c.n_user_info, c.user_info) = arena.list(NoteForm.list(userInfo))
    }
}

extension MappingModel.Property: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__PropertyMapping>) {
        unsafe coffer__v1__property_mapping__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__PropertyMapping>) throws(WireError) {
        let c = unsafe message.pointee
        let text = try unsafe c.text.text("coffer.v1.PropertyMapping.text", limit: Limits.text)
        let other = try unsafe c.of.optionalText("coffer.v1.PropertyMapping.of")
        let value: MappingModel.Value =
            switch unsafe c.source {
            case COFFER__V1__PROPERTY_MAPPING__SOURCE__SOURCE_AUTOMATIC: .automatic
            case COFFER__V1__PROPERTY_MAPPING__SOURCE__SOURCE_NONE: .none
            case COFFER__V1__PROPERTY_MAPPING__SOURCE__SOURCE_EXPRESSION: .expression(text)
            case COFFER__V1__PROPERTY_MAPPING__SOURCE__SOURCE_MAPPED: .mapped(by: other, objects: text)
            case COFFER__V1__PROPERTY_MAPPING__SOURCE__SOURCE_MAPPED_RELATIONSHIP:
                .mappedRelationship(other ?? "", objects: text)
            default: throw .malformed("coffer.v1.PropertyMapping.source")
            }
        try unsafe self.init(c.name.text("coffer.v1.PropertyMapping.name"), value)
    }

    func fill(_ c: inout Coffer__V1__PropertyMapping, in arena: inout PackArena) {
        unsafe c.name = arena.text(name)
        switch value {
        case .automatic: unsafe c.source = COFFER__V1__PROPERTY_MAPPING__SOURCE__SOURCE_AUTOMATIC
        case .none: unsafe c.source = COFFER__V1__PROPERTY_MAPPING__SOURCE__SOURCE_NONE
        case .expression(let text):
            unsafe c.source = COFFER__V1__PROPERTY_MAPPING__SOURCE__SOURCE_EXPRESSION
            unsafe c.text = arena.text(text)
        case .mapped(let name, let objects):
            unsafe c.source = COFFER__V1__PROPERTY_MAPPING__SOURCE__SOURCE_MAPPED
            unsafe c.text = arena.text(objects)
            unsafe c.of = arena.text(name ?? "")
        case .mappedRelationship(let name, let objects):
            unsafe c.source = COFFER__V1__PROPERTY_MAPPING__SOURCE__SOURCE_MAPPED_RELATIONSHIP
            unsafe c.text = arena.text(objects)
            unsafe c.of = arena.text(name)
        }
    }
}
