/// Joins definitions into descriptions: numbers entities, lets properties inherit, finds inverses.
struct ModelAssembly {
    private let definitions: [String: EntityDefinition]
    private let children: [String: [String]]
    /// Entity names in the order of their numbers.
    private let order: [String]
    private let indices: [String: Int]

    init(_ list: [EntityDefinition]) throws(ModelError) {
        try ModelSize.check(entities: list.count)
        var definitions: [String: EntityDefinition] = [:]
        for definition in list {
            try Self.check(name: definition.name, in: "the model")
            guard definitions.updateValue(definition, forKey: definition.name) == nil else {
                throw .duplicateName(definition.name, in: "the model")
            }
        }
        var children: [String: [String]] = [:]
        for definition in list {
            guard let parent = definition.superentity else { continue }
            guard definitions[parent] != nil else {
                throw .unknownEntity(parent, in: "entity \(definition.name)")
            }
            children[parent, default: []].append(definition.name)
        }
        self.definitions = definitions
        self.children = children.mapValues { $0.sorted() }
        var order: [String] = []
        let roots = list.filter { $0.superentity == nil }.map(\.name).sorted()
        var waiting = roots.reversed().map { (name: $0, levels: 0) }
        while let (name, levels) = waiting.popLast() {
            try ModelSize.check(levels: levels, above: name)
            order.append(name)
            waiting.append(contentsOf: (self.children[name] ?? []).reversed().map { ($0, levels + 1) })
        }
        let reached = Set(order)
        if let lost = list.first(where: { !reached.contains($0.name) }) {
            throw .circularInheritance(entity: lost.name)  // Not reached from any root.
        }
        self.order = order
        indices = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    }

    /// The descriptions, in the order of the entities' numbers.
    func descriptions() throws(ModelError) -> [EntityDescription] {
        let layouts = try propertyLayouts()
        let familyCounts = familyCounts()
        var result: [EntityDescription] = []
        for (index, name) in order.enumerated() {
            guard let definition = definitions[name] else { continue }
            let root = root(of: name)
            var properties: [PropertyDescription] = []
            for slot in layouts[index].slots {
                properties.append(try description(of: slot, at: properties.count, layouts: layouts))
            }
            try check(definition, properties)
            result.append(
                EntityDescription(
                    definition: definition, index: index,
                    superentityIndex: definition.superentity.flatMap { indices[$0] },
                    subentityIndices: (children[name] ?? []).compactMap { indices[$0] },
                    rootIndex: indices[root] ?? index,
                    rootName: root, familyIndices: index..<(index + familyCounts[index]),
                    properties: properties,
                    fetchedProperties: try fetchedProperties(of: definition, properties, after: result)))
        }
        return result
    }
}

extension ModelAssembly {
    /// One property of an entity before inverses are known.
    private struct Slot {
        var name: String
        var declaringEntity: Int
        var attribute: AttributeDefinition?
        var relationship: RelationshipDefinition?
    }

    /// The properties of an entity.
    private struct Layout {
        var slots: [Slot] = []
        /// Where each of them stands, by name.
        var places: [String: Int] = [:]
        /// How many fetched properties it has besides.
        var fetchedCount = 0
    }

    private func root(of name: String) -> String {
        var current = name
        while let parent = definitions[current]?.superentity { current = parent }
        return current
    }

    /// How many entities each one has in its family, by their numbers.
    private func familyCounts() -> [Int] {
        var counts = [Int](repeating: 1, count: order.count)
        // From the last one on: a family is counted before its parent's.
        for (index, name) in order.enumerated().reversed() {
            guard let parent = definitions[name]?.superentity.flatMap({ indices[$0] }) else { continue }
            counts[parent] += counts[index]
        }
        return counts
    }

    /// Each entity's properties: inherited ones first, then its own by name.
    private func propertyLayouts() throws(ModelError) -> [Layout] {
        var layouts: [Layout] = []
        var size = ModelSize()
        for (index, name) in order.enumerated() {
            guard let definition = definitions[name] else { continue }
            var layout = definition.superentity.flatMap { indices[$0] }.map { layouts[$0] } ?? Layout()
            let own =
                definition.attributes.map { Slot(name: $0.name, declaringEntity: index, attribute: $0) }
                + definition.relationships.map {
                    Slot(name: $0.name, declaringEntity: index, relationship: $0)
                }
            layout.fetchedCount += definition.fetchedProperties.count
            try size.add(name, properties: layout.slots.count + own.count + layout.fetchedCount)
            for slot in own.sorted(by: { $0.name < $1.name }) {
                try Self.check(name: slot.name, in: "entity \(name)")
                guard layout.places.updateValue(layout.slots.count, forKey: slot.name) == nil else {
                    throw .duplicateName(slot.name, in: "entity \(name)")
                }
                layout.slots.append(slot)
            }
            layouts.append(layout)
        }
        return layouts
    }

