import CofferModel

/// Turns the XML of one model version into definitions.
///
/// What is wrong and changes no data is told in `notices`; all else that is wrong is an error.
struct ModelReader {
    let file: String
    let notices = ModelNotices()

    func model(from root: XMLElement) throws(FormatError) -> ManagedObjectModel {
        guard root.name == "model" else { throw error(root, "a 'model' is expected") }
        let composites = Dictionary(
            root.children(named: "composite").compactMap { element in element["name"].map { ($0, element) } },
            uniquingKeysWith: { first, _ in first })
        var entities: [EntityDefinition] = []
        for element in root.children(named: "entity") { entities.append(try entity(element, composites)) }
        let names = Set(entities.map(\.name))
        var configurations: [String: [String]] = [:]
        for element in root.children(named: "configuration") {
            var members: [String] = []
            for member in element.children(named: "memberEntity") {
                let name = try required("name", of: member)
                if names.contains(name) {
                    members.append(name)
                } else {
                    notices.add(member, "there is no such entity, so that it is passed over", file: file)
                }
            }
            guard configurations.updateValue(members, forKey: try required("name", of: element)) == nil else {
                throw error(element, "there are two configurations of this name")
            }
        }
        var templates: [FetchRequestTemplate] = []
        var templateNames: Set<String> = []
        for element in root.children(named: "fetchRequest") where isUsable(element, among: names) {
            let template = try template(element)
            if templateNames.insert(template.name).inserted {
                templates.append(template)
            } else {
                notices.add(
                    element, "there is one of this name before, so that it is passed over", file: file)
            }
        }
        leaveOutIdle(from: &entities, root: root)
        leaveOutLostInverses(from: &entities, root: root)
        do {
            return try ManagedObjectModel(
                entities: entities, configurations: configurations,
                versionIdentifiers: root["userDefinedModelVersionIdentifier"].map { [$0] } ?? [],
                fetchRequestTemplates: templates)
        } catch {
            throw .inconsistentModel(path: file, error)
        }
    }
}

extension ModelReader {
    private func entity(
        _ element: XMLElement, _ composites: [String: XMLElement]
    ) throws(FormatError) -> EntityDefinition {
        var entity = EntityDefinition(try required("name", of: element))
        entity.superentity = text("parentEntity", of: element)
        entity.isAbstract = try flag("isAbstract", of: element)
        entity.className = text("representedClassName", of: element)
        entity.versionHashModifier = text("versionHashModifier", of: element)
        entity.renamingIdentifier = text("elementID", of: element)
        for child in element.children {
            switch child.name {
            case "attribute":
                let limit = Limits.compositeParts - entity.attributes.count
                entity.attributes += try attributes(child, of: entity.name, composites, limit: limit)
            case "relationship": entity.relationships.append(try relationship(child, of: entity.name))
            case "fetchedProperty":
                if let property = try fetchedProperty(child) { entity.fetchedProperties.append(property) }
            case "fetchIndex":
                if let index = try fetchIndex(child) { entity.indexes.append(index) }
            case "compoundIndexes": entity.indexes += try compoundIndexes(child)
            case "uniquenessConstraints": entity.uniquenessConstraints += try constraints(child)
            case "userInfo": entity.userInfo = userInfo(child)
            default: break  // Of another version of Xcode, or without a place in a definition.
            }
        }
        return entity
    }

    private func relationship(
        _ element: XMLElement, of entity: String
    ) throws(FormatError) -> RelationshipDefinition {
        var relationship = RelationshipDefinition(
            try required("name", of: element, in: entity),
            to: try required("destinationEntity", of: element, in: entity),
            inverse: text("inverseName", of: element), isToMany: try flag("toMany", of: element))
        relationship.isOrdered = try isOrdered(element, relationship)
        relationship.isOptional = try flag("optional", of: element)
        relationship.isTransient = try flag("transient", of: element)
        relationship.minimumCount = try count("minCount", of: element) ?? 0
        if let maximum = try count("maxCount", of: element) { relationship.maximumCount = maximum }
        guard relationship.isToMany || relationship.maximumCount == 1 else {
            throw error(element, "maxCount is not 1, but toMany is not YES", in: entity)
        }
        relationship.deleteRule = try deleteRule(of: element)
        relationship.versionHashModifier = text("versionHashModifier", of: element)
        relationship.renamingIdentifier = text("elementID", of: element)
        for info in element.children(named: "userInfo") { relationship.userInfo = userInfo(info) }
        return relationship
    }

    /// Whether it has an order; Xcode leaves the mark of one that was to-many before.
    private func isOrdered(
        _ element: XMLElement, _ relationship: RelationshipDefinition
    ) throws(FormatError) -> Bool {
        guard try flag("ordered", of: element) else { return false }
        if !relationship.isToMany {
            notices.add(element, "it leads to one object, so that its order is passed over", file: file)
        }
        return relationship.isToMany
    }

