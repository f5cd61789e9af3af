import CofferModel

/// Turns the keyed archive of a model of Xcode before version 4, an `elements` file, into definitions.
///
/// The archive is of the editor's own objects: entities and properties in folders of their package, each
/// with lists of values under names, called stereotypes. Passed over are values under names that are not
/// known, and fetch requests and fetched properties; of all that says anything `notices` tell. If a store
/// depends on such a value, its hashes refuse the model.
///
/// Source: measured in Recipes 2 of Apple's sample code, whose version hashes its store confirms.
struct ElementsReader {
    /// The class of the outermost object.
    static let modelClass = "XDPMModel"

    let archive: KeyedArchive
    let path: String
    let notices = ModelNotices()

    init(_ archive: KeyedArchive, path: String) {
        self.archive = archive
        self.path = path
    }

    /// The model.
    ///
    /// - Throws: `FormatError.damagedPropertyList` for what lacks its parts, `unsupported` for what is not
    ///   known, `inconsistentModel`.
    func model() throws(FormatError) -> ManagedObjectModel {
        let package = archive.object(archive.root.values["_xd_rootPackage"])
        var entities: [EntityDefinition] = []
        for member in try archive.entries(package?.values["XDBucketForClassesstorage"]) {
            guard let object = archive.object(member.value), object.className == Self.entityClass else {
                continue
            }
            entities.append(try entity(object))
        }
        try archive.checkToll()
        for lost in LostInverses.leaveOut(from: &entities) {
            notice("\(lost.entity).\(lost.name)", lost.notice)
        }
        let identifier = archive.text(archive.root.values["_modelVersionIdentifier"])
        var configurations: [String: [String]] = [:]
        for (name, value) in try archive.entries(archive.root.values["_configurationsByName"]) {
            configurations[name] = try archive.members(value).compactMap { self.name(of: $0) }
        }
        do {
            return try ManagedObjectModel(
                entities: entities, configurations: configurations,
                versionIdentifiers: identifier.map { [$0] } ?? [])
        } catch {
            throw .inconsistentModel(path: path, error)
        }
    }

    private static let entityClass = "XDPMEntity"
    private static let baseClass = "NSManagedObject"
}

extension ElementsReader {
    private func entity(_ object: KeyedArchive.Object) throws(FormatError) -> EntityDefinition {
        guard let name = archive.text(object.values["_name"]) else {
            throw .damagedPropertyList(reason: "an entity lacks its name")
        }
        var entity = EntityDefinition(name)
        entity.superentity = try parent(of: object, name)
        var values = try values(of: object, name)
        entity.isAbstract = flag(values.take("XD_PSK_isAbstract"))
        let className = archive.text(values.take("XD_PSK_entityClassName"))
        entity.className = className == Self.baseClass ? nil : className
        entity.userInfo = try userInfo(values.take("XD_PSK_userInfo"))
        values.ignore("XD_PSK_classMapping")
        if try !archive.members(values.take("XD_PSK_fetchRequestsArray")).isEmpty {
            notice(name, "its fetch requests are passed over")
        }
        try passOverRest(values, name)
        for (_, value) in try archive.entries(object.values["XDBucketForOwnedAttributesstorage"]) {
            guard let property = archive.object(value) else { continue }
            switch property.className {
            case "XDPMAttribute": entity.attributes.append(try attribute(property, of: name))
            case "XDPMRelationship": entity.relationships.append(try relationship(property, of: name))
            case "XDPMFetchedProperty": notice(name, "its fetched properties are passed over")
            default:
                throw .unsupported(
                    path: path, reason: "'\(name)' has a property of the class \(property.className)")
            }
        }
        entity.attributes.sort { $0.name < $1.name }
        entity.relationships.sort { $0.name < $1.name }
        return entity
    }

    /// The entity at the other end of what the editor keeps of an inheritance.
    private func parent(of object: KeyedArchive.Object, _ name: String) throws(FormatError) -> String? {
        var parents: Set<String> = []
        for member in try archive.members(object.values["XDBucketForGeneralizationsstorage"]) {
            guard let link = archive.object(member) else { continue }
            if let parent = self.name(of: member) { parents.insert(parent) }
            for value in link.values.values {
                if let end = self.name(of: value), end != name { parents.insert(end) }
            }
            guard !parents.isEmpty else {
                throw .unsupported(
                    path: path, reason: "what '\(name)' inherits from is said in a form that is not known")
            }
        }
        guard parents.count <= 1 else {
            throw .unsupported(path: path, reason: "'\(name)' inherits from several entities")
        }
        return parents.first
    }

    private func attribute(
        _ object: KeyedArchive.Object, of entity: String
    ) throws(FormatError) -> AttributeDefinition {
        let name = try propertyName(object, of: entity)
        let place = "\(entity).\(name)"
        var values = try values(of: object, place)
        let isTransient = flag(values.take("XD_PPSK_isTransient"))
        let number = archive.value(values.take("XD_PAttK_attributeType"))?.integer ?? 0
        let known = UInt32(exactly: number).flatMap { AttributeType(rawValue: $0) }
        guard let type = known ?? (isTransient ? .transformable : nil) else {
            throw .unsupported(path: path, reason: "'\(place)' has the type \(number)")
        }
        var attribute = AttributeDefinition(name, type, isTransient: isTransient)
        attribute.isOptional = flag(values.take("XD_PPSK_isOptional"))
        attribute.isIndexed = flag(values.take("XD_PPSK_isIndexed"))
        attribute.isTextIndexed = flag(values.take("XD_PPSK_isSpotlightIndexed")) && type == .string
        attribute.transformerName = archive.text(values.take("XD_PAttK_valueTransformerName"))
        attribute.userInfo = try userInfo(values.take("XD_PPSK_userInfo"))
        values.ignore("XD_PPSK_isStoredInTruthFile")
        if let text = archive.text(values.take("XD_PAttK_defaultValueAsString")), !text.isEmpty {
            if let value = ModelReader.value(text, type), value.fits(type) {
                attribute.defaultValue = value
            } else if type.hasDefaultText, type != .uuid {
                throw .unsupported(
                    path: path, reason: "the default '\(text)' of '\(place)' is not of its type")
            } else {
                notice(place, "its default '\(text)' is of another type, and is passed over")
            }
        }
        try passOverRest(values, place)
        return attribute
    }

