import CofferModel
import CofferStores
import CofferWire
import Foundation
import Testing

@Suite struct DeleteRuleTests {
    @Test func `a cascade deletes what the client does not know of`() throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert("Author", [bench.text("Author", "name", ["Ada", "Bob"])], count: 2),
                bench.insert(
                    "Novel", [bench.reference("Novel", "author", [("Author", -1), ("Author", -2)])], count: 2),
                bench.insert("Poem", [bench.reference("Poem", "author", [("Author", -1)])]),
                bench.insert("Tag"),
            ])
            let tags = try bench.property("Novel", "tags")
            try bench.save(sets: [
                SetChange(entity: bench.entity("Novel").index, property: tags, owners: [1], targets: [1])
            ])
            let saved = try bench.save(deletes: [bench.delete("Author", [1])])
            #expect(try bench.query("SELECT Z_PK FROM ZWORK") == ["2"])
            #expect(saved.saved.alsoDeleted.map(\.primaryKeys) == [[1], [3]])
            let deletes = try #require(saved.transaction?.changes.filter { $0.kind == .delete })
            #expect(deletes.flatMap(\.primaryKeys).sorted() == [1, 1, 3])
            let table = try bench.query(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'")
            #expect(try bench.query("SELECT count(*) FROM \(table[0])") == ["0"])
            let touched = saved.transaction?.changes.filter { $0.kind == .update } ?? []
            #expect(try touched.map(\.entity) == [bench.entity("Tag").index])
        }
    }

    @Test func `a circle of cascades ends`() throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert(
                    "Novel",
                    [bench.reference("Novel", "prequel", [("Novel", -2), ("Novel", -3), ("Novel", -1)])],
                    count: 3)
            ])
            let saved = try bench.save(deletes: [bench.delete("Novel", [2])])
            #expect(try bench.query("SELECT count(*) FROM ZWORK") == ["0"])
            #expect(saved.saved.alsoDeleted.first?.primaryKeys.sorted() == [1, 3])
        }
    }

    @Test func `nullify clears the other end and tells of it`() throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert(
                    "Author",
                    [
                        bench.text("Author", "name", ["Ada", "Bob"]),
                        bench.reference("Author", "rival", [("Author", -2), ("Author", -1)]),
                    ], count: 2)
            ])
            let saved = try bench.save(deletes: [bench.delete("Author", [1])])
            #expect(try bench.query("SELECT Z_PK, Z_OPT, ZRIVAL FROM ZAUTHOR") == ["2|2|NULL"])
            #expect(saved.saved.refreshed.map(\.primaryKeys) == [[2]])
            #expect(saved.saved.refreshed.first?.versions == [2])
            let update = try #require(saved.transaction?.changes.first { $0.kind == .update })
            #expect(try update.properties == [bench.property("Author", "rival")])
            #expect(update.versions == [2])
        }
    }

    @Test func `both ends may be deleted in one save whatever the order`() throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert(
                    "Author",
                    [
                        bench.text("Author", "name", ["Ada", "Bob"]),
                        bench.reference("Author", "rival", [("Author", -2), ("Author", -1)]),
                    ], count: 2)
            ])
            try bench.save(deletes: [bench.delete("Author", [1, 2])])
            #expect(try bench.query("SELECT count(*) FROM ZAUTHOR") == ["0"])
        }
    }

    @Test func `deny holds until the other objects go or leave in the same save`() throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert("Shelf", count: 3),
                bench.insert(
                    "Box",
                    [bench.reference("Box", "shelf", [("Shelf", -1), ("Shelf", -2), ("Shelf", -3)])], count: 3
                ),
            ])
            let execution = try bench.execute(bench.request(deletes: [bench.delete("Shelf", [1])]))
            guard case .invalid(let failures) = execution.reply else {
                Issue.record("\(execution.reply)")
                return
            }
            #expect(failures.map(\.reason) == [.deleteDenied])
            #expect(failures.first?.object.primaryKey == 1)
            #expect(try bench.query("SELECT count(*) FROM ZSHELF") == ["3"])
            try bench.save(deletes: [bench.delete("Shelf", [1]), bench.delete("Box", [1])])
            let move = try bench.update(
                "Box", 2, version: 1, [bench.reference("Box", "shelf", [("Shelf", 3)])])
            try bench.save(updates: [move], deletes: [bench.delete("Shelf", [2])])
            #expect(try bench.query("SELECT Z_PK, ZSHELF FROM ZBOX") == ["2|3", "3|3"])
            // A box takes its shelf with it, and so nothing denies but the other box.
            let box = try bench.execute(bench.request(deletes: [bench.delete("Box", [3])]))
            guard case .invalid = box.reply else {
                Issue.record("\(box.reply)")
                return
            }
            try bench.save(deletes: [
                bench.delete("Box", [3]), bench.delete("Box", [2], version: 2),
            ])
            #expect(try bench.query("SELECT count(*) FROM ZSHELF") == ["0"])
        }
    }

    @Test func `an insert cannot refer to what the same save deletes`() throws {
        try withStore { bench in
            try bench.save(inserts: [bench.insert("Author", [bench.text("Author", "name", ["Ada"])])])
            let execution = try bench.execute(
                bench.request(
                    inserts: [bench.insert("Poem", [bench.reference("Poem", "author", [("Author", 1)])])],
                    deletes: [bench.delete("Author", [1])]))
            guard case .invalid(let failures) = execution.reply else {
                Issue.record("\(execution.reply)")
                return
            }
            #expect(failures.map(\.reason) == [.unknownObject])
        }
    }

    @Test func `an object that a policy lets live loses what was deleted beside it`() throws {
        try withStore { bench in
            try bench.save(inserts: [
                bench.insert(
                    "Author",
                    [
                        bench.text("Author", "name", ["Ada", "Bob"]),
                        bench.reference("Author", "rival", [("Author", -2), ("Author", -1)]),
                    ], count: 2)
            ])
            try bench.save(updates: [
                bench.update("Author", 2, version: 1, [bench.text("Author", "name", ["Rob"])])
            ])
            try bench.save(policy: .storeTrump, deletes: [bench.delete("Author", [1, 2])])
            #expect(try bench.query("SELECT Z_PK, ZNAME, ZRIVAL FROM ZAUTHOR") == ["2|Rob|NULL"])
        }
    }

    @Test func `a required other end forbids the delete that would take it`() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Order",
                relationships: [RelationshipDefinition("lines", to: "Line", inverse: "order", isToMany: true)]
            ),
            EntityDefinition(
                "Line",
                relationships: [
                    RelationshipDefinition("order", to: "Order", inverse: "lines", isOptional: false)
                ]),
        ])
        try withStore(model) { bench in
            try bench.save(inserts: [
                bench.insert("Order"),
                bench.insert("Line", [bench.reference("Line", "order", [("Order", -1)])]),
            ])
            let execution = try bench.execute(bench.request(deletes: [bench.delete("Order", [1])]))
            guard case .invalid(let failures) = execution.reply else {
                Issue.record("\(execution.reply)")
                return
            }
            #expect(failures.map(\.reason) == [.required])
            #expect(failures.first?.property == "order")
            #expect(try bench.query("SELECT Z_OPT FROM ZLINE") == ["1"])
        }
    }
}
