import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Testing

@Suite struct SchemaTests {
    private func statements(_ definitions: [EntityDefinition]) throws -> [String] {
        try SQLSchema(model: ManagedObjectModel(entities: definitions), configuration: "Default")
            .creationStatements
    }

    @Test func `the fixed tables are those of Core Data, letter by letter`() throws {
        let made = try statements([])
        for literal in [
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
            "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
            "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB )",
            "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
            "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
            "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
        ] {
            #expect(made.contains(literal))
        }
    }

    @Test func `a reference to an entity with sub-entities has a second column`() throws {
        let made = try statements([
            EntityDefinition(
                "Page",
                attributes: [
                    AttributeDefinition("number", .integer32), AttributeDefinition("content", .binary),
                    AttributeDefinition("isBookmarked", .boolean),
                ], relationships: [RelationshipDefinition("book", to: "Book", inverse: "pages")]),
            EntityDefinition(
                "Book",
                relationships: [RelationshipDefinition("pages", to: "Page", inverse: "book", isToMany: true)]),
            EntityDefinition("Comic", superentity: "Book"),
        ])
        #expect(
            made.contains(
                "CREATE TABLE ZPAGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISBOOKMARKED INTEGER, ZNUMBER INTEGER, ZBOOK INTEGER, Z1_BOOK INTEGER, ZCONTENT BLOB )"
            ))
        #expect(made.contains("CREATE INDEX ZPAGE_ZBOOK_INDEX ON ZPAGE (ZBOOK)"))
        #expect(made.contains("CREATE INDEX ZBOOK_Z_ENT_INDEX ON ZBOOK (Z_ENT)"))
        #expect(
            made.contains("INSERT INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES(2, 'Comic', 1, 0)"))
    }

    @Test func `a many-to-many table is named by the side with the lower number`() throws {
        let made = try statements([
            EntityDefinition(
                "Album",
                relationships: [
                    RelationshipDefinition("albumLists", to: "List", inverse: "albums", isToMany: true)
                ]),
            EntityDefinition(
                "List",
                relationships: [
                    RelationshipDefinition(
                        "albums", to: "Album", inverse: "albumLists", isToMany: true, isOrdered: true)
                ]),
        ])
        #expect(
            made.contains(
                "CREATE TABLE Z_1ALBUMLISTS ( Z_1ALBUMS INTEGER, Z_2ALBUMLISTS INTEGER, Z_FOK_1ALBUMS INTEGER, PRIMARY KEY (Z_1ALBUMS, Z_2ALBUMLISTS) )"
            ))
        #expect(
            made.contains(
                "CREATE INDEX Z_1ALBUMLISTS_Z_2ALBUMLISTS_INDEX ON Z_1ALBUMLISTS (Z_2ALBUMLISTS, Z_1ALBUMS)"))
    }

    @Test func `entities are numbered by their names without regard to case`() throws {
        let made = try statements([
            EntityDefinition("NWActivity"), EntityDefinition("Network"),
            EntityDefinition("aWire", superentity: "Network"), EntityDefinition("AZ", superentity: "Network"),
        ])
        let numbers = made.filter { $0.contains("INTO Z_PRIMARYKEY") && !$0.contains("(160") }.map {
            String($0.drop { $0 != "'" }.dropFirst().prefix { $0 != "'" })
        }
        #expect(numbers == ["Network", "aWire", "AZ", "NWActivity"])
    }

    /// Columns of the model of Photos: an album has others that inherit from it, a list has not.
    @Test func `a many-to-many table is named by the side that has sub-entities`() throws {
        let made = try statements([
            EntityDefinition(
                "Album",
                relationships: [
                    RelationshipDefinition("tags", to: "Tag", inverse: "albums", isToMany: true)
                ]),
            EntityDefinition(
                "Tag",
                relationships: [
                    RelationshipDefinition("albums", to: "Album", inverse: "tags", isToMany: true)
                ]),
            EntityDefinition("Word", superentity: "Tag"),
        ])
        #expect(
            made.contains(
                "CREATE TABLE Z_2ALBUMS ( Z_2TAGS INTEGER, Z_1ALBUMS INTEGER, PRIMARY KEY (Z_2TAGS, Z_1ALBUMS) )"
            ))
    }

    @Test func `digits of many-to-many columns are counted over the owner's relationships by name`() throws {
        // As in a real store: Z_20USERS (…, Z_24USERS) and Z_16USERS (…, Z_24USERS1).
        let made = try statements([
            EntityDefinition(
                "Message",
                relationships: [
                    RelationshipDefinition("users", to: "User", inverse: "systemMessages", isToMany: true)
                ]),
            EntityDefinition(
                "Reaction",
                relationships: [
                    RelationshipDefinition("users", to: "User", inverse: "reactions", isToMany: true)
                ]),
            EntityDefinition(
                "User",
                relationships: [
                    RelationshipDefinition("reactions", to: "Reaction", inverse: "users", isToMany: true),
                    RelationshipDefinition("systemMessages", to: "Message", inverse: "users", isToMany: true),
                ]),
        ])
        #expect(made.contains { $0.hasPrefix("CREATE TABLE Z_2USERS ( Z_2REACTIONS INTEGER, Z_3USERS INT") })
        #expect(
            made.contains { $0.hasPrefix("CREATE TABLE Z_1USERS ( Z_1SYSTEMMESSAGES INTEGER, Z_3USERS1 INT") }
        )
    }

    @Test func `an attribute with an index of its own has it under its name, and blobs stand by kind`() throws
    {
        let made = try statements([
            EntityDefinition(
                "Note",
                attributes: [
                    AttributeDefinition("a", .binary), AttributeDefinition("b", .transformable),
                    AttributeDefinition("c", .uuid), AttributeDefinition("d", .uri),
                    AttributeDefinition("e", .string, isIndexed: true),
                    AttributeDefinition("f", .string, isIndexed: true),
                ], indexes: [FetchIndexDefinition("byF", elements: [.init("f")])])
        ])
        #expect(
            made.contains(
                "CREATE TABLE ZNOTE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZE VARCHAR, ZF VARCHAR, ZC BLOB, ZD VARCHAR, ZB BLOB, ZA BLOB )"
            ))
        #expect(made.contains("CREATE INDEX Z_Note_e ON ZNOTE (ZE COLLATE BINARY ASC)"))
        #expect(
            made.filter { $0.contains("(ZF ") } == [
                "CREATE INDEX Z_Note_byF ON ZNOTE (ZF COLLATE BINARY ASC)"
            ])
    }

    @Test func `a relationship that is its own inverse has a reflexive column`() throws {
        let made = try statements([
            EntityDefinition(
                "Person",
                relationships: [
                    RelationshipDefinition(
                        "mergeCandidates", to: "Person", inverse: "mergeCandidates", isToMany: true)
                ])
        ])
        #expect(
            made.contains(
                "CREATE TABLE Z_1MERGECANDIDATES ( Z_1MERGECANDIDATES INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1MERGECANDIDATES, REFLEXIVE) )"
            ))
        #expect(
            made.contains(
                "CREATE INDEX Z_1MERGECANDIDATES_REFLEXIVE_INDEX ON Z_1MERGECANDIDATES (REFLEXIVE, Z_1MERGECANDIDATES)"
            ))
    }

    @Test func `siblings with one name get digits, and types stand in their order`() throws {
        let made = try statements([
            EntityDefinition("Item", attributes: [AttributeDefinition("when", .date)]),
            EntityDefinition(
                "Note", superentity: "Item",
                attributes: [AttributeDefinition("text", .string), AttributeDefinition("cost", .decimal)]),
            EntityDefinition(
                "Task", superentity: "Item",
                attributes: [
                    AttributeDefinition("text", .string), AttributeDefinition("done", .boolean),
                    AttributeDefinition("weight", .double), AttributeDefinition("id", .uuid),
                ]),
        ])
        #expect(
            made.contains(
                "CREATE TABLE ZITEM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZDONE INTEGER, ZWHEN TIMESTAMP, ZWEIGHT FLOAT, ZCOST DECIMAL, ZTEXT VARCHAR, ZTEXT1 VARCHAR, ZID BLOB )"
            ))
    }

    @Test func `a configuration keeps the numbers of the whole model`() throws {
        let model = try ManagedObjectModel(
            entities: [
                EntityDefinition(
                    "A", relationships: [RelationshipDefinition("b", to: "B")]),
                EntityDefinition("B"),
            ], configurations: ["Half": ["B"], "Other": ["A"]])
        let schema = try SQLSchema(model: model, configuration: "Half")
        #expect(schema.tables.map(\.name) == ["ZB"])
        #expect(schema.entities[0] == nil)
        #expect(schema.entities[1]?.number == 2)
        let other = try SQLSchema(model: model, configuration: "Other")
        guard case .unsupported = other.entities[0]?.columns[0] else {
            Issue.record("a relationship into another configuration is stored")
            return
        }
        #expect(throws: StoreError.unknownConfiguration("None")) {
            try SQLSchema(model: model, configuration: "None")
        }
    }

    @Test func `entities whose tables would have one name are refused by both names`() throws {
        let model = try ManagedObjectModel(entities: [EntityDefinition("Abc"), EntityDefinition("ABC")])
        do {
            _ = try SQLSchema(model: model, configuration: "Default")
            Issue.record("it was taken")
        } catch {
            #expect(error.detail.code == .invalidArgument)
            #expect(error.description.contains("'Abc'") && error.description.contains("'ABC'"))
        }
    }

    @Test func `a to-many relationship without inverse lies in its members' table`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition("A", relationships: [RelationshipDefinition("bs", to: "B", isToMany: true)]),
            EntityDefinition("B"),
        ])
        let schema = try SQLSchema(model: model, configuration: "Default")
        #expect(
            schema.entities[0]?.columns[0]
                == .toMany(
                    table: "ZB", foreignKey: "Z1BS", foreignEntityColumn: nil, orderColumn: nil,
                    destination: 1))
    }

    /// Makes the tables of a model in a database of their own.
    private func make(_ definitions: [EntityDefinition]) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: ":memory:")
        for statement in try statements(definitions) { try connection.execute(statement) }
        return connection
    }

    @Test func `relationships may have names in any script`() throws {
        _ = try make([
            EntityDefinition(
                "Album",
                relationships: [
                    RelationshipDefinition("größen", to: "Größe", inverse: "альбомы", isToMany: true)
                ]),
            EntityDefinition(
                "Größe",
                relationships: [
                    RelationshipDefinition("альбомы", to: "Album", inverse: "größen", isToMany: true)
                ]),
        ])
    }

    @Test func `indexes of attributes and of models have names that SQLite tells apart`() throws {
        let connection = try make([
            EntityDefinition(
                "Note",
                attributes: [
                    AttributeDefinition("name", .string, isIndexed: true),
                    AttributeDefinition("code", .string),
                    AttributeDefinition("Name", .string, isIndexed: true),
                ],
                indexes: [
                    FetchIndexDefinition("name", elements: [.init("name"), .init("code")])
                ])
        ])
        let names = try connection.prepare(
            "SELECT name FROM sqlite_master WHERE name GLOB 'Z_Note_*' ORDER BY rowid")
        var found: [String] = []
        while try names.step() { found.append(names.text(0)) }
        #expect(found.count == 3 && Set(found.map { $0.lowercased() }).count == 3, "\(found)")
    }
}
