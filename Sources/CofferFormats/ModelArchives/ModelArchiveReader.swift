import CofferModel

/// Makes a model of the objects of its archive.
struct ModelArchiveReader {
    /// The class of objects whose entity names none.
    static let baseClass = "NSManagedObject"

    let archive: KeyedArchive
    /// What errors call the archive.
    let path: String
    let notices = ModelNotices()

    init(_ archive: KeyedArchive, path: String) {
        self.archive = archive
        self.path = path
    }

    func model() throws(FormatError) -> ManagedObjectModel {
        do throws(FormatError) {
            return try readModel()
        } catch {
            try archive.checkToll()  // What is missing then is what was too much.
            throw error
        }
    }

    private func readModel() throws(FormatError) -> ManagedObjectModel {
        guard archive.root.className == "NSManagedObjectModel" else {
            throw .damagedPropertyList(reason: "the archive holds no model")
        }
        var entities: [EntityDefinition] = []
        var size = ModelSize()
        for member in try archive.members(archive.root.values["NSEntities"]) {
            guard let object = archive.object(member), let name = archive.text(object.values["NSEntityName"])
            else { throw .damagedPropertyList(reason: "an entity has no name") }
            let properties = try archive.members(object.values["NSProperties"])
            // Archives repeat what is inherited, so these are as many as the model counts itself.
            try consistently { () throws(ModelError) in try size.add(name, properties: properties.count) }
            entities.append(try entity(name, from: object, properties: properties))
        }
        try consistently { () throws(ModelError) in try leaveOutInherited(from: &entities) }
        keepUsableIndexes(in: &entities)
        leaveOutLost(from: &entities)
        for lost in LostInverses.leaveOut(from: &entities) {
            notice("\(lost.entity).\(lost.name)", lost.notice)
        }
        let templates = try templates(among: Set(entities.map(\.name)))
        let configurations = try configurations()
        let versions = try archive.members(archive.root.values["NSVersionIdentifiers"])
            .compactMap { archive.text($0) }.sorted()
        try archive.checkToll()
        return try consistently { () throws(ModelError) in
            try ManagedObjectModel(
                entities: entities, configurations: configurations, versionIdentifiers: versions,
                fetchRequestTemplates: templates)
        }
    }

    private func consistently<Result>(
        _ body: () throws(ModelError) -> Result
    ) throws(FormatError) -> Result {
        do throws(ModelError) { return try body() } catch { throw .inconsistentModel(path: path, error) }
    }

    private func configurations() throws(FormatError) -> [String: [String]] {
        var configurations: [String: [String]] = [:]
        for (name, list) in try archive.entries(archive.root.values["NSConfigurations"]) {
            let members = try archive.members(list).compactMap { member in
                archive.object(member).flatMap { archive.text($0.values["NSEntityName"]) }
                    ?? archive.text(member)
            }
            if configurations[name] == nil { configurations[name] = members.sorted() }
        }
        return configurations
    }

    /// The requests under names, those of entities that there are.
    private func templates(among names: Set<String>) throws(FormatError) -> [FetchRequestTemplate] {
        var templates: [FetchRequestTemplate] = []
        var known: Set<String> = []
        for (name, value) in try archive.entries(archive.root.values["NSFetchRequestTemplates"]) {
            guard let template = try request(value, name: name), names.contains(template.entityName),
                known.insert(name).inserted
            else { continue }
            templates.append(template)
        }
        return templates.sorted { $0.name < $1.name }
    }

