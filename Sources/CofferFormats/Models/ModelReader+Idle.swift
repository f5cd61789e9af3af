import CofferModel

extension ModelReader {
    /// Whether a request is of an entity that exists; one of none finds nothing.
    func isUsable(_ element: XMLElement, among names: Set<String>) -> Bool {
        guard text("name", of: element) != nil else { return true }  // An error elsewhere.
        if let entity = text("entity", of: element), names.contains(entity) { return true }
        notices.add(element, "it is of no entity of the model, so that it is passed over", file: file)
        return false
    }

    /// Leaves out indexes and fetched properties that cannot be, since they keep no data: an index over what
    /// has no column, a request of an entity that does not exist.
    func leaveOutIdle(from entities: inout [EntityDefinition], root: XMLElement) {
        let elements = Dictionary(
            root.children(named: "entity").compactMap { element in element["name"].map { ($0, element) } },
            uniquingKeysWith: { first, _ in first })
        let columns = DeclaredColumns(of: entities)
        for place in entities.indices {
            let entity = entities[place]
            guard let element = elements[entity.name] else { continue }
            entities[place].indexes.removeAll { index in
                let isUsable = index.elements.allSatisfy {
                    $0.expression != nil || columns.contains($0.property, of: entity.name)
                }
                if isUsable { return false }
                notices.add(
                    element, "its index '\(index.name)' is over what has no column, and is passed over",
                    file: file)
                return true
            }
            entities[place].fetchedProperties.removeAll { property in
                if elements[property.request.entityName] != nil { return false }
                notices.add(
                    element, "its fetched property '\(property.name)' is of no entity, and is passed over",
                    file: file)
                return true
            }
            entities[place].indexes = uniquelyNamed(entities[place].indexes)
        }
    }

    /// Leaves out inverses that do not lead back.
    func leaveOutLostInverses(from entities: inout [EntityDefinition], root: XMLElement) {
        let lost = LostInverses.leaveOut(from: &entities)
        if lost.isEmpty { return }
        var elements: [String: [String: XMLElement]] = [:]
        for entity in root.children(named: "entity") {
            for element in entity.children(named: "relationship") {
                if let owner = entity["name"], let name = element["name"] {
                    elements[owner, default: [:]][name] = element
                }
            }
        }
        for relationship in lost {
            let element = elements[relationship.entity]?[relationship.name] ?? root
            notices.add(element, relationship.notice, file: file)
        }
    }

    /// The indexes under names of which each is there once; equal ones are there once.
    ///
    /// SQLite knows no case in names. What the file gives two of is numbered, past all names that it gives.
    private func uniquelyNamed(_ indexes: [FetchIndexDefinition]) -> [FetchIndexDefinition] {
        var taken = Set(indexes.map { $0.name.lowercased() })
        var counts: [String: Int] = [:]
        var known: Set<FetchIndexDefinition> = []
        var result: [FetchIndexDefinition] = []
        for var index in indexes where known.insert(index).inserted {
            let name = index.name.lowercased()
            if var count = counts[name] {
                repeat { count += 1 } while !taken.insert("\(name)_\(count)").inserted
                counts[name] = count
                index.name += "_\(count)"
            } else {
                counts[name] = 1
            }
            result.append(index)
        }
        return result
    }
}

/// The names of what entities have columns of, by the entities that declare it.
struct DeclaredColumns {
    private let names: [String: Set<String>]
    private let parents: [String: String]

    init(of entities: [EntityDefinition]) {
        var names: [String: Set<String>] = [:]
        var parents: [String: String] = [:]
        for entity in entities where names[entity.name] == nil {
            names[entity.name] = Set(
                entity.attributes.filter { !$0.isTransient }.map(\.name)
                    + entity.relationships.filter { !$0.isToMany && !$0.isTransient }.map(\.name))
            parents[entity.name] = entity.superentity
        }
        self.names = names
        self.parents = parents
    }

    /// Whether an entity has a column of a property, be it inherited.
    func contains(_ property: String, of entity: String) -> Bool {
        var next: String? = entity
        var levels = 0
        // Longer lines, as those in a circle, are refused when the entities are joined.
        while let current = next, levels <= CofferModel.Limits.inheritance {
            if names[current]?.contains(property) == true { return true }
            next = parents[current]
            levels += 1
        }
        return false
    }
}
