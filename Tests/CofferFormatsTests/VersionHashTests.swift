import CofferFormats
import CofferModel
import FoundationEssentials
import TestSupport
import Testing

struct VersionHashTests {
    /// All that enters a hash; the values were made with another implementation of the same rules.
    @Test func `all that a store depends on enters the hashes`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Thing", isAbstract: true,
                attributes: [
                    AttributeDefinition("id", .uuid),
                    AttributeDefinition("title", .string, isOptional: true, versionHashModifier: "2"),
                    AttributeDefinition("shown", .string, isTransient: true),
                ],
                relationships: [
                    RelationshipDefinition(
                        "parts", to: "Part", inverse: "owner", isToMany: true, isOrdered: true),
                    RelationshipDefinition("twin", to: "Thing", inverse: "twin"),
                ],
                uniquenessConstraints: [["id", "title"], ["title"]], versionHashModifier: "x"),
            EntityDefinition(
                "Box", superentity: "Thing",
                attributes: [
                    AttributeDefinition(
                        "blob", .binary, isOptional: true, allowsExternalStorage: true,
                        preservesValueOnDeletion: true),
                    AttributeDefinition("partCount", .integer64, derivationExpression: "parts.@count"),
                ]),
            EntityDefinition(
                "Part",
                relationships: [
                    RelationshipDefinition(
                        "owner", to: "Thing", inverse: "parts", isOptional: false, minimumCount: 1)
                ]),
        ])
        let hashes = VersionHashes(of: model)
        #expect(
            hashes.entities.mapValues { Hexadecimal.text($0) } == [
                "Thing": "6e147778b5b3cc1302e33fa5e23f3e1f02aebbd460410665e064835b450129b5",
                "Box": "be32a27e2cef64d264dd85dcb41f87df47f149483f95ea6b57e1df31592bf35e",
                "Part": "449862b25b0882d293720ed6f728835126715d8a2ce0d9ba63044c652c7503e3",
            ])
        #expect(
            hashes.digest
                == "8T3HiVloT8Q0o/jZ9jsiTTTT5ElHFZWPDnJhlseK+eh8CZY3CTAQjsSAX7TgT/nM1uQ/gfzquq0rKxRlUtKY8g==")
        #expect(hashes.checksum == "hSD4UJRFSDq280DQNK8n1/HI0UNCTVV6n8ITMBKHUqQ=")
    }

    /// Derived attribute, uniqueness, inheritance and a greatest count of -1, with the hashes that Core Data
    /// 1344 wrote.
    @Test func `a model made in code has the hashes of Core Data`() throws {
        let hashes = VersionHashes(of: try ManagedObjectModel(entities: SampleBooks.entities))
        #expect(
            hashes.entities.mapValues { Hexadecimal.text($0) } == [
                "GraphicNovel": "7073b5a03ae1be6509a5e88664a1a68805503b112176c4cceee9f30fdcdb72cc",
                "Book": "33ac3733a780db28955479ba9f9989cd9acd0ee1dade9b545e4b746751730100",
                "Feedback": "cb46793d66db0168baed7998db3de0d4f69fdedabb160d5f32072175685031cc",
                "Page": "9ee9445f9060dc0ae0737ca930dd312246afc97362869cb5b7875e5bc9899171",
                "Author": "a5af92dcedca236241e01baf51c0e97d806bcc3d28500abc6d03926d7e065b28",
                "Writer": "d54efab5d39cb3f59df8018db5e4cb2912ced49ca0fdebb029a326cd70847b25",
            ])
        #expect(
            hashes.digest
                == "DIs+xLz0MVRR+GdQiDmx7wnmlHlCiw6+VI2n9V1cn7yh5eQUDlUTzt0H2YdeVaf4SGeKDJBO12pOwPgiuko3Xw==")
        #expect(hashes.checksum == "rKAqeFkeBuVpMQIEEEFvBGH45XUJ88ai7Pdmz4VqQkE=")
    }

    @Test func `what a store does not depend on leaves the hashes alone`() throws {
        var entity = EntityDefinition("Note", attributes: [AttributeDefinition("text", .string)])
        let before = VersionHashes(of: try ManagedObjectModel(entities: [entity]))
        entity.className = "Memo"
        entity.userInfo = ["a": "b"]
        entity.renamingIdentifier = "Memo"
        entity.indexes = [FetchIndexDefinition("byText", elements: [.init("text")])]
        entity.attributes[0].defaultValue = .string("x")
        entity.attributes[0].validation.maximum = 3
        entity.attributes[0].isIndexed = true
        entity.attributes[0].renamingIdentifier = "old"
        entity.attributes.append(AttributeDefinition("length", .integer32, isTransient: true))
        #expect(VersionHashes(of: try ManagedObjectModel(entities: [entity])) == before)
        entity.attributes[0].isOptional = true
        #expect(VersionHashes(of: try ManagedObjectModel(entities: [entity])) != before)
    }

    @Test func `a configuration has the hashes of its entities`() throws {
        let model = try ManagedObjectModel(
            entities: [EntityDefinition("A"), EntityDefinition("B"), EntityDefinition("C")],
            configurations: ["Local": ["A", "C"]])
        let all = VersionHashes(of: model)
        let local = try #require(VersionHashes(of: model, configuration: "Local"))
        #expect(local.entities.keys.sorted() == ["A", "C"])
        #expect(local.entities["A"] == all.entities["A"])
        #expect(local.digest != all.digest)
        #expect(VersionHashes(of: model, configuration: "Default") == all)
        #expect(VersionHashes(of: model, configuration: "Cloud") == nil)
    }

    /// Core Data's store of these books has an expression that was written as `pages.@count`.
    @Test(arguments: ["pages.@count", "count:(pages)", "count(pages)", " pages . @count"])
    func `a derived attribute has the hash of the expression that Core Data archives`(text: String) throws {
        var entities = SampleBooks.entities
        for place in entities.indices {
            for attribute in entities[place].attributes.indices
            where entities[place].attributes[attribute].derivationExpression != nil {
                entities[place].attributes[attribute].derivationExpression = text
            }
        }
        let hashes = VersionHashes(of: try ManagedObjectModel(entities: entities))
        #expect(try hashes == VersionHashes(of: ManagedObjectModel(entities: SampleBooks.entities)))
    }

    @Test func `constraints enter a hash sorted, and their names in their own order`() throws {
        func hashes(_ constraints: [[String]], _ rules: VersionHashes.Rules = .current) throws
            -> VersionHashes?
        {
            let attributes = ["a", "b", "c"].map { AttributeDefinition($0, .string) }
            let model = try ManagedObjectModel(entities: [
                EntityDefinition("Note", attributes: attributes, uniquenessConstraints: constraints)
            ])
            return VersionHashes(
                of: model, configuration: ManagedObjectModel.defaultConfiguration, rules: rules)
        }
        let sorted = try hashes([["a", "c"], ["b"]])
        #expect(try hashes([["b"], ["a", "c"]]) == sorted)
        #expect(try hashes([["b"], ["c", "a"]]) != sorted)
        #expect(try hashes([["b"], ["a", "c"]], .declaredConstraints) != sorted)
    }

    @Test func `a sum has one hash in whatever way it is written`() throws {
        func hashes(_ text: String, _ rules: VersionHashes.Rules = .current) throws
            -> VersionHashes?
        {
            let model = try ManagedObjectModel(entities: [
                EntityDefinition(
                    "Book",
                    attributes: [AttributeDefinition("words", .integer64, derivationExpression: text)],
                    relationships: [
                        RelationshipDefinition("pages", to: "Page", inverse: "book", isToMany: true)
                    ]),
                EntityDefinition(
                    "Page", attributes: [AttributeDefinition("words", .integer64)],
                    relationships: [RelationshipDefinition("book", to: "Book", inverse: "pages")]),
            ])
            return VersionHashes(
                of: model, configuration: ManagedObjectModel.defaultConfiguration, rules: rules)
        }
        let archived = try hashes("sum:(pages.words)")
        #expect(try hashes("pages.words.@sum") == archived && hashes("pages.@sum.words") == archived)
        #expect(try hashes("pages.words.@sum", .writtenDerivations) != archived)
    }
}
