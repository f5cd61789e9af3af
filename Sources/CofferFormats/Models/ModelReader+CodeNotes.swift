extension ModelReader {
    /// What the XML of a model version says for generated code only.
    func codeNotes(from root: XMLElement) throws(FormatError) -> CodeNotes {
        var notes = CodeNotes()
        for element in root.children(named: "entity") {
            notes.entities[try required("name", of: element)] = try codeNotes(ofEntity: element)
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
            for info in child.children(named: "userInfo") { property.userInfo = userInfo(info) }
            entity.properties[try required("name", of: child)] = property
        }
        return entity
    }
}
