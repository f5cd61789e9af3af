import CofferFormats
import CofferModel

/// Makes a `ClassPlan`, entity by entity; superentities come first.
struct ClassPlanning {
    let model: ManagedObjectModel
    private let notes: CodeNotes
    private let options: GenerationOptions
    private let saysWhoWrites: Bool
    private(set) var classNames: [String: String] = [:]
    private(set) var classes: [ClassPlan.Class] = []
    private(set) var types = TypeNames(taken: [])
    /// What names the properties of each class that names any.
    private var names: [String: (type: String, member: String)] = [:]
    /// The names in Swift of all properties of each entity, with the property that has them.
    private var propertyNames: [[String: String]] = []
    /// The names in Swift of all fetched properties of each entity, with the property that has them.
    private var fetchedNames: [[String: String]] = []

    init(_ source: ModelSource, _ options: GenerationOptions) {
        model = source.model
        notes = source.notes
        self.options = options
        saysWhoWrites = source.notes.entities.values.contains { $0.generation != nil }
    }

    /// Gives each entity its class.
    mutating func nameClasses() throws(GenerationError) {
        var owners: [String: String] = [:]
        for entity in model.entities {
            guard let name = className(of: entity) else { continue }
            try check(name, of: entity)
            if let other = owners.updateValue(entity.name, forKey: name) {
                throw .duplicateClass(name, entities: [other, entity.name])
            }
            classNames[entity.name] = name
        }
        types = TypeNames(taken: Set(owners.keys))
    }

    /// Plans the classes that are written.
    mutating func planClasses() throws(GenerationError) {
        for entity in model.entities {
            try nameProperties(of: entity)
            guard let name = classNames[entity.name] else { continue }
            let parent = superclass(of: entity)
            let inherited = parent.flatMap { names[$0.name] }
            guard let kind = kind(of: entity) else {
                names[name] =
                    inherited ?? (
                        "\(SwiftName.declared(name)).Properties", "\(SwiftName.declared(name)).properties"
                    )
                continue
            }
            let added = entity.properties.dropFirst(parent?.entity.properties.count ?? 0)
            let properties = added.map { property($0, of: entity) }
            let known =
                parent.flatMap { parent in classes.first { $0.name == parent.name } }?.allProperties ?? []
            let isRoot = inherited == nil
            if isRoot || !properties.isEmpty {
                let own = SwiftName.declared(name)
                names[name] = (
                    isRoot ? "\(own).Properties" : "\(own).AllProperties",
                    isRoot ? "\(own).properties" : "\(own).AllProperties.names"
                )
            } else {
                names[name] = inherited
            }
            classes.append(
                ClassPlan.Class(
                    entity: entity, name: name, kind: kind, superclass: parent?.name,
                    inheritedNames: inherited,
                    access: try access(of: entity), isFinal: entity.subentityIndices.isEmpty,
                    properties: properties,
                    fetchedProperties: fetchedProperties(of: entity, after: parent?.entity),
                    allProperties: known + properties,
                    documentation: Documentation.lines(of: entity)))
        }
    }
}

extension ClassPlanning {
    private func generation(of entity: EntityDescription) -> CodeNotes.Generation {
        let said = notes.entities[entity.name]?.generation ?? (saysWhoWrites ? .manual : .class)
        return said == .manual && options.includesManualClasses ? .class : said
    }

    /// What is written of the entity's class; `nil` for nothing.
    private func kind(of entity: EntityDescription) -> ClassPlan.Kind? {
        switch generation(of: entity) {
        case .manual: nil
        case .class: .whole
        case .category: .properties
        }
    }

    private func access(of entity: EntityDescription) throws(GenerationError) -> GenerationOptions.Access {
        guard let text = entity.definition.userInfo["coffer.access"] else { return options.access }
        guard let access = GenerationOptions.Access(rawValue: text) else {
            throw .invalidAccess(text, entity: entity.name)
        }
        return access
    }

    /// The class of the entity's objects; `nil` if they are plain managed objects.
    private func className(of entity: EntityDescription) -> String? {
        // The module before the dot is of another machine; a dot alone is Xcode's way to say 'the current
        // one'.
        let named = entity.definition.className?.split(separator: ".").last.map { String($0) }
        if let named, named != "NSManagedObject" { return named }
        return generation(of: entity) == .manual ? nil : entity.name
    }

    private func check(_ name: String, of entity: EntityDescription) throws(GenerationError) {
        let reason: String? =
            if !SwiftName.isIdentifier(name) {
                "a class's name has letters, digits and _ only"
            } else if SwiftName.unreachable.contains(name) || name == "Any" {
                "it means something else in Swift"
            } else if ReservedNames.type.contains(name) || ReservedNames.object.contains(name) {
                "classes of managed objects have a member of that name"
            } else if ReservedNames.modules.contains(name) {
                "a module has that name"
            } else if ReservedNames.local.contains(name) {
                "generated text has another use for that name"
            } else { nil }
        if let reason { throw .invalidTypeName(name, entity: entity.name, reason: reason) }
    }