    private func description(
        of slot: Slot, at index: Int, layouts: [Layout]
    ) throws(ModelError) -> PropertyDescription {
        if let attribute = slot.attribute {
            return .attribute(
                AttributeDescription(
                    index: index, declaringEntityIndex: slot.declaringEntity, definition: attribute))
        }
        guard let relationship = slot.relationship else { throw .unknownProperty(slot.name, in: "the model") }
        let entity = order[slot.declaringEntity]
        guard let destination = indices[relationship.destination] else {
            throw .unknownEntity(relationship.destination, in: "\(entity).\(relationship.name)")
        }
        var inverseIndex: Int?
        if let inverse = relationship.inverse {
            guard let place = layouts[destination].places[inverse],
                let back = layouts[destination].slots[place].relationship
            else {
                throw .unknownProperty(
                    "\(relationship.destination).\(inverse)", in: "\(entity).\(relationship.name)")
            }
            guard back.inverse == relationship.name, leads(back, to: entity) else {
                throw .inverseMismatch(entity: entity, relationship: relationship.name, inverse: inverse)
            }
            inverseIndex = place
        }
        return .relationship(
            RelationshipDescription(
                index: index, declaringEntityIndex: slot.declaringEntity, destinationIndex: destination,
                inverseIndex: inverseIndex, definition: relationship))
    }

    /// Whether the destination of `relationship` is `entity` or of its tree.
    private func leads(_ relationship: RelationshipDefinition, to entity: String) -> Bool {
        guard definitions[relationship.destination] != nil else { return false }
        return root(of: relationship.destination) == root(of: entity)
    }

    /// An entity's fetched properties, those it inherits first, which `descriptions` have.
    private func fetchedProperties(
        of definition: EntityDefinition, _ properties: [PropertyDescription],
        after descriptions: [EntityDescription]
    ) throws(ModelError) -> [FetchedPropertyDefinition] {
        let parent = definition.superentity.flatMap { indices[$0] }
        var fetched = parent.map { descriptions[$0].fetchedProperties } ?? []
        var names = Set(properties.map(\.name) + fetched.map(\.name))
        for property in definition.fetchedProperties {
            try Self.check(name: property.name, in: "entity \(definition.name)")
            guard names.insert(property.name).inserted else {
                throw .duplicateName(property.name, in: "entity \(definition.name)")
            }
            guard definitions[property.request.entityName] != nil else {
                throw .unknownEntity(
                    property.request.entityName, in: "\(definition.name).\(property.name)")
            }
            fetched.append(property)
        }
        return fetched
    }

    private func check(_ definition: EntityDefinition, _ properties: [PropertyDescription]) throws(ModelError)
    {
        for attribute in definition.attributes where !attribute.defaultValue.fits(attribute.type) {
            throw .defaultValueMismatch(entity: definition.name, attribute: attribute.name)
        }
        for relationship in definition.relationships {
            let fault: String? =
                if relationship.isOrdered && !relationship.isToMany {
                    "only a to-many relationship has an order"
                } else if relationship.maximumCount > 0  // 0 or, in models made in code, -1 is none.
                    && relationship.minimumCount > relationship.maximumCount
                {
                    "its least count is above its greatest"
                } else if relationship.isTransient,
                    relationship.deleteRule == .deny || relationship.deleteRule == .cascade
                {
                    "it is transient, so no store knows which objects its delete rule is about"
                } else { nil }
            if let fault {
                throw .invalidRelationship(
                    entity: definition.name, relationship: relationship.name, reason: fault)
            }
        }
        for attribute in definition.attributes where attribute.isTransient {
            if attribute.derivationExpression == nil { continue }
            throw .invalidDerivation(
                entity: definition.name, attribute: attribute.name,
                reason: "it is transient, and only a store derives values")
        }
        try checkColumns(definition, properties)
    }

    /// Whether uniqueness constraints and indexes name what a store has columns of, by which it keeps them.
    private func checkColumns(
        _ definition: EntityDefinition, _ properties: [PropertyDescription]
    ) throws(ModelError) {
        let present = Dictionary(properties.map { ($0.name, $0) }) { first, _ in first }
        func property(_ name: String, _ place: String) throws(ModelError) -> PropertyDescription {
            guard let property = present[name] else { throw .unknownProperty(name, in: place) }
            if let reason = property.columnLack { throw .withoutColumn(name, in: place, reason: reason) }
            return property
        }
        for constraint in definition.uniquenessConstraints {
            let place = "a uniqueness constraint of \(definition.name)"
            for name in constraint where try property(name, place).attribute?.allowsExternalStorage == true {
                throw .withoutColumn(
                    name, in: place,
                    reason: "its values may be in files, which cannot be compared in the store")
            }
        }
        for index in definition.indexes {
            for element in index.elements where element.expression == nil {
                _ = try property(element.property, "index \(index.name) of \(definition.name)")
            }
        }
    }

    private static func check(name: String, in place: String) throws(ModelError) {
        guard name.isModelName, name.utf8.count <= Limits.nameLength else {
            throw .invalidName(name, in: place)
        }
    }
}

extension PropertyDescription {
    /// Why a store has no column of it; `nil` if it has one.
    fileprivate var columnLack: String? {
        if isTransient { return "it is transient, and not stored" }
        return relationship?.isToMany == true ? "it is a to-many relationship, which has no column" : nil
    }
}
