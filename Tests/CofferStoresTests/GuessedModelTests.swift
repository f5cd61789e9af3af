import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import TestSupport
import Testing

/// Stores that keep no model, read by one that their tables tell.
struct GuessedModelTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Item", isAbstract: true,
                attributes: [AttributeDefinition("title", .string, isOptional: true)],
                relationships: [
                    RelationshipDefinition("folder", to: "Folder", inverse: "items"),
                    RelationshipDefinition("related", to: "Item", inverse: "related", isToMany: true),
                ]),
            EntityDefinition(
                "Note", superentity: "Item",
                attributes: [
                    AttributeDefinition("stars", .integer64, isOptional: true),
                    AttributeDefinition("data", .binary, isOptional: true, allowsExternalStorage: true),
                ],
                relationships: [
                    RelationshipDefinition(
                        "tags", to: "Tag", inverse: "notes", isToMany: true, isOrdered: true)
                ]),
            EntityDefinition(
                "Folder", attributes: [AttributeDefinition("made", .date, isOptional: true)],
                relationships: [
                    RelationshipDefinition("items", to: "Item", inverse: "folder", isToMany: true),
                    RelationshipDefinition("cover", to: "Item"),
                    RelationshipDefinition("pins", to: "Tag", isToMany: true),
                ]),
            EntityDefinition(
                "Tag", attributes: [AttributeDefinition("name", .string, isOptional: true)],
                relationships: [
                    RelationshipDefinition("notes", to: "Note", inverse: "tags", isToMany: true)
                ]),
        ])
    }

    /// Lends a folder with a store that has forgotten its model.
    private func withForgetfulStore(_ body: (String) throws -> Void) throws {
        try withTemporaryFolder { path in
            do {
                let file = try StoreFile.open(
                    in: Folder(at: path), fileName: "Test.sqlite", model: StoreModel(model()))
                let connection = try file.makeWriter().connection
                for statement in [
                    "INSERT INTO ZFOLDER(Z_PK, Z_ENT, Z_OPT, ZMADE) VALUES (1, 1, 1, 5.5)",
                    "INSERT INTO ZITEM(Z_PK, Z_ENT, Z_OPT, ZTITLE, ZSTARS, ZFOLDER) VALUES (1, 3, 1, 'a', 3, 1)",
                    "INSERT INTO ZTAG(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (7, 4, 1, 'red')",
                    "INSERT INTO Z_3TAGS(Z_3NOTES, Z_4TAGS, Z_FOK_4TAGS) VALUES (1, 7, 1024)",
                    "DELETE FROM Z_MODELCACHE", "DROP TABLE COFFER_MODEL", "DROP TABLE COFFER_STATE",
                ] { try connection.execute(statement) }
            }
            // As no store of Core Data's has it.
            _ = try Folder(at: path).unlink("Test.sqlite.lock")
            try body(path)
        }
    }

    private func open(_ path: String, _ fill: (inout StoreOptions) -> Void = { _ in }) throws -> StoreFile {
        var options = StoreOptions()
        options.foreignFiles = .read
        fill(&options)
        return try StoreFile.open(
            in: Folder(at: path), fileName: "Test.sqlite", model: nil, options: options)
    }

    @Test func `entities, types and relationships are told by tables, columns and indexes`() throws {
        try withForgetfulStore { path in
            let before = try FolderSnapshot(of: path)
            let file = try open(path)
            #expect(file.isModelGuessed && file.isReadOnly)
            let model = file.model.model
            #expect(Set(model.entities.map(\.name)) == ["Item", "Note", "Folder", "Tag"])
            let item = try #require(model.entity(named: "Item"))
            #expect(model.entity(named: "Note")?.superentityIndex == item.index)
            let types = Dictionary(uniqueKeysWithValues: item.attributes.map { ($0.name, $0.type) })
            #expect(types == ["title": .string, "stars": .integer64, "data": .binary])
            let folder = try #require(model.entity(named: "Folder"))
            #expect(folder.attributes.map(\.type) == [.date])
            #expect(item.relationships.first { $0.name == "folder" }?.destinationIndex == folder.index)
            #expect(folder.relationships.first { $0.name == "cover" }?.destinationIndex == item.index)
            #expect(folder.relationships.first { $0.name == "pins" }?.isToMany == true)
            let tags = try #require(model.entity(named: "Note")?.relationships.first { $0.name == "tags" })
            #expect(tags.isToMany && tags.isOrdered && model.inverse(of: tags)?.name == "notes")
            let related = try #require(item.relationships.first { $0.name == "related" })
            #expect(model.inverse(of: related)?.name == "related")
            #expect(try FolderSnapshot(of: path) == before)
        }
    }

    @Test func `objects are fetched, dumped and inspected by it`() throws {
        try withForgetfulStore { path in
            let file = try open(path)
            let reader = try StoreReader(connection: file.makeReader(), schema: file.schema)
            let fetch = FetchDescription(
                entityName: "Item", predicate: try QueryPredicate(format: "folder.made != nil AND stars == 3")
            )
            #expect(
                try reader.fetch(FetchRequestMessage(store: 1, fetch: fetch)).rows?.rowCount == 1)
            let dump = try StoreDump("Test.sqlite", in: Folder(at: path), entity: "Note", format: .json)
            #expect(dump.isModelGuessed)
            var bytes: [UInt8] = []
            while try dump.write(to: &bytes) {}
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(
                text.contains("\"folder\":\"Folder/p1\"") && text.contains("\"tags\":[\"Tag/p7\"]"), "\(text)"
            )
            let found = try StoreInspector.inspect("Test.sqlite", in: Folder(at: path))
            #expect(found.modelSource == .guessed && found.health.problems == [])
            guard case .refused(let reason) = found.health.writing else { return #expect(Bool(false)) }
            #expect(reason.contains("guessed"))
        }
    }

    @Test func `nobody writes by a guess, and the error says how to`() throws {
        try withForgetfulStore { path in
            for files in [ForeignFiles.refused, .adopted] {
                let error = #expect(throws: StoreError.self) { try open(path) { $0.foreignFiles = files } }
                #expect(error?.reason == "unknown_model", "\(error as Any)")
            }
            #expect(throws: StoreError.self) { try open(path).makeWriter() }
        }
    }

    @Test func `a file that numbers entities in a circle, or twice, tells no model`() throws {
        try withForgetfulStore { path in
            do {
                let connection = try SQLiteConnection(path: path + "/Test.sqlite", mode: .readWrite)
                try connection.execute("UPDATE Z_PRIMARYKEY SET Z_SUPER = 5 - Z_ENT WHERE Z_ENT < 16001")
            }
            let error = #expect(throws: StoreError.self) { try open(path) }
            #expect(error?.reason == "unknown_model", "\(error as Any)")
        }
    }
}

