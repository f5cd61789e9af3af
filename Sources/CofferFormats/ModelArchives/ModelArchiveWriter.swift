import CofferModel

/// Makes the archive of a model, as Core Data's own archives are.
struct ModelArchiveWriter {
    private let model: ManagedObjectModel
    var builder = KeyedArchiveBuilder()
    private var entities: [PropertyListValue] = []
    /// The places of each entity's properties, inherited ones included, by index.
    private var properties: [[PropertyListValue]] = []
    private var noUserInfo = KeyedArchiveBuilder.null

    init(_ model: ManagedObjectModel) {
        self.model = model
    }

    mutating func archive() -> PropertyListValue {
        let root = builder.reserve()
        noUserInfo = builder.add(dictionary: [])
        entities = model.entities.map { _ in builder.reserve() }
        properties = model.entities.map { entity in entity.properties.map { _ in builder.reserve() } }
        for entity in model.entities { write(entity, in: root) }
        var values: [String: PropertyListValue] = [
            "NSEntities": allEntities(), "NSFetchRequestTemplates": KeyedArchiveBuilder.null,
            "NSVersionIdentifiers": builder.add(set: model.versionIdentifiers.map { builder.add($0) }),
        ]
        if !model.configurations.isEmpty {
            let configurations = model.configurations.sorted { $0.key < $1.key }.map { name, members in
                let references = members.compactMap { name in
                    model.entity(named: name).map { entities[$0.index] }
                }
                return (key: name, value: builder.add(set: references))
            }
            values["NSConfigurations"] = builder.add(dictionary: configurations, isMutable: true)
        }
        builder.fill(root, names: ["NSManagedObjectModel", "NSObject"], values: values)
        return builder.archive(root: root)
    }

    /// All entities by name, in the form that Core Data has for dictionaries whose keys never change.
    private mutating func allEntities() -> PropertyListValue {
        let sorted = model.entities.sorted { $0.name < $1.name }
        let keys = builder.add(array: sorted.map { builder.add($0.name) })
        let strategy = builder.add(
            ["NSKnownKeysMappingStrategy1", "NSKnownKeysMappingStrategy", "NSObject"],
            ["length": .integer(Int64(sorted.count)), "keys": keys, "version": .integer(1)])
        let values = builder.add(array: sorted.map { entities[$0.index] })
        return builder.add(
            [
                "NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary",
                "NSObject",
            ],
            [
                "values": values, "searchMapping": strategy,
                "emptyToken": builder.add("__empty_slot_token_4c24_98dc_ac1e_b773__"), "version": .integer(1),
            ])
    }

    private mutating func write(_ entity: EntityDescription, in root: PropertyListValue) {
        let definition = entity.definition
        for (place, property) in entity.properties.enumerated() {
            switch property {
            case .attribute(let attribute): write(attribute, at: properties[entity.index][place], of: entity)
            case .relationship(let relationship):
                write(relationship, at: properties[entity.index][place], of: entity)
            }
        }
        let members = entity.properties.enumerated().map {
            (key: $1.name, value: properties[entity.index][$0])
        }
        let children = entity.subentityIndices.map { (key: model.entities[$0].name, value: entities[$0]) }
        var values: [String: PropertyListValue] = [
            "NSEntityName": builder.add(entity.name), "NSManagedObjectModel": root,
            "NSClassNameForEntity": builder.add(definition.className ?? ModelArchiveReader.baseClass),
            "NSVersionHashModifier": builder.add(definition.versionHashModifier),
            "NSRenamingIdentifier": builder.add(definition.renamingIdentifier ?? entity.name),
            "NSSuperentity": entity.superentityIndex.map { entities[$0] } ?? KeyedArchiveBuilder.null,
            "NSSubentities": builder.add(dictionary: children, isMutable: true),
            "NSProperties": builder.add(dictionary: members, isMutable: true),
            "NSUserInfo": userInfo(definition.userInfo),
        ]
        if definition.isAbstract { values["NSIsAbstract"] = .boolean(true) }
        if !definition.uniquenessConstraints.isEmpty {
            let constraints = definition.uniquenessConstraints.map { names in
                builder.add(array: names.map { builder.add($0) }, isMutable: true)
            }
            values["NSUniqueTuples"] = builder.add(array: constraints, isMutable: true)
        }
        if !definition.indexes.isEmpty {
            let indexes = definition.indexes.map { write($0, of: entity) }
            values["NSFetchIndexDescriptions"] = builder.add(array: indexes, isMutable: true)
        }
        builder.fill(entities[entity.index], names: ["NSEntityDescription", "NSObject"], values: values)
    }

