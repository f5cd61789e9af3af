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
                            "title", .string, defaultValue: .string("Ünnamed"), isIndexed: true,
                            validation: .init(
                                minimum: 3, maximum: 50, regularExpression: "[A-Ü].*",
                                predicates: [
                                    .init(format: "SELF CONTAINS[c] \"a\"", message: "An a is wanted."),
                                    .init(
                                        format: "length > 3 AND NOT (SELF == \"x\" OR SELF != \"y\")",
                                        message: "Odd."),
                                ])),
                        AttributeDefinition(
                            "length", .integer16, defaultValue: .integer(-3),
                            validation: .init(minimum: -3, maximum: 900), userInfo: ["unit": "pages"]),
                        AttributeDefinition(
                            "seen", .date, isOptional: true,
                            defaultValue: .date(Date(timeIntervalSinceReferenceDate: 12.5)),
                            validation: .init(minimum: -0.5, maximum: 86_400)),
                    ],
                    indexes: [
                        FetchIndexDefinition(
                            "byTitle", elements: [.init("title"), .init("length", isAscending: false)]),
                        FetchIndexDefinition(
                            "some", elements: [.init(expression: "entity"), .init("seen")],
                            partialPredicate: "seen != nil"),
                        FetchIndexDefinition("range", elements: [.init("length")], kind: .rTree),
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
                        AttributeDefinition(
                            "rating", .double, defaultValue: .double(2), validation: .init(maximum: 5.5)),
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
                    ],
                    fetchedProperties: [
                        FetchedPropertyDefinition(
                            "alike",
                            request: FetchRequestTemplate(
                                "", entityName: "Book",
                                predicate: "title == $FETCH_SOURCE.title AND rating > 2.5", limit: 3,
                                sortDescriptors: [QuerySort("title", ascending: false)]),
                            userInfo: ["search": "a"])
                    ],
                    indexes: [FetchIndexDefinition("inherited", elements: [.init("title")])],
                    uniquenessConstraints: [["mark"], ["link", "rating"]]),
                EntityDefinition(
                    "Page", attributes: [AttributeDefinition("number", .integer32)],
                    relationships: [
                        RelationshipDefinition("book", to: "Book", inverse: "pages", isOptional: false)
                    ], renamingIdentifier: "Sheet"),
            ], configurations: ["Books": ["Book", "Item"], "Pages": ["Page"]], versionIdentifiers: ["7"],
            fetchRequestTemplates: [
                FetchRequestTemplate("all", entityName: "Page"),
                FetchRequestTemplate("some", entityName: "Book", predicate: "title == $TITLE", limit: 5),
            ])
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
        #expect(again.fetchRequestTemplates == model.fetchRequestTemplates)
        #expect(VersionHashes(of: again) == VersionHashes(of: model))
    }

    @Test func `what has no known archived form is left out, and the rest is there`() throws {
        let model = try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "A",
                    attributes: [
                        AttributeDefinition(
                            "a", .string,
                            validation: .init(
                                minimum: 2, regularExpression: "[a-z]+",
                                predicates: [.init(format: "SELF LIKE \"x\"", message: "No.")]))
                    ],
                    indexes: [
                        FetchIndexDefinition(
                            "odd", elements: [.init("a")], partialPredicate: "a BEGINSWITH \"x\""),
                        FetchIndexDefinition("plain", elements: [.init("a")]),
                    ])
            ],
            fetchRequestTemplates: [
                FetchRequestTemplate("distinct", entityName: "A", returnsDistinctResults: true),
                FetchRequestTemplate("plain", entityName: "A"),
            ])
        let again = try ModelCache.read(ModelCache.content(of: model))
        let entity = try #require(again.entities.first?.definition)
        #expect(entity.attributes[0].validation == .init(minimum: 2, regularExpression: "[a-z]+"))
        #expect(entity.indexes.map(\.name) == ["plain"])
        #expect(again.fetchRequestTemplates.map(\.name) == ["plain"])
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func `a bound that is not a finite number is passed over`(bound: Double) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "A",
                attributes: [
                    AttributeDefinition("a", .double, validation: .init(minimum: 1.5, maximum: bound))
                ])
        ])
        let attribute = try ModelCache.read(ModelCache.content(of: model)).entities.first?.attributes.first
        #expect(attribute?.definition.validation == AttributeValidation(minimum: 1.5))
    }

    @Test func `a content that is not an archive of a model is refused`() throws {
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

    @Test
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

    @Test
    func `an archive of more than a model may have is refused with its size`() {
        func refusal(_ list: PropertyListValue) -> String {
            do throws(FormatError) {
                return "a model of \(try ModelCache.read(content(list)).entities.count) entities"
            } catch { return "\(error)" }
        }
        let tooLarge = "Z_MODELCACHE: The model is too large: "
        #expect(refusal(entities(101, inherit: .inLine)) == "a model of 101 entities")
        #expect(
            refusal(entities(1_999, inherit: .inLine))
                == tooLarge + "E101 inherits over 101 levels, 100 are allowed.")
        let many = "51000 properties in 51 entities, 50000 are allowed."
        #expect(refusal(entities(2_000, inherit: .not, properties: 1_000)) == tooLarge + many)
        #expect(refusal(entities(300, inherit: .inLine, properties: 1_000)) == tooLarge + many)
        #expect(
            refusal(entities(51, inherit: .fromFirst, properties: 1_000, areRepeated: false))
                == tooLarge + many)
        #expect(
            refusal(entities(1, inherit: .not, properties: 1_001))
                == tooLarge + "1001 properties in entity E0, 1000 are allowed.")
        #expect(refusal(entities(2_001, inherit: .not)) == tooLarge + "2001 entities, 2000 are allowed.")
    }

    @Test(arguments: ["NSUniqueTuples", "NSFetchIndexDescriptions"])
    func `lists in lists are refused before they are followed`(key: String) {
        let count = 150_000
        let list = archive([
            ["$class": 2, "NSEntities": 3], ["$classname": "NSManagedObjectModel"],
            ["$class": 4, "NS.objects": [5]], ["$classname": "NSArray"],
            ["$class": 6, "NSEntityName": 7, key: 8], ["$classname": "NSEntityDescription"], "A",
            ["$class": 4, "NS.objects": [Int](repeating: 9, count: count)],
            [
                "$class": 4, "NSIndexName": 7, "NSIndexElements": 9,
                "NS.objects": [Int](repeating: 7, count: count),
            ] as [String: Any],
        ])
        #expect(
            throws: FormatError.damagedPropertyList(
                reason: "its lists, as often as they are named, have more than 200000 members")
        ) { try ModelCache.read(content(list)) }
    }

    @Test func `a long text that many entities share is counted in each`() throws {
        let text = String(repeating: "x", count: 1 << 20)
        func list(_ count: Int) -> PropertyListValue { entities(count, inherit: .not, modifier: text) }
        #expect(try ModelCache.read(content(list(15))).entities.count == 15)
        #expect(
            throws: FormatError.damagedPropertyList(
                reason: "its texts, as often as they are named, have more than 16777216 bytes")
        ) { try ModelCache.read(content(list(17))) }
    }

    @Test
    func `long texts that are named again and again are neither compared nor hashed as often`() {
        let text = String(repeating: "x", count: 1 << 20)
        let again = (0..<100_000).map { 9 + $0 % 2 }
        let configurations: [Any] = [
            ["$class": 2, "NSEntities": 3, "NSConfigurations": 5] as [String: Any],
            ["$classname": "NSManagedObjectModel"], ["$class": 4, "NS.objects": [Int]()] as [String: Any],
            ["$classname": "NSArray"],
            ["$class": 6, "NS.keys": [7], "NS.objects": [8]] as [String: Any],
            ["$classname": "NSDictionary"], "Default", ["$class": 4, "NS.objects": again] as [String: Any],
            text + "y", text + "z",
        ]
        let keys: [Any] = [
            ["$class": 2, "NSEntities": 3], ["$classname": "NSManagedObjectModel"],
            ["$class": 4, "NS.objects": [5]], ["$classname": "NSArray"],
            ["$class": 6, "NSEntityName": 7, "NSUserInfo": 8], ["$classname": "NSEntityDescription"], "A",
            ["$class": 4, "NS.keys": again, "NS.objects": again], text + "y", text + "z",
        ]
        for objects in [configurations, keys] {
            #expect(
                throws: FormatError.damagedPropertyList(
                    reason: "its texts, as often as they are named, have more than 16777216 bytes")
            ) { try ModelCache.read(content(archive(objects))) }
        }
    }

    private enum Inheritance { case not, inLine, fromFirst }

    /// An archive of entities of which all, or only the first, have one list of properties.
    private func entities(
        _ count: Int, inherit: Inheritance, properties: Int = 0, areRepeated: Bool = true,
        modifier: String = ""
    ) -> PropertyListValue {
        let first = 9 + properties
        var objects: [Any] = [
            ["$class": 2, "NSEntities": 3], ["$classname": "NSManagedObjectModel"],
            ["$class": 4, "NS.objects": (0..<count).map { first + $0 }], ["$classname": "NSArray"],
            ["$classname": "NSEntityDescription"], ["$classname": "NSAttributeDescription"],
            ["$class": 4, "NS.objects": (0..<properties).map { 9 + $0 }], modifier,
        ]
        for number in 0..<properties {
            objects.append(["$class": 6, "NSPropertyName": "p\(number)", "NSAttributeType": Int64(100)])
        }
        for number in 0..<count {
            var entity: [String: Any] = [
                "$class": 5, "NSEntityName": "E\(number)", "NSVersionHashModifier": 8,
            ]
            if number == 0 || areRepeated { entity["NSProperties"] = 7 }
            switch inherit {
            case .not: break
            case .inLine: if number > 0 { entity["NSSuperentity"] = first + number - 1 }
            case .fromFirst: if number > 0 { entity["NSSuperentity"] = first }
            }
            objects.append(entity)
        }
        return archive(objects)
    }

    private func content(_ list: PropertyListValue) -> [UInt8] {
        RawDeflate.compress(BinaryPropertyListWriter.bytes(of: list))
    }

    /// An archive whose first object is its root; numbers are references.
    private func archive(_ objects: [Any]) -> PropertyListValue {
        func value(_ any: Any) -> PropertyListValue {
            switch any {
            case let number as Int: .reference(UInt64(number))
            case let number as Int64: .integer(number)
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

    @Test(arguments: Seed.several(2))
    func `an archive whose bytes were changed is refused or read, and never traps`(seed: Seed) throws {
        print("changed archives, seed \(seed)")
        var random = seed.generator()
        let content = ModelCache.content(of: try model())
        let plain = try RawDeflate.decompress(content, limit: 1 << 20)
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