    private func template(_ element: XMLElement) throws(FormatError) -> FetchRequestTemplate {
        // What Xcode leaves out is as in a new request.
        func isSet(_ name: String, otherwise: Bool) throws(FormatError) -> Bool {
            element[name] == nil ? otherwise : try flag(name, of: element)
        }
        return FetchRequestTemplate(
            try required("name", of: element), entityName: try required("entity", of: element),
            predicate: text("predicateString", of: element), limit: try count("fetchLimit", of: element) ?? 0,
            includesSubentities: try isSet("includeSubentities", otherwise: true),
            includesPendingChanges: try isSet("includesPendingChanges", otherwise: true),
            returnsDistinctResults: try flag("returnDistinctResults", of: element))
    }

    /// A fetched property, or `nil` if it has no request or one of no entity, which finds nothing.
    private func fetchedProperty(_ element: XMLElement) throws(FormatError) -> FetchedPropertyDefinition? {
        guard let request = element.children(named: "fetchRequest").first,
            text("name", of: request) != nil, text("entity", of: request) != nil
        else {
            notices.add(element, "it has no request of an entity, so that it is passed over", file: file)
            return nil
        }
        var property = FetchedPropertyDefinition(
            try required("name", of: element), request: try template(request))
        for info in element.children(named: "userInfo") { property.userInfo = userInfo(info) }
        return property
    }

    private func deleteRule(of element: XMLElement) throws(FormatError) -> DeleteRule {
        switch element["deletionRule"] {
        case "Nullify": .nullify
        case "Cascade": .cascade
        case "Deny": .deny
        case "No Action", nil: .noAction  // Xcode always writes one; Core Data's own value for none is 0.
        case .some(let rule): throw error(element, "the deletionRule '\(rule)' is unknown")
        }
    }

    /// An index, or `nil` if it is an r-tree or is over an expression, for which a definition has no place.
    private func fetchIndex(_ element: XMLElement) throws(FormatError) -> FetchIndexDefinition? {
        var index = FetchIndexDefinition(try required("name", of: element), elements: [])
        index.partialPredicate = text("partialIndexPredicate", of: element)
        for child in element.children(named: "fetchIndexElement") {
            let isAscending = child["order"] != "descending"
            if child["type"] == "RTree" { index.kind = .rTree }
            if let property = text("property", of: child) {
                index.elements.append(.init(property, isAscending: isAscending))
            } else if let expression = text("expression", of: child) {
                index.elements.append(.init(expression: expression, isAscending: isAscending))
            } else {
                notices.add(
                    child, "it has neither a property nor an expression, so that its index is passed over",
                    file: file)
                return nil
            }
        }
        return index.elements.isEmpty ? nil : index
    }

    /// The indexes of Xcode before 9, which have no names: each is named by its properties.
    private func compoundIndexes(_ element: XMLElement) throws(FormatError) -> [FetchIndexDefinition] {
        var indexes: [FetchIndexDefinition] = []
        for child in element.children(named: "compoundIndex") {
            var properties: [String] = []
            for part in child.children(named: "index") { properties.append(try required("value", of: part)) }
            guard !properties.isEmpty else { continue }
            indexes.append(
                FetchIndexDefinition(
                    properties.joined(separator: "_"), elements: properties.map { .init($0) }))
        }
        return indexes
    }

    private func constraints(_ element: XMLElement) throws(FormatError) -> [[String]] {
        var constraints: [[String]] = []
        for child in element.children(named: "uniquenessConstraint") {
            var names: [String] = []
            for part in child.children(named: "constraint") { names.append(try required("value", of: part)) }
            guard !names.isEmpty else { throw error(child, "it names no attribute") }
            constraints.append(names)
        }
        return constraints
    }

    func userInfo(_ element: XMLElement) -> [String: String] {
        var entries: [String: String] = [:]
        for entry in element.children(named: "entry") {
            guard let key = text("key", of: entry) else { continue }  // One that was never filled in.
            entries[key] = entry["value"] ?? ""
        }
        return entries
    }
}

extension ModelReader {
    /// An attribute's text, or `nil` if it is missing or empty.
    func text(_ name: String, of element: XMLElement) -> String? {
        element[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    func required(_ name: String, of element: XMLElement, in entity: String? = nil) throws(FormatError)
        -> String
    {
        guard let text = text(name, of: element) else {
            throw error(element, "'\(name)' is missing", in: entity)
        }
        return text
    }

    func flag(_ name: String, of element: XMLElement) throws(FormatError) -> Bool {
        switch element[name] {
        case "YES", "true", "1": true
        case "NO", "false", "0", "", nil: false
        case .some(let other): throw error(element, "'\(name)' is '\(other)', neither YES nor NO")
        }
    }

    func count(_ name: String, of element: XMLElement) throws(FormatError) -> Int? {
        guard let text = text(name, of: element) else { return nil }
        guard let number = Int32(text), number >= -1 else {  // Some write -1 for no greatest count.
            throw error(element, "'\(name)' is '\(text)', which is not a count")
        }
        return Int(number)
    }

    func error(_ element: XMLElement, _ reason: String, in entity: String? = nil) -> FormatError {
        let label = element.label + (entity.map { " of entity '\($0)'" } ?? "")
        return .malformed(
            at: TextLocation(file: file, line: element.line, column: element.column, element: label),
            reason: reason)
    }
}