/// What is guessed of stores of Core Data's, compared with the models that they keep.
@Suite(.enabled(if: FixtureFolder.isThere, "the folder of fixtures is absent: set COFFER_FIXTURES"))
struct GuessedModelFixtureTests {
    @Test(arguments: StoreFixtures.all)
    func `the guess reads every object, and says nothing that the store's model denies`(
        fixture: String
    ) throws {
        try withTemporaryFolder { path in
            let name = try StoreFixtures.copy(fixture, to: path)
            let known = try StoreInspector.inspect(name, in: Folder(at: path))
            do {
                let connection = try SQLiteConnection(path: "\(path)/\(name)", mode: .readWrite)
                try connection.execute("DROP TABLE IF EXISTS Z_MODELCACHE")
            }
            let guess = try StoreInspector.inspect(name, in: Folder(at: path))
            #expect(guess.modelSource == .guessed)
            #expect(guess.health.problems == [])
            var options = StoreOptions()
            options.isReadOnly = true
            let file = try StoreFile.open(
                in: Folder(at: path), fileName: name, model: nil, options: options)
            let reader = try StoreReader(connection: file.makeReader(), schema: file.schema)
            for entity in guess.entities {
                var fetch = FetchDescription(entityName: entity.name)
                fetch.includesSubentities = false
                fetch.resultType = .count
                let count = try reader.fetch(FetchRequestMessage(store: 1, fetch: fetch)).count
                #expect(entity.rows == Int(count))
            }
            // The guess is of what the file numbers; a renamed entity has its former name there.
            guard let model = known.model, let guessed = guess.model else { return }
            for entity in guessed.entities {
                guard let own = model.entity(named: entity.name) else { continue }
                let family = model.entities[model.entities[own.rootIndex].familyIndices]
                for relationship in entity.relationships {
                    let real = family.flatMap(\.relationships).filter {
                        $0.name.uppercased() == relationship.name.uppercased()
                    }
                    if real.isEmpty { continue }  // A name with digits behind it.
                    let end = guessed.destination(of: relationship)
                    let fits = real.contains { candidate in
                        let destination = model.destination(of: candidate)
                        return candidate.isToMany == relationship.isToMany
                            && (destination.name == end.name || destination.rootName == end.rootName)
                    }
                    #expect(fits, "\(entity.name).\(relationship.name) to \(end.name)")
                }
            }
        }
    }
}
