extension ModelReader {
    /// What the XML of a model version says for generated code only.
    func codeNotes(from root: XMLElement) throws(FormatError) -> CodeNotes {
        var notes = CodeNotes()
        for element in root.children(named: "entity") {
            notes.entities[try required("name", of: element)] = try codeNotes(ofEntity: element)
        }
        for element in root.children(named: "fetchRequest") {
            let request = try request(element)
            guard notes.entities[request.entity] != nil else {
                throw error(element, "there is no entity '\(request.entity)'")
            }
            guard !notes.requests.contains(where: { $0.name == request.name }) else {
                throw error(element, "there are two fetch requests of this name")
            }
            notes.requests.append(request)
        }
        return notes
    }

    private func codeNotes(ofEntity element: XMLElement) throws(FormatError) -> CodeNotes.Entity {
        var entity = CodeNotes.Entity()
        switch element["codeGenerationType"] {
        case "class": entity.generation = .class
        case "category": entity.generation = .category
        case "none", "manual", "": entity.generation = .manual
        case nil: entity.generation = nil
        case .some(let other): throw error(element, "the codeGenerationType '\(other)' is unknown")
        }
        for child in element.children where child.name == "attribute" || child.name == "relationship" {
            var property = CodeNotes.Property()
            property.isScalar = try flag("usesScalarValueType", of: child)
            property.className = text("customClassName", of: child)
            for info in child.children(named: "userInfo") { property.userInfo = try userInfo(info) }
            entity.properties[try required("name", of: child)] = property
        }
        return entity
    }

    private func request(_ element: XMLElement) throws(FormatError) -> CodeNotes.Request {
        var request = CodeNotes.Request(
            name: try required("name", of: element), entity: try required("entity", of: element))
        request.predicate = text("predicateString", of: element)
        request.limit = try count("fetchLimit", of: element) ?? 0
        // What Xcode leaves out is as in a new request.
        request.includesSubentities = try flag("includeSubentities", of: element, otherwise: true)
        request.includesPendingChanges = try flag("includesPendingChanges", of: element, otherwise: true)
        request.returnsDistinctResults = try flag("returnDistinctResults", of: element)
        return request
    }

    private func flag(_ name: String, of element: XMLElement, otherwise: Bool) throws(FormatError) -> Bool {
        element[name] == nil ? otherwise : try flag(name, of: element)
    }
}