    private func entity(
        _ name: String, from object: KeyedArchive.Object, properties: [PropertyListValue]
    ) throws(FormatError) -> EntityDefinition {
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
        entity.userInfo = try userInfo(values)
        for member in properties {
            guard let property = archive.object(member) else { continue }
            try add(property, to: &entity)
        }
        for constraint in try archive.members(values["NSUniqueTuples"]) {
            entity.uniquenessConstraints.append(
                try archive.members(constraint).compactMap { propertyName($0) })
        }
        for member in try archive.members(values["NSFetchIndexDescriptions"]) {
            if let index = try index(member) { entity.indexes.append(index) }
        }
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
        case "NSFetchedPropertyDescription":
            // No row has it: one of an unknown form leaves the model as good as it is.
            if let fetched = try fetchedProperty(property) { entity.fetchedProperties.append(fetched) }
        // Inherited ones, and what no row has.
        case "_NSPropertyDescriptionProxy", "NSExpressionDescription": break
        default:
            throw .unsupported(
                path: path, reason: "'\(entity.name)' has a property of the kind '\(property.className)'"
            )
        }
    }

    /// What a property's name in an archive is, or of the property that stands there itself.
    private func propertyName(_ value: PropertyListValue) -> String? {
        archive.text(value)
            ?? archive.object(value).flatMap { archive.text($0.values["NSPropertyName"]) }
    }

    private func index(_ value: PropertyListValue) throws(FormatError) -> FetchIndexDefinition? {
        guard let values = archive.object(value)?.values, let name = archive.text(values["NSIndexName"])
        else { return nil }
        var index = FetchIndexDefinition(name, elements: [])
        if archive.object(values["NSPartialIndexPredicate"]) != nil {
            guard let format = try predicateFormat(values["NSPartialIndexPredicate"]) else { return nil }
            index.partialPredicate = format
        }
        for member in try archive.members(values["NSIndexElements"]) {
            guard let element = archive.object(member)?.values,
                let property = archive.text(element["NSPropertyName"])
            else { return nil }
            switch archive.value(element["NSFetchIndexElementType"])?.integer ?? 0 {
            case 0: break
            case 1: index.kind = .rTree
            default: return nil  // Of a later kind; the file has it in any case.
            }
            let isAscending = flag(element["NSAscending"])
            guard let indexed = archive.object(element["NSIndexedProperty"]),
                indexed.className == "NSExpressionDescription"
            else {
                index.elements.append(.init(property, isAscending: isAscending))
                continue
            }
            guard let text = try expression(indexed.values["NSExpression"], depth: 0) else { return nil }
            index.elements.append(.init(expression: text, isAscending: isAscending))
        }
        return index.elements.isEmpty ? nil : index
    }
}

extension ModelArchiveReader {
    /// Archives repeat the properties of parents, some as copies.
    private func leaveOutInherited(from entities: inout [EntityDefinition]) throws(ModelError) {
        let places = Dictionary(
            entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        // What each entity that has children passes on to them.
        var passedOn: [Int: Set<String>] = [:]
        var size = ModelSize()
        for entity in entities {
            var line: [Int] = []
            var next = entity.superentity.flatMap { places[$0] }
            // Longer lines, as those in a circle, are refused when the entities are joined.
            while let place = next, passedOn[place] == nil, !line.contains(place),
                line.count <= CofferModel.Limits.inheritance
            {
                line.append(place)
                next = entities[place].superentity.flatMap { places[$0] }
            }
            for place in line.reversed() {
                let parent = entities[place].superentity.flatMap { places[$0] }
                var names = parent.flatMap { passedOn[$0] } ?? []
                names.formUnion(entities[place].attributes.map(\.name))
                names.formUnion(entities[place].relationships.map(\.name))
                names.formUnion(entities[place].fetchedProperties.map(\.name))
                try size.add(entities[place].name, properties: names.count)
                passedOn[place] = names
            }
        }
        for place in entities.indices {
            guard let parent = entities[place].superentity.flatMap({ places[$0] }),
                let inherited = passedOn[parent]
            else { continue }
            entities[place].attributes.removeAll { inherited.contains($0.name) }
            entities[place].relationships.removeAll { inherited.contains($0.name) }
            entities[place].fetchedProperties.removeAll { inherited.contains($0.name) }
        }
    }

    /// Leaves out fetched properties of entities that there are not.
    private func leaveOutLost(from entities: inout [EntityDefinition]) {
        let names = Set(entities.map(\.name))
        for place in entities.indices {
            entities[place].fetchedProperties.removeAll { !names.contains($0.request.entityName) }
        }
    }

    /// Leaves out indexes of what has no column that could be looked up.
    private func keepUsableIndexes(in entities: inout [EntityDefinition]) {
        let columns = DeclaredColumns(of: entities)
        for place in entities.indices {
            let name = entities[place].name
            entities[place].indexes.removeAll { index in
                index.elements.contains {
                    $0.expression == nil && !columns.contains($0.property, of: name)
                }
            }
        }
    }

    /// Tells of what is passed over in a property.
    func notice(_ property: String, _ reason: String) {
        let place = TextLocation(file: path, line: 1, column: 1, element: "property '\(property)'")
        notices.add(ModelWarning(place: place, reason: reason))
    }

    /// A flag; absent means no.
    func flag(_ value: PropertyListValue?) -> Bool {
        switch archive.value(value) {
        case .boolean(let flag): flag
        case .integer(let number): number != 0
        default: false
        }
    }

    /// The name of an earlier version; archives give the present name if there is no earlier one.
    func renaming(_ values: [String: PropertyListValue], of name: String) -> String? {
        let identifier = archive.text(values["NSRenamingIdentifier"])
        return identifier == name ? nil : identifier
    }
}