    private func relationship(
        _ object: KeyedArchive.Object, of entity: String
    ) throws(FormatError) -> RelationshipDefinition {
        let name = try propertyName(object, of: entity)
        let place = "\(entity).\(name)"
        var values = try values(of: object, place)
        guard let destination = self.name(of: values.take("XD_PRK_destination")) else {
            throw .damagedPropertyList(reason: "'\(place)' lacks the entity that it leads to")
        }
        let isToMany = flag(values.take("XD_PRK_isToMany"))
        var relationship = RelationshipDefinition(name, to: destination, isToMany: isToMany)
        relationship.inverse = archive.object(values.take("XD_PRK_inverseRelationship"))
            .flatMap { archive.text($0.values["_name"]) }
        relationship.minimumCount = count(values.take("XD_PRK_minCount")) ?? 0
        if let maximum = count(values.take("XD_PRK_maxCount")) { relationship.maximumCount = maximum }
        let rule = archive.value(values.take("XD_PRK_deleteRule"))?.integer ?? 0
        guard let rule = UInt32(exactly: rule).flatMap({ DeleteRule(rawValue: $0) }) else {
            throw .unsupported(path: path, reason: "'\(place)' has the delete rule \(rule)")
        }
        relationship.deleteRule = rule
        relationship.isOptional = flag(values.take("XD_PPSK_isOptional"))
        relationship.isTransient = flag(values.take("XD_PPSK_isTransient"))
        relationship.userInfo = try userInfo(values.take("XD_PPSK_userInfo"))
        for name in ["isIndexed", "isStoredInTruthFile", "isSpotlightIndexed"] {
            values.ignore("XD_PPSK_\(name)")
        }
        try passOverRest(values, place)
        return relationship
    }
}

extension ElementsReader {
    /// The values that all stereotypes of an object have, by name.
    private func values(of object: KeyedArchive.Object, _ place: String) throws(FormatError) -> NamedValues {
        var values = NamedValues()
        for (_, stereotype) in try archive.entries(object.values["XDBucketForStereotypesstorage"]) {
            let members = archive.object(stereotype)?.values["XDBucketForOwnedAttributesstorage"]
            for (name, value) in try archive.entries(members) {
                values.all[name] = archive.object(value)?.values["_default"]
            }
        }
        return values
    }

    /// Tells of values that no definition has, if they say anything.
    private func passOverRest(_ values: NamedValues, _ place: String) throws(FormatError) {
        for (name, value) in values.all.sorted(by: { $0.key < $1.key }) {
            let says: Bool
            switch archive.value(value) {
            case nil, .null?, .boolean(false)?, .integer(0)?: says = false
            case .string(let text)?: says = !text.isEmpty
            case .dictionary?:
                says = try !archive.members(value).isEmpty || archive.text(value)?.isEmpty == false
            default: says = true
            }
            if says {
                notice(
                    place,
                    "what its '\(name)' says is not known, and is passed over; if stores of the model are "
                        + "refused, save it in a newer Xcode first")
            }
        }
    }

    private func propertyName(_ object: KeyedArchive.Object, of entity: String) throws(FormatError) -> String
    {
        guard let name = archive.text(object.values["_name"]) else {
            throw .damagedPropertyList(reason: "a property of '\(entity)' lacks its name")
        }
        return name
    }

    /// The name of an entity; `nil` for anything else.
    private func name(of value: PropertyListValue?) -> String? {
        guard let object = archive.object(value), object.className == Self.entityClass else { return nil }
        return archive.text(object.values["_name"])
    }

    private func userInfo(_ value: PropertyListValue?) throws(FormatError) -> [String: String] {
        var userInfo: [String: String] = [:]
        for (key, value) in try archive.entries(value) { userInfo[key] = archive.text(value) }
        return userInfo
    }

    private func flag(_ value: PropertyListValue?) -> Bool {
        switch archive.value(value) {
        case .boolean(let flag)?: flag
        case .integer(let number)?: number != 0
        default: false
        }
    }

    private func count(_ value: PropertyListValue?) -> Int? {
        archive.value(value)?.integer.flatMap { Int32(exactly: $0) }.map { Int($0) }
    }

    private func notice(_ place: String, _ reason: String) {
        let kind = place.contains(".") ? "property" : "entity"
        let location = TextLocation(file: path, line: 1, column: 1, element: "\(kind) '\(place)'")
        notices.add(ModelWarning(place: location, reason: reason))
    }
}

/// Values by name, of which is known which ones were asked for.
private struct NamedValues {
    var all: [String: PropertyListValue] = [:]

    mutating func take(_ name: String) -> PropertyListValue? { all.removeValue(forKey: name) }

    mutating func ignore(_ name: String) { all[name] = nil }
}
