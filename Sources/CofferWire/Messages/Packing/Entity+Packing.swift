internal import CCofferMessages
internal import CofferModel
internal import FoundationEssentials

extension EntityDefinition: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Entity>) {
        unsafe coffer__v1__entity__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__Entity>) throws(WireError) {
        let c = unsafe message.pointee
        let constraints = try unsafe messages(
            c.uniqueness_constraints, count: c.n_uniqueness_constraints,
            field: "coffer.v1.Entity.uniqueness_constraints",
            limit: Limits.modelElements, as: ConstraintForm.self)
        try unsafe self.init(
            c.name.text("coffer.v1.Entity.name"),
            superentity: c.superentity.optionalText("coffer.v1.Entity.superentity"),
            isAbstract: c.is_abstract != 0,
            className: c.class_name.optionalText("coffer.v1.Entity.class_name"),
            attributes: messages(
                c.attributes, count: c.n_attributes, field: "coffer.v1.Entity.attributes",
                limit: Limits.modelElements),
            relationships: messages(
                c.relationships, count: c.n_relationships, field: "coffer.v1.Entity.relationships",
                limit: Limits.modelElements),
            fetchedProperties: messages(
                c.fetched_properties, count: c.n_fetched_properties,
                field: "coffer.v1.Entity.fetched_properties",
                limit: Limits.modelElements),
            indexes: messages(
                c.indexes, count: c.n_indexes, field: "coffer.v1.Entity.indexes", limit: Limits.modelElements),
            uniquenessConstraints: constraints.map { $0.attributes },
            versionHashModifier: c.version_hash_modifier.optionalText(
                "coffer.v1.Entity.version_hash_modifier"),
            renamingIdentifier: c.renaming_identifier.optionalText("coffer.v1.Entity.renaming_identifier"),
            userInfo: NoteForm.dictionary(c.user_info, count: c.n_user_info, "coffer.v1.Entity.user_info"))
    }

    func fill(_ c: inout Coffer__V1__Entity, in arena: inout PackArena) throws(WireError) {
        unsafe c.name = arena.text(name)
        unsafe c.superentity = arena.text(superentity ?? "")
        unsafe c.is_abstract = isAbstract ? 1 : 0
        unsafe c.class_name = arena.text(className ?? "")
        try unsafe (c.n_attributes, c.attributes) = arena.list(attributes.sorted { $0.name < $1.name })
        try unsafe (c.n_relationships, c.relationships) = arena.list(
            relationships.sorted { $0.name < $1.name })
        try unsafe (c.n_fetched_properties, c.fetched_properties) = arena.list(
            fetchedProperties.sorted { $0.name < $1.name })
        try unsafe (c.n_indexes, c.indexes) = arena.list(indexes)
        let constraints = uniquenessConstraints.map { ConstraintForm(attributes: $0) }
        try unsafe (c.n_uniqueness_constraints, c.uniqueness_constraints) = arena.list(constraints)
        unsafe c.version_hash_modifier = arena.text(versionHashModifier ?? "")
        unsafe c.renaming_identifier = arena.text(renamingIdentifier ?? "")
        try unsafe (c.n_user_info, c.user_info) = arena.list(NoteForm.list(userInfo))
    }
}

/// `coffer.v1.UniquenessConstraint`.
private struct ConstraintForm {
    var attributes: [String]
}

extension ConstraintForm: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__UniquenessConstraint>) {
        unsafe coffer__v1__uniqueness_constraint__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__UniquenessConstraint>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            attributes: texts(
                c.attributes, count: c.n_attributes, field: "coffer.v1.UniquenessConstraint.attributes"))
    }

    func fill(_ c: inout Coffer__V1__UniquenessConstraint, in arena: inout PackArena) {
        unsafe (c.n_attributes, c.attributes) = arena.texts(attributes)
    }
}

