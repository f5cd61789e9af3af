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
            "NSEntities": allEntities(), "NSFetchRequestTemplates": allTemplates(),
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

    /// The requests that the model keeps under names, those whose forms are known.
    private mutating func allTemplates() -> PropertyListValue {
        var templates: [(key: String, value: PropertyListValue)] = []
        for template in model.fetchRequestTemplates {
            guard let entity = model.entity(named: template.entityName),
                let request = request(template, of: entities[entity.index])
            else { continue }
            templates.append((template.name, request))
        }
        return templates.isEmpty
            ? KeyedArchiveBuilder.null : builder.add(dictionary: templates, isMutable: true)
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
        var members = entity.properties.enumerated().map {
            (key: $1.name, value: properties[entity.index][$0])
        }
        for property in entity.fetchedProperties {
            guard let destination = model.entity(named: property.request.entityName),
                let object = fetchedProperty(
                    property, in: entities[entity.index], of: entities[destination.index])
            else { continue }
            members.append((property.name, object))
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
            let indexes = definition.indexes.compactMap { write($0, of: entity) }
            values["NSFetchIndexDescriptions"] = builder.add(array: indexes, isMutable: true)
        }
        builder.fill(entities[entity.index], names: ["NSEntityDescription", "NSObject"], values: values)
    }

    mutating func userInfo(_ userInfo: [String: String]) -> PropertyListValue {
        if userInfo.isEmpty { return noUserInfo }
        return builder.add(
            dictionary: userInfo.sorted { $0.key < $1.key }.map {
                (key: $0.key, value: builder.add($0.value))
            })
    }

    /// An index; `nil` if the form of its condition or of an expression is not known.
    private mutating func write(
        _ index: FetchIndexDefinition, of entity: EntityDescription
    ) -> PropertyListValue? {
        var condition = KeyedArchiveBuilder.null
        if let format = index.partialPredicate {
            guard let predicate = predicate(format) else { return nil }
            condition = predicate
        }
        let place = builder.reserve()
        var elements: [PropertyListValue] = []
        for (number, element) in index.elements.enumerated() {
            var values: [String: PropertyListValue] = [
                "NSPropertyName": builder.add(element.property),
                "NSFetchIndexElementType": .integer(index.kind == .rTree ? 1 : 0),
                "NSFetchIndexDescription": place, "NSAscending": .boolean(element.isAscending),
            ]
            if let expression = element.expression {
                guard expression.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }) else {
                    builder.fill(place, names: ["NSFetchIndexDescription", "NSObject"], values: [:])
                    return nil
                }
                let name = "expression\(number + 1)"
                values["NSPropertyName"] = builder.add(name)
                values["NSIndexedProperty"] = expressionProperty(name, keyPath: expression, of: entity)
            }
            elements.append(builder.add(["NSFetchIndexElementDescription", "NSObject"], values))
        }
        builder.fill(
            place, names: ["NSFetchIndexDescription", "NSObject"],
            values: [
                "NSIndexName": builder.add(index.name), "NSPartialIndexPredicate": condition,
                "NSIndexElements": builder.add(array: elements), "NSEntity": entities[entity.index],
            ])
        return place
    }

    /// A property that is an expression, for an index alone.
    private mutating func expressionProperty(
        _ name: String, keyPath path: String, of entity: EntityDescription
    ) -> PropertyListValue {
        let bits = PropertyBits(isOptional: true, isTransient: false, isReadOnly: true, hasModifier: false)
        return builder.add(
            ["NSExpressionDescription", "NSPropertyDescription", "NSObject"],
            [
                "_P": .integer(bits.value), "NSEntity": entities[entity.index],
                "NSIsOptional": .boolean(true),
                "NSIsReadOnly": .boolean(true), "NSExpressionType": .integer(0),
                "NSPropertyName": builder.add(name), "NSRenamingIdentifier": builder.add(name),
                "NSExpression": keyPath(path, of: selfExpression()),
            ])
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
        var hasUserInfo = false

        var value: Int64 {
            var bits: Int64 = hasValidation ? 0x41 : 0x71
            if hasUserInfo { bits &= ~0x40 }
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
            isOrdered: definition.isOrdered, hasModifier: definition.versionHashModifier != nil,
            hasUserInfo: !definition.userInfo.isEmpty)
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
        if !definition.userInfo.isEmpty { values["NSUserInfo"] = userInfo(definition.userInfo) }
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
