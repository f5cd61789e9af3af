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
        let columns = columns(of: entities)
        for place in entities.indices {
            let entity = entities[place]
            guard let element = elements[entity.name] else { continue }
            let usable = columns[entity.name] ?? []
            for index in entity.indexes where !index.elements.allSatisfy({ usable.contains($0.property) }) {
                notices.add(
                    element, "its index '\(index.name)' is over what has no column, and is passed over",
                    file: file)
            }
            entities[place].indexes.removeAll { !$0.elements.allSatisfy { usable.contains($0.property) } }
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

    /// The names of what an entity has columns of, inherited ones included.
    private func columns(of entities: [EntityDefinition]) -> [String: Set<String>] {
        let byName = Dictionary(entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var columns: [String: Set<String>] = [:]
        for entity in entities where !entity.indexes.isEmpty {
            var names: Set<String> = []
            var next: EntityDefinition? = entity
            var levels = 0
            // Longer lines, as those in a circle, are refused when the entities are joined.
            while let current = next, levels <= CofferModel.Limits.inheritance {
                names.formUnion(current.attributes.filter { !$0.isTransient }.map(\.name))
                names.formUnion(
                    current.relationships.filter { !$0.isToMany && !$0.isTransient }.map(\.name))
                next = current.superentity.flatMap { byName[$0] }
                levels += 1
            }
            columns[entity.name] = names
        }
        return columns
    }

    /// The indexes under names of which each is there once; equal ones are there once.
    private func uniquelyNamed(_ indexes: [FetchIndexDefinition]) -> [FetchIndexDefinition] {
        var result: [FetchIndexDefinition] = []
        var names: [String: Int] = [:]
        for var index in indexes where !result.contains(index) {
            let count = names[index.name, default: 0] + 1
            names[index.name] = count
            if count > 1 { index.name += "_\(count)" }
            result.append(index)
        }
        return result
    }
}