extension FetchRequestTemplate: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__FetchTemplate>) {
        unsafe coffer__v1__fetch_template__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__FetchTemplate>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            c.name.text("coffer.v1.FetchTemplate.name"),
            entityName: c.entity.text("coffer.v1.FetchTemplate.entity"),
            predicate: c.predicate.optionalText("coffer.v1.FetchTemplate.predicate", limit: Limits.text),
            limit: Int(clamping: c.limit), includesSubentities: c.excludes_subentities == 0,
            includesPendingChanges: c.excludes_pending_changes == 0,
            returnsDistinctResults: c.returns_distinct_results != 0,
            sortDescriptors: messages(
                c.sort_descriptors, count: c.n_sort_descriptors,
                field: "coffer.v1.FetchTemplate.sort_descriptors",
                limit: Limits.keyPath, as: SortForm.self
            ).map(\.sort))
    }

    func fill(_ c: inout Coffer__V1__FetchTemplate, in arena: inout PackArena) throws(WireError) {
        unsafe c.name = arena.text(name)
        unsafe c.entity = arena.text(entityName)
        unsafe c.predicate = arena.text(predicate ?? "")
        unsafe c.limit = UInt64(clamping: limit)
        unsafe c.excludes_subentities = includesSubentities ? 0 : 1
        unsafe c.excludes_pending_changes = includesPendingChanges ? 0 : 1
        unsafe c.returns_distinct_results = returnsDistinctResults ? 1 : 0
        try unsafe (c.n_sort_descriptors, c.sort_descriptors) = arena.list(
            sortDescriptors.map { SortForm(sort: $0) })
    }
}

/// `coffer.v1.SortDescriptor`, as models have it.
private struct SortForm {
    var sort: QuerySort
}

extension SortForm: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SortDescriptor>) {
        unsafe coffer__v1__sort_descriptor__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SortDescriptor>) throws(WireError) {
        let c = unsafe message.pointee
        let comparison: QuerySort.Comparison = try unsafe choice(
            UInt8(clamping: c.comparison), "coffer.v1.SortDescriptor.comparison")
        try unsafe self.init(
            sort: QuerySort(
                keyPath: texts(c.key_path, count: c.n_key_path, field: "coffer.v1.SortDescriptor.key_path"),
                isAscending: c.descending == 0, comparison: comparison))
    }

    func fill(_ c: inout Coffer__V1__SortDescriptor, in arena: inout PackArena) {
        unsafe (c.n_key_path, c.key_path) = arena.texts(sort.keyPath)
        unsafe c.descending = sort.isAscending ? 0 : 1
        unsafe c.comparison = UInt32(sort.comparison.rawValue)
    }
}

extension FetchedPropertyDefinition: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__FetchedProperty>) {
        unsafe coffer__v1__fetched_property__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__FetchedProperty>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            c.name.text("coffer.v1.FetchedProperty.name"),
            request: required(c.request, "coffer.v1.FetchedProperty.request"),
            userInfo: NoteForm.dictionary(
                c.user_info, count: c.n_user_info, "coffer.v1.FetchedProperty.user_info"))
    }

    func fill(_ c: inout Coffer__V1__FetchedProperty, in arena: inout PackArena) throws(WireError) {
        unsafe c.name = arena.text(name)
        try unsafe c.request = arena.make(request)
        try unsafe (c.n_user_info, c.user_info) = arena.list(NoteForm.list(userInfo))
    }
}

extension FetchIndexDefinition: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__FetchIndex>) {
        unsafe coffer__v1__fetch_index__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__FetchIndex>) throws(WireError) {
        let c = unsafe message.pointee
        let properties = try unsafe texts(
            c.properties, count: c.n_properties, field: "coffer.v1.FetchIndex.properties")
        try unsafe check(c.n_descending, of: properties.count, "coffer.v1.FetchIndex.descending")
        let descending = unsafe [Int32](copying: c.descending, count: c.n_descending)
        var elements = zip(properties, descending).map { Element($0, isAscending: $1 == 0) }
        let expressions = try unsafe texts(
            c.expressions, count: c.n_expressions, field: "coffer.v1.FetchIndex.expressions")
        if !expressions.isEmpty {
            try check(expressions.count, of: properties.count, "coffer.v1.FetchIndex.expressions")
            for (place, text) in expressions.enumerated() where !text.isEmpty {
                elements[place].expression = text
            }
        }
        try unsafe self.init(
            c.name.text("coffer.v1.FetchIndex.name"), elements: elements,
            kind: c.is_r_tree != 0 ? .rTree : .binary,
            partialPredicate: c.partial_predicate.optionalText(
                "coffer.v1.FetchIndex.partial_predicate", limit: Limits.text))
    }

    func fill(_ c: inout Coffer__V1__FetchIndex, in arena: inout PackArena) {
        unsafe c.name = arena.text(name)
        unsafe (c.n_properties, c.properties) = arena.texts(elements.map(\.property))
        unsafe (c.n_descending, c.descending) = arena.numbers(elements.map { $0.isAscending ? 0 : 1 })
        if elements.contains(where: { $0.expression != nil }) {
            unsafe (c.n_expressions, c.expressions) = arena.texts(elements.map { $0.expression ?? "" })
        }
        unsafe c.partial_predicate = arena.text(partialPredicate ?? "")
        unsafe c.is_r_tree = kind == .rTree ? 1 : 0
    }
}
