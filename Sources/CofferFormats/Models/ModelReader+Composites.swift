import CofferModel

extension ModelReader {
    /// An attribute, or the parts of one that is of a composite.
    ///
    /// A part is an attribute of its own, called by the attribute's name, an underscore and its own name; it
    /// may be null if the attribute may or the part itself may. Which columns Core Data keeps composites in
    /// is not known, so a store of its own with one is of another model than this.
    ///
    /// - Throws: `FormatError.malformed` if there is no such composite, one is inside itself, or there are
    ///   more than `limit` parts.
    func attributes(
        _ element: XMLElement, of entity: String, _ composites: [String: XMLElement], limit: Int
    ) throws(FormatError) -> [AttributeDefinition] {
        guard element["attributeType"] == Self.compositeType else {
            return [try attribute(element, of: entity)]
        }
        let parts = try parts(of: element, entity, composites, within: [])
        guard parts.count <= limit else {
            throw error(
                element, "with its parts, there are more than \(Limits.compositeParts) attributes", in: entity
            )
        }
        notices.add(
            element, "it is of a composite, whose parts are attributes here: \(parts.map(\.name).shortList)",
            file: file)
        return parts
    }

    /// What the file has as the type of an attribute of a composite.
    private static let compositeType = "Composite"

    private func parts(
        of element: XMLElement, _ entity: String, _ composites: [String: XMLElement], within outer: [String]
    ) throws(FormatError) -> [AttributeDefinition] {
        let name = try required("name", of: element, in: entity)
        let composite = try required("composite", of: element, in: entity)
        guard let declaration = composites[composite] else {
            throw error(element, "there is no composite '\(composite)'", in: entity)
        }
        guard !outer.contains(composite), outer.count < Limits.compositeDepth else {
            throw error(
                element, "the composite '\(composite)' is inside itself, or too deep in others", in: entity)
        }
        let isOptional = try flag("optional", of: element)
        var parts: [AttributeDefinition] = []
        for part in declaration.children(named: "attribute") {
            let isNested = part["attributeType"] == Self.compositeType
            let inner =
                isNested
                ? try self.parts(of: part, entity, composites, within: outer + [composite])
                : [try attribute(part, of: entity)]
            parts += inner
            guard parts.count <= Limits.compositeParts else {
                throw error(element, "it has more than \(Limits.compositeParts) parts", in: entity)
            }
        }
        for place in parts.indices {
            parts[place].name = "\(name)_\(parts[place].name)"
            if isOptional { parts[place].isOptional = true }
        }
        return parts
    }
}

extension [String] {
    /// The first of some names, for people.
    fileprivate var shortList: String {
        let shown = prefix(5).map { "'\($0)'" }.joined(separator: ", ")
        return count > 5 ? "\(shown) and \(count - 5) more" : shown
    }
}