    private mutating func userInfo(_ userInfo: [String: String]) -> PropertyListValue {
        if userInfo.isEmpty { return noUserInfo }
        return builder.add(
            dictionary: userInfo.sorted { $0.key < $1.key }.map {
                (key: $0.key, value: builder.add($0.value))
            })
    }

    private mutating func write(
        _ index: FetchIndexDefinition, of entity: EntityDescription
    ) -> PropertyListValue {
        let place = builder.reserve()
        let elements = index.elements.map { element in
            builder.add(
                ["NSFetchIndexElementDescription", "NSObject"],
                [
                    "NSPropertyName": builder.add(element.property), "NSFetchIndexElementType": .integer(0),
                    "NSFetchIndexDescription": place, "NSAscending": .boolean(element.isAscending),
                ])
        }
        builder.fill(
            place, names: ["NSFetchIndexDescription", "NSObject"],
            values: [
                "NSIndexName": builder.add(index.name), "NSPartialIndexPredicate": KeyedArchiveBuilder.null,
                "NSIndexElements": builder.add(array: elements), "NSEntity": entities[entity.index],
            ])
        return place
    }
}

extension ModelArchiveWriter {
    /// Core Data's own bits of a property: those for what is absent, and those for what it is.
    struct PropertyBits {
        var isOptional: Bool
        var isTransient: Bool
        var isReadOnly = false
        var isOrdered = false
        var isTextIndexed = false
        var hasModifier: Bool
        var hasValidation = false

        var value: Int64 {
            var bits: Int64 = hasValidation ? 0x41 : 0x71
            if isOptional { bits |= 0x2 }
            if isReadOnly { bits |= 0x4 }
            if isTransient { bits |= 0x8 }
            if !hasModifier { bits |= 0x80 }
            if isTextIndexed { bits |= 0x100 }
            if isOrdered { bits |= 0x400 }
            return bits
        }
    }

    private mutating func write(
        _ relationship: RelationshipDescription, at place: PropertyListValue, of entity: EntityDescription
    ) {
        let definition = relationship.definition
        let destination = relationship.destinationIndex
        let bits = PropertyBits(
            isOptional: definition.isOptional, isTransient: definition.isTransient,
            isOrdered: definition.isOrdered, hasModifier: definition.versionHashModifier != nil)
        var values: [String: PropertyListValue] = [
            "_P": .integer(bits.value), "NSEntity": entities[entity.index],
            "NSPropertyName": builder.add(definition.name),
            "NSRenamingIdentifier": builder.add(definition.renamingIdentifier ?? definition.name),
            "NSDestinationEntity": entities[destination],
            "_NSDestinationEntityName": builder.add(definition.destination),
            "NSInverseRelationship": relationship.inverseIndex.map { properties[destination][$0] }
                ?? KeyedArchiveBuilder.null,
            "_NSInverseRelationshipName": builder.add(definition.inverse),
            "NSMinCount": .integer(Int64(definition.minimumCount)),
            "NSMaxCount": .integer(Int64(definition.maximumCount)),
            "NSDeleteRule": .integer(Int64(definition.deleteRule.rawValue)),
        ]
        if definition.isOptional { values["NSIsOptional"] = .boolean(true) }
        if definition.isTransient { values["NSIsTransient"] = .boolean(true) }
        if definition.isOrdered { values["NSIsOrdered"] = .boolean(true) }
        if let modifier = definition.versionHashModifier {
            values["NSVersionHashModifier"] = builder.add(modifier)
        }
        builder.fill(
            place, names: ["NSRelationshipDescription", "NSPropertyDescription", "NSObject"], values: values)
    }

    private mutating func write(
        _ attribute: AttributeDescription, at place: PropertyListValue, of entity: EntityDescription
    ) {
        builder.fill(
            place, names: attribute.archiveClasses,
            values: values(of: attribute.definition, in: entities[entity.index]))
    }
}

extension AttributeDescription {
    fileprivate var archiveClasses: [String] {
        (definition.derivationExpression == nil ? [] : ["NSDerivedAttributeDescription"])
            + ["NSAttributeDescription", "NSPropertyDescription", "NSObject"]
    }
}
