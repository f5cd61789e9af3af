/// What stands in a mapping model of Xcode's that the reader passes over.
enum MappingWarnings {
    /// What objects of a kind have.
    private struct Kind {
        let label: String
        let attributes: Set<String>
        let relationships: Set<String>
    }

    private static let property: Set = [
        "name", "autogenerateexpression", "sourcekeypath", "sourcemappingname", "valueexpressiondata",
    ]

    private static let kinds: [String: Kind] = [
        "XDDEVMAPPINGMODEL": Kind(
            label: "the mapping model",
            attributes: [
                "sourcemodelpath", "sourcemodeldata", "destinationmodelpath", "destinationmodeldata",
            ], relationships: ["entitymappings"]),
        "XDDEVENTITYMAPPING": Kind(
            label: "the entity mapping",
            attributes: [
                "name", "mappingtypename", "mappingnumber", "sourcename", "destinationname",
                "migrationpolicyclassname", "sourcefilterpredicatestring", "autogenerateexpression",
                "userinfodata",
            ], relationships: ["mappingmodel", "attributemappings", "relationshipmappings"]),
        "XDDEVATTRIBUTEMAPPING": Kind(
            label: "the attribute mapping", attributes: property, relationships: ["entitymapping"]),
        "XDDEVRELATIONSHIPMAPPING": Kind(
            label: "the relationship mapping", attributes: property, relationships: ["entitymapping"]),
    ]

    /// All warnings about a document, in the order of their places.
    static func of(_ root: XMLElement, file: String) -> [ModelWarning] {
        root.children.filter { $0.name == "object" }.flatMap { object in
            let type = object["type"] ?? ""
            guard let kind = kinds[type.uppercased()] else {
                return [
                    warning(
                        at: object, in: file, "objects of the kind '\(type)'", type, among: Set(kinds.keys))
                ]
            }
            let name = object.children.first { ["name", "sourcename"].contains($0["name"] ?? "") }?.text
            let label = [kind.label, name.map { "'\($0)'" }].compactMap(\.self).joined(separator: " ")
            return object.children.compactMap { child in
                let known = child.name == "relationship" ? kind.relationships : kind.attributes
                guard let name = child["name"], !known.contains(name) else { return nil }
                return warning(
                    at: child, in: file, "the \(child.name) '\(name)' of \(label)", name, among: known)
            }
        }
    }

    private static func warning(
        at element: XMLElement, in file: String, _ subject: String, _ name: String, among known: Set<String>
    ) -> ModelWarning {
        let text = "\(subject): not known here, and passed over"
        let place = TextLocation(file: file, line: element.line, column: element.column)
        return ModelWarning(
            place: place, reason: name.nearest(among: known).map { "\(text); did you mean '\($0)'?" } ?? text)
    }
}
