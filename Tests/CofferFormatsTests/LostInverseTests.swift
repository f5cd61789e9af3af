import CofferFormats
import CofferModel
import Testing

/// Models that Xcode's compiler takes with a warning, of each of the forms that are read.
struct LostInverseTests {
    private func read(_ inside: String) throws -> (model: ManagedObjectModel, warnings: [String]) {
        let bytes = Array("<model>\n\(inside)\n</model>".utf8)
        return (
            try ModelFile.read(bytes, file: "contents"),
            try ModelFile.warnings(bytes, file: "contents").map(\.description)
        )
    }

    private func inverses(_ model: ManagedObjectModel) -> [String: String] {
        var found: [String: String] = [:]
        for entity in model.entities {
            for relationship in entity.definition.relationships {
                found["\(entity.name).\(relationship.name)"] = relationship.inverse ?? "none"
            }
        }
        return found
    }

    private static let text =
        "its inverse 'a' does not lead back to it, so that it is read as a relationship without inverse"

    @Test func `an inverse that is that of another relationship is passed over, and told of`() throws {
        let (model, warnings) = try read(
            """
            <entity name='A'><relationship name='b' destinationEntity='B' maxCount='1' inverseName='a'/>
            <relationship name='c' destinationEntity='B' maxCount='1' inverseName='a'/></entity>
            <entity name='B'><relationship name='a' destinationEntity='A' toMany='YES' inverseName='b'/></entity>
            """)
        #expect(inverses(model) == ["A.b": "a", "A.c": "none", "B.a": "b"])
        #expect(warnings == ["contents:3:1: relationship 'c': \(Self.text)."])
    }

    @Test(arguments: [
        "<relationship name='a' destinationEntity='A' maxCount='1'/>",  // It has none.
        "",  // It does not exist.
        "<relationship name='a' destinationEntity='B' maxCount='1' inverseName='b'/>",  // It leads elsewhere.
        "<attribute name='a' attributeType='String'/>",
    ])
    func `an inverse that leads back to nothing is passed over`(back: String) throws {
        let (model, warnings) = try read(
            """
            <entity name='A'><relationship name='b' destinationEntity='B' maxCount='1' inverseName='a'/></entity>
            <entity name='B'>\(back)</entity>
            """)
        #expect(inverses(model)["A.b"] == "none")
        #expect(warnings.first == "contents:2:18: relationship 'b': \(Self.text)." && warnings.count <= 2)
    }

    @Test func `an end whose inverse was passed over has none itself`() throws {
        // The child's end leads to the parent, which has no relationship of that name.
        let (model, warnings) = try read(
            """
            <entity name='P'/><entity name='A' parentEntity='P'>
            <relationship name='b' destinationEntity='B' maxCount='1' inverseName='a'/></entity>
            <entity name='B'><relationship name='a' destinationEntity='P' maxCount='1' inverseName='b'/></entity>
            """)
        #expect(inverses(model) == ["A.b": "none", "B.a": "none"])
        #expect(warnings.count == 2)
    }

    @Test func `inverses of entities that inherit stay`() throws {
        let (model, warnings) = try read(
            """
            <entity name='P'><relationship name='b' destinationEntity='B' maxCount='1' inverseName='a'/></entity>
            <entity name='A' parentEntity='P'/>
            <entity name='B'><relationship name='a' destinationEntity='A' maxCount='1' inverseName='b'/></entity>
            <entity name='S'><relationship name='s' destinationEntity='S' maxCount='1' inverseName='s'/></entity>
            """)
        #expect(inverses(model) == ["P.b": "a", "B.a": "b", "S.s": "s"])
        #expect(warnings == [])
    }

    @Test func `a default that is not a UUID is passed over, and told of`() throws {
        let (model, warnings) = try read(
            "<entity name='A'><attribute name='a' attributeType='UUID' defaultValueString='NO'/></entity>")
        #expect(model.entity(named: "A")?.attributes.first?.defaultValue == .null)
        #expect(
            warnings == ["contents:2:18: attribute 'a': its default 'NO' is not a UUID, and is passed over."])
    }

    /// What a compiler would write, with `change` made to each relationship of a model, which has its name
    /// and those of all objects.
    private func compiled(
        _ model: ManagedObjectModel,
        _ change: (String, inout [String: PropertyListValue], [PropertyListValue]) -> Void
    ) throws -> [UInt8] {
        let bytes = try RawDeflate.decompress(ModelCache.content(of: model), limit: 1 << 20)
        var archive = try #require(try BinaryPropertyListReader.read(bytes).dictionary)
        var objects = try #require(archive["$objects"]?.array)
        for place in objects.indices {
            guard var values = objects[place].dictionary, values["NSDeleteRule"] != nil,
                case .reference(let name)? = values["NSPropertyName"]
            else { continue }
            change(objects[Int(name)].string ?? "", &values, objects)
            objects[place] = .dictionary(values)
        }
        archive["$objects"] = .array(objects)
        return BinaryPropertyListWriter.bytes(of: .dictionary(archive))
    }

    private func pair() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "A",
                relationships: [
                    RelationshipDefinition("b", to: "B", inverse: "a"), RelationshipDefinition("c", to: "B"),
                ]),
            EntityDefinition(
                "B", relationships: [RelationshipDefinition("a", to: "A", inverse: "b", isToMany: true)]),
        ])
    }

    @Test func `a compiled model with the order of a to-one relationship is read, and told of`() throws {
        let bytes = try compiled(pair()) { name, values, _ in
            if name == "c" { values["NSIsOrdered"] = .boolean(true) }
        }
        #expect(try ModelFile.read(bytes, file: "A.mom") == pair())
        #expect(
            try ModelFile.warnings(bytes, file: "A.mom").map(\.description) == [
                "A.mom:1:1: property 'A.c': it leads to one object, so that its order is passed over."
            ])
        #expect(try ModelCache.read(RawDeflate.compress(bytes)) == pair())
    }

    @Test func `a compiled model with an inverse that is not mutual is read, and told of`() throws {
        let bytes = try compiled(pair()) { name, values, objects in
            guard name == "c", let place = objects.firstIndex(of: .string("a")) else { return }
            values["_NSInverseRelationshipName"] = .reference(UInt64(place))
        }
        #expect(try ModelFile.read(bytes, file: "A.mom") == pair())
        #expect(
            try ModelFile.warnings(bytes, file: "A.mom").map(\.description) == [
                "A.mom:1:1: property 'A.c': \(Self.text)."
            ])
        #expect(try ModelCache.read(RawDeflate.compress(bytes)) == pair())
    }
}
