import CofferFormats
import CofferModel

extension ModelShow {
    /// Shows what a mapping model says becomes of which objects: a line for each entity mapping, and one for
    /// each property of what it makes.
    func showMapping() throws {
        guard [.table, .json, .csv].contains(chosen) else {
            throw ToolError(
                .usage, "A mapping model has no drawing: leave '--format \(chosen.rawValue)' out.")
        }
        let mapping = try reading.readMapping(file)
        let entities = mapping.entities.filter {
            entity == nil || $0.source == entity || $0.destination == entity
        }
        if entities.isEmpty, let entity {
            throw ToolError(.data, "The mapping model has nothing about an entity '\(entity)'.")
        }
        let printer = printer(["mapping", "property", "kind", "from", "to", "value"])
        for entity in entities {
            var notes = entity.predicate.map { ["where \($0)"] } ?? []
            if let name = entity.policyClassName { notes.append("policy \(name)") }
            try printer.print([
                .text(entity.name), .null, .text("\(entity.kind)"), entity.source.map { .text($0) } ?? .null,
                entity.destination.map { .text($0) } ?? .null,
                notes.isEmpty ? .null : .text(notes.joined(separator: ", ")),
            ])
            for (kind, properties) in [
                ("attribute", entity.attributes), ("relationship", entity.relationships),
            ] {
                for property in properties {
                    try printer.print([
                        .text(entity.name), .text(property.name), .text(kind), .null, .null,
                        property.value.text.map { .text($0) } ?? .null,
                    ])
                }
            }
        }
        try printer.finish()
    }
}

extension MappingModel.Value {
    /// Where the value comes from, for people; `nil` if it has no source.
    fileprivate var text: String? {
        switch self {
        case .automatic: "the property of the same name"
        case .none: nil
        case .expression(let text): text
        case .mapped(nil, let objects): "what became of \(objects)"
        case .mapped(let name?, let objects): "what '\(name)' made of \(objects)"
        case .mappedRelationship(let name, let objects): "what became of '\(name)', \(objects)"
        }
    }
}
