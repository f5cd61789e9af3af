import CofferFormats
import CofferModel
import FoundationEssentials
import TestSupport
import Testing

@Suite struct ModelWarningTests {
    private func warnings(_ lines: String...) throws -> [String] {
        let text = "<model>\n" + lines.joined(separator: "\n") + "\n</model>"
        return try ModelFile.warnings(Array(text.utf8), file: "contents").map(\.description)
    }

    @Test func `what is mistyped is told of with its place and the nearest name`() throws {
        let found = try warnings(
            "<entity name='A'>", "  <attribut name='x' attributeType='String'/>",
            "  <attribute name='y' optinal='YES' attributeType='Integer 16' defaultValue='3'/>",
            "  <relationship name='z' destinationEntity='A' deletionRul='Cascade' colour='red'/>",
            "</entity>",
            "<Entity name='B'/>")
        #expect(
            found == [
                "contents:3:3: attribut 'x': the element 'attribut' is not known here, and is passed over; did you mean 'attribute'?",
                "contents:4:3: attribute 'y': the attribute 'optinal' is not known here, and is passed over; did you mean 'optional'?",
                "contents:4:3: attribute 'y': the attribute 'defaultValue' is not known here, and is passed over.",
                "contents:5:3: relationship 'z': the attribute 'deletionRul' is not known here, and is passed over; did you mean 'deletionRule'?",
                "contents:5:3: relationship 'z': the attribute 'colour' is not known here, and is passed over.",
                "contents:7:1: Entity 'B': the element 'Entity' is not known here, and is passed over; did you mean 'entity'?",
            ])
    }

    @Test func `a model without an entity, and orders that are none, are told of`() throws {
        #expect(try warnings("") == ["contents:1:1: model: it has no entity."])
        let index = try warnings(
            "<entity name='A'><attribute name='x' attributeType='String'/><fetchIndex name='i'>",
            "<fetchIndexElement property='x' type='Binary' order='descendng'/></fetchIndex></entity>")
        #expect(index.count == 1 && index[0].contains("'order' is 'descendng'"), "\(index)")
    }

    @Test func `what we write ourselves is known`() throws {
        let text = ModelFile.xml(of: try ManagedObjectModel(entities: SampleBooks.entities))
        #expect(try ModelFile.warnings(Array(text.utf8), file: "contents") == [])
    }

    @Test(.enabled(if: FixtureFolder.isThere))
    func `what Xcode writes is known, in every model`() throws {
        let folder = try FixtureFolder.required()
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".xcdatamodel/contents") }
        try #require(paths.count > 50)
        for path in paths { #expect(try ModelFile.warnings(path: "\(folder)/\(path)") == [], "\(path)") }
    }
}
