import CofferModel
import CofferSQLite
import CofferStores
import CofferWire
import Foundation
import Testing

@Suite struct SaveTests {
    @Test func `inserted rows get keys without gaps, version 1 and their own entity number`() throws {
        try withStore { bench in
            let works = try bench.save(inserts: [
                bench.insert("Novel", [bench.text("Novel", "title", ["A", "B"])], count: 2),
                bench.insert("Poem", [bench.text("Poem", "title", ["C"])]),
            ])
            #expect(works.saved.firstKeys == [1, 3])
            #expect(works.saved.number == 1)
            let novel = try bench.entity("Novel").index + 1
            let poem = try bench.entity("Poem").index + 1
            #expect(
                try bench.query("SELECT Z_PK, Z_ENT, Z_OPT, ZTITLE FROM ZWORK ORDER BY Z_PK")
                    == ["1|\(novel)|1|A", "2|\(novel)|1|B", "3|\(poem)|1|C"])
            #expect(try bench.query("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Work'") == ["3"])
            #expect(try bench.query("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Novel'") == ["0"])
        }
    }

    @Test func `references within one save are resolved and owners are announced`() throws {
        try withStore { bench in
            let author = try bench.insert("Author", [bench.text("Author", "name", ["Ada"])])
            let novel = try bench.insert(
                "Novel", [bench.reference("Novel", "author", [("Author", -1), ("Author", -1)])], count: 2)
            let first = try bench.save(inserts: [author, novel])
            #expect(try bench.query("SELECT ZAUTHOR, Z_FOK_AUTHOR FROM ZWORK") == ["1|2048", "1|3072"])
            #expect(first.transaction?.changes.count == 2)
            let second = try bench.save(inserts: [
                bench.insert("Poem", [bench.reference("Poem", "author", [("Author", 1)])])
            ])
            let changes = try #require(second.transaction?.changes)
            #expect(changes.map(\.kind) == [.insert, .update])
            #expect(changes[1].primaryKeys == [1])
            #expect(try changes[1].properties == [bench.property("Author", "books")])
            #expect(changes[1].versions == [2])
            #expect(try bench.query("SELECT Z_OPT FROM ZAUTHOR") == ["2"])
        }
    }

    @Test func `an update writes what changed and moves the version`() throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert(
                    "Novel", [bench.text("Novel", "title", ["A"]), bench.integers("Novel", "pages", [7])])
            ])
            let saved = try bench.save(updates: [
                bench.update("Novel", 1, version: 1, [bench.text("Novel", "title", ["B"])])
            ])
            #expect(try bench.query("SELECT Z_OPT, ZTITLE, ZPAGES FROM ZWORK") == ["2|B|7"])
            let change = try #require(saved.transaction?.changes.first)
            #expect(change.versions == [2])
            #expect(try change.properties == [bench.property("Novel", "title")])
            #expect(try change.columns == [bench.text("Novel", "title", ["B"])])
            #expect(saved.saved.refreshed.isEmpty)
        }
    }

    @Test func `wrong types and unknown names are refused and nothing is written`() throws {
        try withStore { bench in
            let wide = try bench.insert("Novel", [bench.integers("Novel", "pages", [40_000])])
            #expect(
                throws: StoreError.wrongType(
                    entity: "Novel", property: "pages", detail: "an integer is out of its range")
            ) { try bench.save(inserts: [wide]) }
            let kind = try bench.insert("Novel", [bench.integers("Novel", "title", [1])])
            #expect(throws: StoreError.self) { try bench.save(inserts: [kind]) }
            let invalid = Column(
                property: try bench.property("Novel", "title"),
                values: .bytes(ByteRuns(data: [0xC3], ends: [1])))
            #expect(throws: StoreError.self) { try bench.save(inserts: [bench.insert("Novel", [invalid])]) }
            let abstract = try bench.insert("Work")
            #expect(throws: StoreError.self) { try bench.save(inserts: [abstract]) }
            let stranger = InsertGroup(entity: 999, temporaryIDs: [UUID()], columns: [])
            #expect(throws: StoreError.unknownEntity("#999")) { try bench.save(inserts: [stranger]) }
            let short = try bench.insert("Novel", [bench.integers("Novel", "pages", [1])], count: 2)
            #expect(throws: StoreError.self) { try bench.save(inserts: [short]) }
            let place = try bench.insert("Novel", [bench.reference("Novel", "author", [("Author", -9)])])
            #expect(throws: StoreError.self) { try bench.save(inserts: [place]) }
            let other = try bench.insert("Novel", [bench.reference("Novel", "author", [("Tag", 1)])])
            #expect(throws: StoreError.self) { try bench.save(inserts: [other]) }
            #expect(try bench.query("SELECT count(*) FROM ZWORK") == ["0"])
            #expect(try bench.query("SELECT sum(Z_MAX) FROM Z_PRIMARYKEY") == ["0"])
            #expect(bench.writer.lastTransaction == 0)
        }
    }

    @Test func `all failures of a save are listed`() throws {
        try withStore { bench in
            let authors = try bench.insert(
                "Author",
                [
                    bench.text("Author", "name", [nil, "", "Bartholomew", "Zoë"]),
                    bench.text("Author", "code", ["lower", "OK", "OKA", "OKB"]),
                ], count: 4)
            let poem = try bench.insert("Poem", [bench.reference("Poem", "author", [("Author", 77)])])
            let execution = try bench.execute(bench.request(inserts: [authors, poem]))
            guard case .invalid(let failures) = execution.reply else {
                Issue.record("\(execution.reply)")
                return
            }
            #expect(failures.map(\.reason) == [.required, .tooSmall, .tooLarge, .noMatch])
            #expect(
                try #require(failures.dropFirst(2).first).text == "'Author.name' is longer than 8 characters")
            #expect(failures.map(\.object.temporaryID).first == authors.temporaryIDs[0])
            let again = try bench.execute(bench.request(inserts: [poem]))
            guard case .invalid(let missing) = again.reply else {
                Issue.record("\(again.reply)")
                return
            }
            #expect(missing.map(\.reason) == [.unknownObject])
            #expect(try bench.query("SELECT count(*) FROM ATRANSACTION") == ["0"])
        }
    }

    @Test func `a uniqueness constraint names the attributes and the stored object`() throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert("Tag", [bench.text("Tag", "name", ["red", "blue"])], count: 2)
            ])
            let twin = try bench.insert("Tag", [bench.text("Tag", "name", ["red"])])
            let execution = try bench.execute(bench.request(inserts: [twin]))
            #expect(
                try execution.reply
                    == .constraints([
                        ConstraintConflictMessage(
                            object: ObjectReferenceMessage(
                                entity: bench.entity("Tag").index, temporaryID: twin.temporaryIDs[0]),
                            constraint: ["name"],
                            existing: ObjectReferenceMessage(
                                entity: bench.entity("Tag").index, primaryKey: 1),
                            stored: RowBatch(
                                rowCount: 1, entity: bench.entity("Tag").index, primaryKeys: [1],
                                versions: [1], columns: [bench.text("Tag", "name", ["red"])]))
                    ]))
            let rename = try bench.update("Tag", 2, version: 1, [bench.text("Tag", "name", ["red"])])
            let renamed = try bench.execute(bench.request(updates: [rename]))
            guard case .constraints(let conflicts) = renamed.reply else {
                Issue.record("\(renamed.reply)")
                return
            }
            #expect(conflicts.map(\.existing?.primaryKey) == [1])
            // A delete in the same save frees the name.
            try bench.save(updates: [rename], deletes: [bench.delete("Tag", [1])])
            #expect(try bench.query("SELECT Z_PK, ZNAME FROM ZTAG") == ["2|red"])
        }
    }

    @Test func `a repeated request is applied once`() throws {
        try withStore { bench in
            var request = try bench.request(inserts: [
                bench.insert("Tag", [bench.text("Tag", "name", ["red"])])
            ])
            let first = try bench.execute(request)
            #expect(first.transaction != nil)
            request.request.isRetry = true
            let second = try bench.execute(request)
            #expect(second.reply == first.reply)
            #expect(second.transaction == nil)
            try bench.writer.checkpointFully()  // Nothing that was read for the answer is in its way.
            #expect(try bench.query("SELECT count(*) FROM ZTAG") == ["1"])
            #expect(bench.writer.lastTransaction == 1)
        }
    }

    @Test(arguments: [1, 600], [true, false])
    func `another save under a used number is refused`(objects: Int, isAcknowledged: Bool) throws {
        try withStore { bench in
            // A reply with many keys has a row of its own.
            let groups = try (0..<objects).map { _ in try bench.insert("Shelf") }
            let first = bench.request(inserts: groups)
            _ = try bench.execute(first)
            if isAcknowledged { try bench.save(inserts: [bench.insert("Box")]) }
            var other = first
            other.inserts = try [bench.insert("Tag", [bench.text("Tag", "name", ["red"])])]
            #expect(throws: StoreError.requestUsed(sequence: 1)) { try bench.execute(other) }
            #expect(try bench.query("SELECT count(*) FROM ZTAG") == ["0"])
            other.request.sequence = 3
            _ = try bench.execute(other)
            #expect(try bench.query("SELECT count(*) FROM ZTAG") == ["1"])
        }
    }

    @Test func `an empty save writes nothing`() throws {
        try withStore { bench in
            let saved = try bench.save()
            #expect(saved.saved.number == 0)
            #expect(saved.transaction == nil)
            #expect(try bench.query("SELECT count(*) FROM COFFER_REQUEST") == ["0"])
        }
    }

    @Test func `memberships merge as sets and keep their order`() throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert("Tag", [bench.text("Tag", "name", ["a", "b", "c"])], count: 3),
                bench.insert("Novel", count: 2),
            ])
            let tags = try bench.property("Novel", "tags")
            let novel = try bench.entity("Novel").index
            let added = try bench.save(sets: [
                SetChange(entity: novel, property: tags, owners: [1, 1, 1, 2], targets: [1, 2, 1, 1])
            ])
            let table = try bench.query(
                "SELECT name FROM sqlite_master WHERE name GLOB 'Z_*TAGS' OR name GLOB 'Z_*WORKS'")
            #expect(table.count == 1)
            #expect(try bench.query("SELECT count(*) FROM \(table[0])") == ["3"])
            let changes = try #require(added.transaction?.changes)
            #expect(changes.count == 2)
            #expect(try bench.query("SELECT DISTINCT Z_OPT FROM ZWORK") == ["2"])
            try bench.save(sets: [
                SetChange(entity: novel, property: tags, owners: [1, 2], targets: [1, 3], removed: [0b01])
            ])
            #expect(try bench.query("SELECT count(*) FROM \(table[0])") == ["3"])
            // A tag takes three works at most.
            let tag = try bench.entity("Tag").index
            let works = try bench.property("Tag", "works")
            try bench.save(inserts: [bench.insert("Poem", count: 4)])
            let many = try bench.execute(
                bench.request(sets: [
                    SetChange(entity: tag, property: works, owners: [3, 3, 3, 3], targets: [3, 4, 5, 6])
                ]))
            guard case .invalid(let failures) = many.reply else {
                Issue.record("\(many.reply)")
                return
            }
            #expect(failures.map(\.reason) == [.tooMany])
            let nobody = try bench.execute(
                bench.request(sets: [SetChange(entity: tag, property: works, owners: [3], targets: [99])]))
            guard case .invalid(let unknown) = nobody.reply else {
                Issue.record("\(nobody.reply)")
                return
            }
            #expect(unknown.map(\.reason) == [.unknownObject])
        }
    }
}
