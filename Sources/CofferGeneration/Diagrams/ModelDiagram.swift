package import CofferModel

/// How a model is drawn.
package enum DiagramFormat: String, Sendable, CaseIterable {
    /// The language of Graphviz.
    case dot
    /// A class diagram of Mermaid, as many readers of Markdown draw it.
    case mermaid
    /// A picture, laid out simply.
    case svg
}

/// Draws entities as boxes with their own attributes, and inheritance and relationships as lines.
package struct ModelDiagram {
    /// A line between two boxes: a pair of relationships, or one without inverse.
    struct Link {
        let from: String
        let to: String
        /// The names of both, the one that leads from `from` first.
        let label: String
        let isToMany: Bool
        /// Whether the other end leads to any number of objects; `nil` if there is no inverse.
        let isBackToMany: Bool?
    }

    let entities: [EntityDescription]
    let links: [Link]
    /// Names of entities, with that of their parent.
    let parents: [(child: String, parent: String)]

    /// A drawing of a model, or of those entities of it that `isIncluded` takes.
    package init(of model: ManagedObjectModel, where isIncluded: (EntityDescription) -> Bool = { _ in true })
    {
        entities = model.entities.filter(isIncluded)
        let names = Set(entities.map(\.name))
        var links: [Link] = []
        var parents: [(child: String, parent: String)] = []
        for entity in entities {
            if let parent = entity.superentityIndex.map({ model.entities[$0].name }), names.contains(parent) {
                parents.append((entity.name, parent))
            }
            for relationship in entity.relationships where relationship.declaringEntityIndex == entity.index {
                let destination = model.destination(of: relationship)
                guard names.contains(destination.name) else { continue }
                let inverse = model.inverse(of: relationship)
                if let inverse {
                    let own = (entity.index, relationship.index)
                    // Each pair once; of one entity's own, the first.
                    guard own <= (inverse.declaringEntityIndex, inverse.index) else { continue }
                }
                let isOwnInverse = inverse.map { $0.name == relationship.name } ?? true
                links.append(
                    Link(
                        from: entity.name, to: destination.name,
                        label: relationship.name + (isOwnInverse ? "" : " / \(inverse?.name ?? "")"),
                        isToMany: relationship.isToMany, isBackToMany: inverse?.isToMany))
            }
        }
        (self.links, self.parents) = (links, parents)
    }

    /// The drawing as text.
    package func text(_ format: DiagramFormat) -> String {
        switch format {
        case .dot: dot
        case .mermaid: mermaid
        case .svg: DiagramPicture(self).text
        }
    }

    /// What stands in the box of an entity below its name.
    func lines(of entity: EntityDescription) -> [String] {
        entity.attributes.filter { $0.declaringEntityIndex == entity.index }.map { attribute in
            "\(attribute.name): \(attribute.type.name)\(attribute.isOptional ? "?" : "")"
        }
    }
}

extension ModelDiagram {
    private var dot: String {
        var text =
            "digraph Model {\n  rankdir=LR;\n  node [shape=record, fontname=\"Helvetica\", fontsize=10];\n"
        text += "  edge [fontname=\"Helvetica\", fontsize=9];\n"
        for entity in entities {
            let lines = lines(of: entity).map { $0 + "\\l" }.joined()
            let style = entity.isAbstract ? ", style=dashed" : ""
            text += "  \"\(entity.name)\" [label=\"{\(entity.name)|\(lines)}\"\(style)];\n"
        }
        for (child, parent) in parents { text += "  \"\(child)\" -> \"\(parent)\" [arrowhead=onormal];\n" }
        for link in links {
            let head = link.isToMany ? "crow" : "normal"
            let tail = link.isBackToMany.map { $0 ? "crow" : "normal" } ?? "none"
            text +=
                "  \"\(link.from)\" -> \"\(link.to)\" "
                + "[label=\"\(link.label)\", dir=both, arrowhead=\(head), arrowtail=\(tail)];\n"
        }
        return text + "}\n"
    }

    private var mermaid: String {
        var text = "classDiagram\n"
        for entity in entities {
            text += "  class \(entity.name) {\n"
            if entity.isAbstract { text += "    <<abstract>>\n" }
            for attribute in entity.attributes where attribute.declaringEntityIndex == entity.index {
                let type = attribute.type.name.filter { $0 != " " }
                text += "    \(type)\(attribute.isOptional ? "?" : "") \(attribute.name)\n"
            }
            text += "  }\n"
        }
        for (child, parent) in parents { text += "  \(parent) <|-- \(child)\n" }
        for link in links {
            let back = link.isBackToMany.map { $0 ? " \"*\"" : " \"1\"" } ?? ""
            text +=
                "  \(link.from)\(back) \(link.isBackToMany == nil ? "-->" : "--") "
                + "\"\(link.isToMany ? "*" : "1")\" \(link.to) : \(link.label)\n"
        }
        return text
    }
}
