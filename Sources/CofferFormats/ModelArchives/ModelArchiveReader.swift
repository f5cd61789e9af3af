import CofferModel

/// Makes a model of the objects of its archive.
struct ModelArchiveReader {
    private static let path = "Z_MODELCACHE"
    /// The class of objects whose entity names none.
    static let baseClass = "NSManagedObject"

    let archive: KeyedArchive

    init(_ archive: KeyedArchive) {
        self.archive = archive
    }

    func model() throws(FormatError) -> ManagedObjectModel {
        guard archive.root.className == "NSManagedObjectModel" else {
            throw .damagedPropertyList(reason: "the archive holds no model")
        }
        var entities: [EntityDefinition] = []
        for member in archive.members(archive.root.values["NSEntities"]) {
            guard let object = archive.object(member), let name = archive.text(object.values["NSEntityName"])
            else { throw .damagedPropertyList(reason: "an entity has no name") }
            // References make many of one: they are counted as they are followed.
            guard entities.count < CofferModel.Limits.entities else {
                throw .damagedPropertyList(reason: "the model has too many entities")
            }
            entities.append(try entity(name, object))
        }
        leaveOutInherited(from: &entities)
        keepUsableIndexes(in: &entities)
        let configurations = archive.entries(archive.root.values["NSConfigurations"]).map { name, members in
            (
                name,
                archive.members(members).compactMap { member in
                    archive.object(member).flatMap { archive.text($0.values["NSEntityName"]) }
                        ?? archive.text(member)
                }.sorted()
            )
        }
        do throws(ModelError) {
            return try ManagedObjectModel(
                entities: entities,
                configurations: Dictionary(configurations, uniquingKeysWith: { first, _ in first }),
                versionIdentifiers: archive.members(archive.root.values["NSVersionIdentifiers"]).compactMap {
                    archive.text($0)
                }.sorted())
        } catch {
            throw .inconsistentModel(path: Self.path, error)
        }
    }

    private func entity(_ name: String, _ object: KeyedArchive.Object) throws(FormatError) -> EntityDefinition
    {
        let values = object.values
        var entity = EntityDefinition(name)
        entity.superentity = archive.object(values["NSSuperentity"]).flatMap {
            archive.text($0.values["NSEntityName"])
        }
        entity.isAbstract = flag(values["NSIsAbstract"])
        let className = archive.text(values["NSClassNameForEntity"])
        entity.className = className == Self.baseClass ? nil : className
        entity.versionHashModifier = archive.text(values["NSVersionHashModifier"])
        entity.renamingIdentifier = renaming(values, of: name)
        for (key, value) in archive.entries(values["NSUserInfo"]) {
            entity.userInfo[key] = archive.text(value)
        }
        let properties = archive.members(values["NSProperties"])
        guard properties.count <= CofferModel.Limits.properties else {
            throw .damagedPropertyList(reason: "'\(name)' has too many properties")
        }
        for member in properties {
            guard let property = archive.object(member) else { continue }
            try add(property, to: &entity)
        }
        entity.uniquenessConstraints = archive.members(values["NSUniqueTuples"]).map { constraint in
            archive.members(constraint).compactMap { propertyName($0) }
        }
        entity.indexes = archive.members(values["NSFetchIndexDescriptions"]).compactMap { index($0) }
        return entity
    }

    private func add(
        _ property: KeyedArchive.Object, to entity: inout EntityDefinition
    ) throws(FormatError) {
        switch property.className {
        case "NSAttributeDescription", "NSDerivedAttributeDescription":
            entity.attributes.append(try attribute(property, of: entity.name))
        case "NSRelationshipDescription":
            entity.relationships.append(try relationship(property, of: entity.name))
        // Inherited ones, those without a column, and what no row has.
        case "_NSPropertyDescriptionProxy", "NSFetchedPropertyDescription", "NSExpressionDescription": break
        default:
            throw .unsupported(
                path: Self.path, reason: "'\(entity.name)' has a property of the kind '\(property.className)'"
            )
        }
    }

    /// What a property's name in an archive is, or of the property that stands there itself.
    private func propertyName(_ value: PropertyListValue) -> String? {
        archive.text(value)
            ?? archive.object(value).flatMap { archive.text($0.values["NSPropertyName"]) }
    }

    private func index(_ value: PropertyListValue) -> FetchIndexDefinition? {
        guard let values = archive.object(value)?.values, let name = archive.text(values["NSIndexName"]),
            archive.object(values["NSPartialIndexPredicate"]) == nil
        else { return nil }
        var elements: [FetchIndexDefinition.Element] = []
        for member in archive.members(values["NSIndexElements"]) {
            guard let element = archive.object(member)?.values,
                let property = archive.text(element["NSPropertyName"]),
                archive.object(element["NSIndexedProperty"]) == nil,
                archive.value(element["NSFetchIndexElementType"])?.integer == 0
            else { return nil }  // Of expressions and regions; the file has it in any case.
            elements.append(.init(property, isAscending: flag(element["NSAscending"])))
        }
        return elements.isEmpty ? nil : FetchIndexDefinition(name, elements: elements)
    }
}

extension ModelArchiveReader {
    /// Archives repeat the properties of parents, some as copies.
    private func leaveOutInherited(from entities: inout [EntityDefinition]) {
        let names = Dictionary(
            entities.map { entity in
                (entity.name, Set(entity.attributes.map(\.name) + entity.relationships.map(\.name)))
            }, uniquingKeysWith: { first, _ in first })
        let parents = Dictionary(
            entities.map { ($0.name, $0.superentity) }, uniquingKeysWith: { first, _ in first })
        for place in entities.indices {
            var inherited: Set<String> = []
            var next = entities[place].superentity
            // No further than there are entities: hostile ones may inherit from each other in a circle.
            for _ in entities.indices {
                guard let parent = next else { break }
                inherited.formUnion(names[parent] ?? [])
                next = parents[parent] ?? nil
            }
            entities[place].attributes.removeAll { inherited.contains($0.name) }
            entities[place].relationships.removeAll { inherited.contains($0.name) }
        }
    }

    /// Leaves out indexes of what has no column that could be looked up.
    private func keepUsableIndexes(in entities: inout [EntityDefinition]) {
        for place in entities.indices {
            let entity = entities[place]
            let usable = Set(
                entity.attributes.filter { !$0.isTransient }.map(\.name)
                    + entity.relationships.filter { !$0.isToMany && !$0.isTransient }.map(\.name))
            entities[place].indexes.removeAll { index in
                index.elements.contains { !usable.contains($0.property) }
            }
        }
    }

    /// A flag; absent means no.
    func flag(_ value: PropertyListValue?) -> Bool {
        switch archive.value(value) {
        case .boolean(let flag): flag
        case .integer(let number): number != 0
        default: false
        }
    }

    /// The name of an earlier version; archives name the present one where there is none.
    func renaming(_ values: [String: PropertyListValue], of name: String) -> String? {
        let identifier = archive.text(values["NSRenamingIdentifier"])
        return identifier == name ? nil : identifier
    }
}