    /// The next entity above that has a class, and that class.
    private func superclass(of entity: EntityDescription) -> (entity: EntityDescription, name: String)? {
        var next = entity.superentityIndex.map { model.entities[$0] }
        while let candidate = next {
            if let name = classNames[candidate.name] { return (candidate, name) }
            next = candidate.superentityIndex.map { model.entities[$0] }
        }
        return nil
    }

    /// The class that objects of the entity are known to have.
    private func reference(to entity: EntityDescription) -> String {
        knownClass(of: entity) ?? types("ManagedObject")
    }

    /// As `reference(to:)`; `nil` if all that is known is that they are managed objects.
    func knownClass(of entity: EntityDescription) -> String? {
        (classNames[entity.name] ?? superclass(of: entity)?.name).map { SwiftName.declared($0) }
    }
}

extension ClassPlanning {
    /// Gives the entity's own properties their names in Swift; those that it inherits have theirs.
    private mutating func nameProperties(of entity: EntityDescription) throws(GenerationError) {
        var taken: [String: String] = entity.superentityIndex.map { propertyNames[$0] } ?? [:]
        let fetched: [String: String] = entity.superentityIndex.map { fetchedNames[$0] } ?? [:]
        for property in entity.properties.dropFirst(taken.count) {
            let name = swiftName(of: property, in: entity)
            let reason: String? =
                if !SwiftName.isIdentifier(name) {
                    "a property's name has letters, digits and _ only"
                } else if isReserved(name, in: entity) {
                    "its class has another use for that name"
                } else if let other = taken.updateValue(property.name, forKey: name) ?? fetched[name] {
                    "'\(other)' has that name, too"
                } else { nil }
            if let reason {
                throw .invalidPropertyName(name, entity: entity.name, property: property.name, reason: reason)
            }
        }
        propertyNames.append(taken)
        fetchedNames.append(try namesOfFetched(of: entity, taken, fetched))
    }

    /// Whether a property of the entity cannot be called so in Swift.
    func isReserved(_ name: String, in entity: EntityDescription) -> Bool {
        if ReservedNames.property.contains(name) || SwiftName.unreachable.contains(name) { return true }
        // Inherited properties are named by the class that they come from.
        var next = entity.superentityIndex
        while let index = next {
            if classNames[model.entities[index].name] == name { return true }
            next = model.entities[index].superentityIndex
        }
        return false
    }

    private func userInfo(of property: PropertyDescription, in entity: EntityDescription) -> [String: String]
    {
        codeNotes(of: property, in: entity).userInfo
    }

    /// What the file says of a property at the entity that declares it.
    private func codeNotes(of property: PropertyDescription, in entity: EntityDescription)
        -> CodeNotes.Property
    {
        let declaring =
            switch property {
            case .attribute(let attribute): attribute.declaringEntityIndex
            case .relationship(let relationship): relationship.declaringEntityIndex
            }
        return notes.entities[model.entities[declaring].name]?.properties[property.name]
            ?? CodeNotes.Property()
    }

    private func swiftName(of property: PropertyDescription, in entity: EntityDescription) -> String {
        if let name = userInfo(of: property, in: entity)["coffer.name"] { return name }
        guard isReserved(property.name, in: entity) else { return property.name }
        switch property {
        case .attribute:
            // 'hashValue' is taken too.
            let name = property.name + "Value"
            return isReserved(name, in: entity) ? property.name + "Attribute" : name
        case .relationship(let relationship):
            return property.name + (relationship.isToMany ? "Objects" : "Object")
        }
    }

    private func property(_ property: PropertyDescription, of entity: EntityDescription) -> ClassPlan.Property
    {
        let said = codeNotes(of: property, in: entity)
        let shape: ClassPlan.Property.Shape =
            switch property {
            case .attribute(let attribute): .attribute(type: type(of: attribute, said))
            case .relationship(let relationship):
                relationship.isToMany
                    ? .toMany(reference(to: model.destination(of: relationship)))
                    : .toOne(reference(to: model.destination(of: relationship)))
            }
        let name = swiftName(of: property, in: entity)
        return ClassPlan.Property(
            key: property.name, name: name, shape: shape,
            documentation: Documentation.lines(of: property, notes: said, swiftName: name))
    }

    private func type(of attribute: AttributeDescription, _ notes: CodeNotes.Property) -> String {
        let type = notes.userInfo["coffer.type"] ?? types.type(of: attribute.type)
        return attribute.isOptional && !notes.isScalar && !type.hasSuffix("?") ? type + "?" : type
    }
}
