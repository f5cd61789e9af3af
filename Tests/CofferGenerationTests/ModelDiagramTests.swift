import CofferFormats
import CofferGeneration
import CofferModel
import TestSupport
import Testing

/// Drawings of models.
struct ModelDiagramTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition("Item", isAbstract: true, attributes: [AttributeDefinition("title", .string)]),
            EntityDefinition(
                "Note", superentity: "Item",
                attributes: [AttributeDefinition("stars", .integer64, isOptional: true)],
                relationships: [
                    RelationshipDefinition("folder", to: "Folder", inverse: "notes"),
                    RelationshipDefinition("next", to: "Note"),
                ]),
            EntityDefinition(
                "Folder",
                relationships: [
                    RelationshipDefinition("notes", to: "Note", inverse: "folder", isToMany: true)
                ]),
        ])
    }

    @Test func `dot has a box for each entity, and each pair of relationships once`() throws {
        let text = try ModelDiagram(of: model()).text(.dot)
        #expect(text.hasPrefix("digraph Model {\n") && text.hasSuffix("}\n"))
        #expect(text.contains("\"Item\" [label=\"{Item|title: String\\l}\", style=dashed];"))
        #expect(text.contains("\"Note\" [label=\"{Note|stars: Integer 64?\\l}\"];"))
        #expect(text.contains("\"Note\" -> \"Item\" [arrowhead=onormal];"))
        #expect(
            text.contains(
                "\"Folder\" -> \"Note\" [label=\"notes / folder\", dir=both, arrowhead=crow, arrowtail=normal];"
            ))
        #expect(
            text.contains(
                "\"Note\" -> \"Note\" [label=\"next\", dir=both, arrowhead=normal, arrowtail=none];"))
        #expect(text.split(separator: "\n").count { $0.contains("->") } == 3)
    }

    @Test func `mermaid has classes, parents and the counts of both ends`() throws {
        let text = try ModelDiagram(of: model()).text(.mermaid)
        #expect(text.hasPrefix("classDiagram\n"))
        #expect(text.contains("  class Note {\n    Integer64? stars\n  }\n"))
        #expect(text.contains("  Item <|-- Note\n"))
        #expect(text.contains("  Folder \"1\" -- \"*\" Note : notes / folder\n"))
        #expect(text.contains("  Note --> \"1\" Note : next\n"))
    }

    @Test func `a picture has boxes that do not overlap, and a line for each relationship`() throws {
        let text = try ModelDiagram(of: model()).text(.svg)
        #expect(text.hasPrefix("<svg xmlns=") && text.hasSuffix("</svg>\n"))
        let boxes = text.split(separator: "\n").compactMap { line -> (ClosedRange<Int>, ClosedRange<Int>)? in
            guard
                let match = line.firstMatch(
                    of: /<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"/),
                let x = Int(match.1), let y = Int(match.2), let width = Int(match.3),
                let height = Int(match.4)
            else { return nil }
            return (x...(x + width), y...(y + height))
        }
        #expect(boxes.count == 3)
        for (place, box) in boxes.enumerated() {
            for other in boxes[(place + 1)...] {
                #expect(!box.0.overlaps(other.0) || !box.1.overlaps(other.1))
            }
        }
        #expect(text.contains(">notes / folder</text>") && text.contains("marker-end=\"url(#parent)\""))
    }

    @Test(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
    func `models of any size are drawn`() throws {
        let path = try FixtureFolder.required() + "/models/loopkit/Model.xcdatamodeld"
        let model = try ModelFile.read(path: path)
        let diagram = ModelDiagram(of: model)
        for entity in model.entities {
            for format in DiagramFormat.allCases { #expect(diagram.text(format).contains(entity.name)) }
        }
        #expect(
            diagram.text(.svg).split(separator: "\n").count { $0.hasPrefix("<rect x=") }
                == model.entities.count)
    }
}
