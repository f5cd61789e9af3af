import CofferFormats
import CofferModel
import FoundationEssentials
import TestSupport
import Testing

@Suite struct ModelCacheTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "Item", isAbstract: true, className: "LibraryItem",
                    attributes: [
                        AttributeDefinition(
                            "title", .string, defaultValue: .string("Ünnamed"), isIndexed: true),
                        AttributeDefinition("length", .integer16, defaultValue: .integer(-3)),
                        AttributeDefinition(
                            "seen", .date, isOptional: true,
                            defaultValue: .date(Date(timeIntervalSinceReferenceDate: 12.5))),
                    ],
                    indexes: [
                        FetchIndexDefinition(
                            "byTitle", elements: [.init("title"), .init("length", isAscending: false)])
                    ], versionHashModifier: "2", userInfo: ["k": "v"]),
                EntityDefinition(
                    "Book", superentity: "Item",
                    attributes: [
                        AttributeDefinition(
                            "cover", .binary, isOptional: true, allowsExternalStorage: true,
                            preservesValueOnDeletion: true),
                        AttributeDefinition(
                            "folded", .string, isOptional: true, derivationExpression: "canonical:(title)"),
                        AttributeDefinition(
                            "pagesCount", .integer64, isOptional: true, derivationExpression: "count:(pages)"),
                        AttributeDefinition(
                            "changed", .date, isOptional: true, derivationExpression: "now()"),
                        AttributeDefinition("isRead", .boolean, defaultValue: .boolean(true)),
                        AttributeDefinition("rating", .double, defaultValue: .double(2)),
                        AttributeDefinition("weight", .float, defaultValue: .float(0.5)),
                        AttributeDefinition("link", .uri, defaultValue: .uri("https://example.org/a")),
                        AttributeDefinition(
                            "mark", .uuid,
                            defaultValue: .uuid(
                                UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255)))),
                        AttributeDefinition("seal", .binary, defaultValue: .binary([0, 1, 255])),
                        AttributeDefinition("price", .decimal, isOptional: true),
                        AttributeDefinition("note", .string, isOptional: true, isTransient: true),
                        AttributeDefinition(
                            "summary", .string, isOptional: true, isTextIndexed: true,
                            versionHashModifier: "s", renamingIdentifier: "abstract"),
                        AttributeDefinition(
                            "shape", .transformable, isOptional: true, transformerName: "Shape"),
                    ],
                    relationships: [
                        RelationshipDefinition(
                            "pages", to: "Page", inverse: "book", isToMany: true, isOrdered: true,
                            minimumCount: 1, maximumCount: 900, deleteRule: .cascade,
                            versionHashModifier: "p"),
                        RelationshipDefinition("sequel", to: "Book", inverse: "sequel", deleteRule: .deny),
                    ], uniquenessConstraints: [["mark"], ["link", "rating"]]),
                EntityDefinition(
                    "Page", attributes: [AttributeDefinition("number", .integer32)],
                    relationships: [
                        RelationshipDefinition("book", to: "Book", inverse: "pages", isOptional: false)
                    ], renamingIdentifier: "Sheet"),
            ], configurations: ["Books": ["Book", "Item"], "Pages": ["Page"]], versionIdentifiers: ["7"])
    }

    private func sorted(_ model: ManagedObjectModel) -> [EntityDefinition] {
        model.entities.map(\.definition).map { entity in
            var entity = entity
            entity.attributes.sort { $0.name < $1.name }
            entity.relationships.sort { $0.name < $1.name }
            return entity
        }
    }

    @Test func `a model comes back as it was`() throws {
        let model = try model()
        let again = try ModelCache.read(ModelCache.content(of: model))
        #expect(sorted(again) == sorted(model))
        #expect(again.configurations == model.configurations)
        #expect(again.versionIdentifiers == ["7"])
        #expect(VersionHashes(of: again) == VersionHashes(of: model))
    }

    @Test func `a content that is no archive of a model is refused`() throws {
        let lists: [PropertyListValue] = [
            .dictionary([:]),
            .dictionary([
                "$archiver": .string("NSKeyedArchiver"), "$top": .dictionary(["root": .reference(9)]),
                "$objects": .array([.string("$null")]),
            ]),
            archive([["$class": 2], ["$classname": "NSArray"]]),
            // Entities that inherit from each other, and from themselves.
            archive([
                ["$class": 2, "NSEntities": 3], ["$classname": "NSManagedObjectModel"],
                ["$class": 6, "NS.objects": [4, 5]],
                ["$class": 7, "NSEntityName": 8, "NSSuperentity": 5],
                ["$class": 7, "NSEntityName": 9, "NSSuperentity": 4], ["$classname": "NSArray"],
                ["$classname": "NSEntityDescription"], "A", "B",
            ]),
        ]
        for list in lists {
            let content = RawDeflate.compress(BinaryPropertyListWriter.bytes(of: list))
            #expect(throws: FormatError.self) { try ModelCache.read(content) }
        }
        #expect(throws: FormatError.self) { try ModelCache.read([]) }
        #expect(throws: FormatError.self) { try ModelCache.read(RawDeflate.compress([1, 2, 3])) }
    }

    @Test(.timeLimit(.minutes(15)))
    func `an archive whose references multiply or go in circles is refused or read in no time`() {
        let model: [String: Any] = ["$class": 2, "NSEntities": 3]
        let classes = ["NSManagedObjectModel", "NSArray", "NSEntityDescription"].map { ["$classname": $0] }
        let circle: [Any] = [model, classes[0], ["$class": 4, "values": 3], classes[1]]
        let entities: [Any] = [
            model, classes[0], ["$class": 4, "NS.objects": [Int](repeating: 5, count: 300_000)], classes[1],
            ["$class": 6, "NSEntityName": 7, "NSProperties": 3], classes[2], "A",
        ]
        let properties: [Any] = [
            model, classes[0], ["$class": 4, "NS.objects": [5]], classes[1],
            ["$class": 6, "NSEntityName": 7, "NSProperties": 8], classes[2], "A",
            ["$class": 4, "NS.objects": [Int](repeating: 9, count: 300_000)],
            ["$class": 10, "NSName": 7], ["$classname": "_NSPropertyDescriptionProxy"],
        ]
        for objects in [circle, entities, properties] {
            let content = RawDeflate.compress(BinaryPropertyListWriter.bytes(of: archive(objects)))
            let model = try? ModelCache.read(content)
            #expect(model?.entities.isEmpty ?? true)
        }
    }

    /// An archive whose first object is its root; numbers are references.
    private func archive(_ objects: [Any]) -> PropertyListValue {
        func value(_ any: Any) -> PropertyListValue {
            switch any {
            case let number as Int: .reference(UInt64(number))
            case let text as String: .string(text)
            case let members as [Any]: .array(members.map(value))
            case let values as [String: Any]: .dictionary(values.mapValues(value))
            default: .null
            }
        }
        return .dictionary([
            "$archiver": .string("NSKeyedArchiver"), "$top": .dictionary(["root": .reference(1)]),
            "$objects": .array([.string("$null")] + objects.map(value)),
        ])
    }

    @Test(arguments: Seed.fresh(2))
    func `an archive whose bytes were changed is refused or read, and never traps`(seed: Seed) throws {
        print("changed archives, seed \(seed)")
        var random = seed.generator()
        let content = ModelCache.content(of: try model())
        let plain = try RawInflate.decompress(content, limit: 1 << 20)
        for _ in 0..<400 {
            var bytes = plain
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            _ = try? ModelCache.read(RawDeflate.compress(bytes))
        }
    }
}
