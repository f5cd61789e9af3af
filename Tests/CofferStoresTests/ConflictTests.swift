import CofferModel
import CofferStores
import CofferWire
import Foundation
import TestSupport
import Testing

@Suite struct ConflictTests {
    /// A novel that another client has changed from (A, 1) to (B, 1) since it was read.
    private func withStaleNovel(_ body: (Bench) throws -> Void) throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert(
                    "Novel", [bench.text("Novel", "title", ["A"]), bench.integers("Novel", "pages", [1])])
            ])
            try bench.save(updates: [
                bench.update("Novel", 1, version: 1, [bench.text("Novel", "title", ["B"])])
            ])
            try body(bench)
        }
    }

    private func update(_ bench: Bench) throws -> UpdateGroup {
        try bench.update(
            "Novel", 1, version: 1,
            [bench.text("Novel", "title", ["C"]), bench.integers("Novel", "pages", [9])],
            old: [bench.text("Novel", "title", ["A"]), bench.integers("Novel", "pages", [1])],
            other: [bench.text("Novel", "genre", ["drama"])])
    }

    @Test(.leftToAll) func `a client can read the answer however many rows are in conflict`() throws {
        let names = (10..<70).map { "a\($0)" }
        let attributes = names.map { AttributeDefinition($0, .integer32, isOptional: true) }
        let model = try ManagedObjectModel(entities: [EntityDefinition("Wide", attributes: attributes)])
        let count = 9_000
        try withStore(model) { bench in
            let values = (0..<count).map { Int64($0) }
            try bench.save(inserts: [
                bench.insert("Wide", try names.map { try bench.integers("Wide", $0, values) }, count: count)
            ])
            let update = UpdateGroup(
                entity: try bench.entity("Wide").index, primaryKeys: values.map { $0 + 1 },
                versions: Array(repeating: 1, count: count),
                columns: [try bench.integers("Wide", "a10", values.map { $0 + 1 })], oldColumns: [])
            try bench.save(updates: [update])
            let reply = try bench.execute(bench.request(updates: [update])).reply
            guard case .conflicts(let read) = try SaveReplyMessage(packed: reply.packed()) else {
                Issue.record("it was saved")
                return
            }
            #expect(read.count > 1_000)
            #expect(read.allSatisfy { $0.stored?.columns.count == names.count })
        }
    }

    @Test func `a stale snapshot is a conflict that shows the stored row`() throws {
        try withStaleNovel { bench in
            let execution = try bench.execute(bench.request(updates: [update(bench)]))
            guard case .conflicts(let conflicts) = execution.reply, let conflict = conflicts.first else {
                Issue.record("\(execution.reply)")
                return
            }
            #expect(conflict.primaryKey == 1 && conflict.snapshotVersion == 1 && conflict.storedVersion == 2)
            let title = try bench.property("Novel", "title")
            #expect(
                try conflict.stored?.columns.first { $0.property == title }
                    == bench.text("Novel", "title", ["B"]))
            #expect(try bench.query("SELECT ZTITLE, ZPAGES, Z_OPT FROM ZWORK") == ["B|1|2"])
            #expect(bench.writer.lastTransaction == 2)
        }
    }

    @Test(arguments: [
        (MergePolicyMessage.storeTrump, "B|9|3|NULL"), (.objectTrump, "C|9|3|NULL"),
        (.overwrite, "C|9|3|drama"), (.rollback, "B|1|2|NULL"),
    ])
    func `a policy decides who wins`(_ policy: MergePolicyMessage, _ row: String) throws {
        try withStaleNovel { bench in
            let saved = try bench.save(policy: policy, updates: [update(bench)])
            #expect(try bench.query("SELECT ZTITLE, ZPAGES, Z_OPT, ZGENRE FROM ZWORK") == [row])
            #expect(saved.saved.refreshed.map(\.primaryKeys) == [[1]])
            #expect((saved.transaction == nil) == (policy == .rollback))
            #expect(saved.saved.number == (policy == .rollback ? 2 : 3))
            #expect(saved.saved.isWritten == (policy != .rollback))
        }
    }

    @Test(arguments: [
        (MergePolicyMessage.error, "conflict"), (.storeTrump, "gone"), (.rollback, "gone"),
        (.objectTrump, "back"), (.overwrite, "back"),
    ])
    func `a deleted object conflicts, stays away or comes back`(_ policy: MergePolicyMessage, _ fate: String)
        throws
    {
        try withStaleNovel { bench in
            try bench.save(deletes: [bench.delete("Novel", [1], version: 2)])
            let execution = try bench.execute(bench.request(policy: policy, updates: [update(bench)]))
            switch (execution.reply, fate) {
            case (.conflicts(let conflicts), "conflict"):
                #expect(conflicts.first?.storedVersion == 0 && conflicts.first?.stored == nil)
            case (.saved(let saved), "gone"):
                #expect(saved.alsoDeleted.map(\.primaryKeys) == [[1]])
                #expect(try bench.query("SELECT count(*) FROM ZWORK") == ["0"])
            case (.saved(let saved), "back"):
                #expect(saved.refreshed.map(\.primaryKeys) == [[1]])
                #expect(try bench.query("SELECT Z_PK, ZTITLE FROM ZWORK") == ["1|C"])
                #expect(execution.transaction?.changes.map(\.kind) == [.insert])
            default: Issue.record("\(execution.reply)")
            }
        }
    }

    @Test(arguments: MergePolicyMessage.allCases)
    func `a delete of a changed object goes by the policy`(_ policy: MergePolicyMessage) throws {
        try withStaleNovel { bench in
            let execution = try bench.execute(
                bench.request(policy: policy, deletes: [bench.delete("Novel", [1], version: 1)]))
            let left = try bench.query("SELECT count(*) FROM ZWORK")
            switch policy {
            case .error:
                guard case .conflicts = execution.reply else {
                    Issue.record("\(execution.reply)")
                    return
                }
                #expect(left == ["1"])
            case .storeTrump, .rollback: #expect(left == ["1"])
            case .objectTrump, .overwrite: #expect(left == ["0"])
            }
        }
    }

    @Test func `deleting what is gone succeeds, and another entity's key is refused`() throws {
        try withStaleNovel { bench in
            try bench.save(deletes: [bench.delete("Novel", [77])])
            #expect(throws: StoreError.unknownObject(entity: "Poem", primaryKey: 1)) {
                try bench.save(deletes: [bench.delete("Poem", [1], version: 2)])
            }
            #expect(throws: StoreError.unknownObject(entity: "Poem", primaryKey: 1)) {
                try bench.save(updates: [
                    bench.update("Poem", 1, version: 2, [bench.text("Poem", "title", ["x"])])
                ])
            }
        }
    }

    @Test func `a forged key is not taken for a deleted object that comes back`() throws {
        try withStaleNovel { bench in
            let forged = try bench.update("Novel", 5_000, version: 1, [bench.text("Novel", "title", ["x"])])
            #expect(throws: StoreError.unknownObject(entity: "Novel", primaryKey: 5_000)) {
                try bench.save(policy: .objectTrump, updates: [forged])
            }
        }
    }

    /// A new title for a novel of an author that another client has deleted since it was read.
    private func update(_ bench: Bench, ofDeletedIn author: Int64) throws -> UpdateGroup {
        try bench.update(
            "Novel", 1, version: 1, [bench.text("Novel", "title", ["C"])],
            other: [bench.reference("Novel", "author", [("Author", author)])])
    }

    @Test func `an object that comes back enters the relationships of its owners`() throws {
        try withStore { bench in
            try bench.save(inserts: [bench.insert("Author", [bench.text("Author", "name", ["x"])])])
            let author = try bench.reference("Novel", "author", [("Author", 1)])
            try bench.save(inserts: [bench.insert("Novel", [author])])
            try bench.save(deletes: [bench.delete("Novel", [1])])
            let saved = try bench.save(
                policy: .objectTrump, updates: [update(bench, ofDeletedIn: 1)])
            #expect(try bench.query("SELECT Z_PK, ZAUTHOR FROM ZWORK") == ["1|1"])
            let told = try #require(saved.transaction?.changes.first { $0.kind == .update })
            #expect(try told.entity == bench.entity("Author").index && told.primaryKeys == [1])
            #expect(try told.properties == [bench.property("Author", "books")])
        }
    }

    @Test func `an object that comes back counts among those that a relationship takes`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Box",
                relationships: [
                    RelationshipDefinition(
                        "items", to: "Item", inverse: "box", isToMany: true, maximumCount: 1)
                ]),
            EntityDefinition(
                "Item", attributes: [AttributeDefinition("name", .string, isOptional: true)],
                relationships: [RelationshipDefinition("box", to: "Box", inverse: "items")]),
        ])
        try withStore(model) { bench in
            let box = try bench.reference("Item", "box", [("Box", 1)])
            try bench.save(inserts: [bench.insert("Box")])
            try bench.save(inserts: [bench.insert("Item", [box])])
            try bench.save(deletes: [bench.delete("Item", [1])])
            try bench.save(inserts: [bench.insert("Item", [box])])
            let stale = try bench.update(
                "Item", 1, version: 1, [bench.text("Item", "name", ["C"])], other: [box])
            let execution = try bench.execute(bench.request(policy: .overwrite, updates: [stale]))
            guard case .invalid(let failures) = execution.reply else {
                Issue.record("\(execution.reply)")
                return
            }
            #expect(failures.map(\.reason) == [.tooMany])
        }
    }
}
