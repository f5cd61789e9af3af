import CofferModel
import CofferStores
import CofferWire
import TestSupport
import Testing

/// Updates that wait for the deletes of their save, since a uniqueness constraint forbids them before.
@Suite struct DeferredUpdateTests {
    /// Folders in folders, each with a name of its own.
    private func withFolders(
        _ names: [String], in parents: [Int64?], _ body: (Bench) throws -> Void
    ) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Folder", attributes: [AttributeDefinition("name", .string)],
                relationships: [
                    RelationshipDefinition("parent", to: "Folder", inverse: "children"),
                    RelationshipDefinition("children", to: "Folder", inverse: "parent", isToMany: true),
                ], uniquenessConstraints: [["name"]])
        ])
        try withStore(model) { bench in
            for (name, parent) in zip(names, parents) {
                try bench.save(inserts: [
                    bench.insert(
                        "Folder",
                        [
                            bench.text("Folder", "name", [name]),
                            bench.reference("Folder", "parent", [parent.map { ("Folder", $0) }]),
                        ])
                ])
            }
            try body(bench)
        }
    }

    private func folders(_ bench: Bench) throws -> [String] {
        try bench.query("SELECT Z_PK, ZNAME, ZPARENT, Z_OPT FROM ZFOLDER ORDER BY Z_PK")
    }

    private func rename(_ bench: Bench, _ key: Int64, _ name: String) throws -> UpdateGroup {
        try bench.update(
            "Folder", key, version: 1,
            [bench.text("Folder", "name", [name]), bench.reference("Folder", "parent", [nil])])
    }

    @Test func `an object takes the name of its parent that the same save deletes`() throws {
        try withFolders(["b", "c"], in: [nil, 1]) { bench in
            let saved = try bench.save(
                updates: [rename(bench, 2, "b")], deletes: [bench.delete("Folder", [1])]
            ).saved
            #expect(try folders(bench) == ["2|b|NULL|3"])
            #expect(saved.refreshed.map(\.primaryKeys) == [[2]] && saved.refreshed.map(\.versions) == [[3]])
        }
    }

    @Test(arguments: [MergePolicyMessage.objectTrump, .overwrite])
    func `an object takes the name of its parent whose place it takes`(_ policy: MergePolicyMessage) throws {
        try withFolders(["b", "c"], in: [nil, 1]) { bench in
            let name = try bench.text("Folder", "name", ["b"])
            let saved = try bench.save(
                policy: policy, updates: [bench.update("Folder", 2, version: 1, [name])])
            #expect(try folders(bench) == ["2|b|NULL|3"])
            #expect(saved.saved.alsoDeleted.map(\.primaryKeys) == [[1]])
            #expect(saved.saved.refreshed.map(\.versions) == [[3]])
            #expect(saved.transaction?.changes.filter { $0.kind == .update }.map(\.versions) == [[2], [3]])
        }
    }

    /// Cars with plates of their own, each with an owner that goes with it, and tags; the first, `B`, was
    /// deleted by others since.
    private func withDeletedCar(_ others: [String], _ body: (Bench) throws -> Void) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Car", attributes: [AttributeDefinition("plate", .string)],
                relationships: [
                    RelationshipDefinition("owner", to: "Person", inverse: "cars", deleteRule: .cascade),
                    RelationshipDefinition("tags", to: "Tag", inverse: "cars", isToMany: true),
                ], uniquenessConstraints: [["plate"]]),
            EntityDefinition(
                "Person", attributes: [AttributeDefinition("name", .string, isOptional: true)],
                relationships: [RelationshipDefinition("cars", to: "Car", inverse: "owner", isToMany: true)]),
            EntityDefinition(
                "Tag", attributes: [AttributeDefinition("name", .string, isOptional: true)],
                relationships: [RelationshipDefinition("cars", to: "Car", inverse: "tags", isToMany: true)]),
        ])
        try withStore(model) { bench in
            try bench.save(inserts: [bench.insert("Person"), bench.insert("Tag")])
            for plate in ["B"] + others {
                try bench.save(inserts: [
                    bench.insert(
                        "Car",
                        [
                            bench.text("Car", "plate", [plate]),
                            bench.reference("Car", "owner", [plate == "B" ? nil : ("Person", 1)]),
                        ])
                ])
            }
            try bench.save(deletes: [bench.delete("Car", [1])])
            try body(bench)
        }
    }

    @Test func `an object that is brought back does not name objects that go with the one it replaces`()
        throws
    {
        try withDeletedCar(["C"]) { bench in
            let update = try bench.update(
                "Car", 1, version: 1, [bench.text("Car", "plate", ["C"])],
                other: [bench.reference("Car", "owner", [("Person", 1)])])
            try bench.save(policy: .overwrite, updates: [update])
            #expect(try bench.query("SELECT Z_PK, ZPLATE, ZOWNER FROM ZCAR") == ["1|C|NULL"])
            #expect(try bench.query("SELECT Z_PK FROM ZPERSON") == [])
        }
    }

    @Test func `an object that is brought back after a delete enters its sets`() throws {
        try withDeletedCar(["C"]) { bench in
            let update = try bench.update("Car", 1, version: 1, [bench.text("Car", "plate", ["C"])])
            let set = SetChange(
                entity: try bench.entity("Car").index, property: try bench.property("Car", "tags"),
                owners: [1], targets: [1])
            try bench.save(
                policy: .overwrite, updates: [update], deletes: [bench.delete("Car", [2])], sets: [set])
            #expect(try bench.query("SELECT Z_PK, ZPLATE FROM ZCAR") == ["1|C"])
            let table = try #require(
                bench.query("SELECT name FROM sqlite_master WHERE name LIKE 'Z\\__TAGS' ESCAPE '\\'").first)
            #expect(try bench.query("SELECT count(*) FROM \(table)") == ["1"])
        }
    }

    @Test func `an object deleted by the save that brings another back enters no set`() throws {
        try withDeletedCar(["C"]) { bench in
            try bench.save(inserts: [bench.insert("Tag")])
            let update = try bench.update("Car", 1, version: 1, [bench.text("Car", "plate", ["C"])])
            // A tag that stays, one that goes, and a car that goes.
            let set = SetChange(
                entity: try bench.entity("Car").index, property: try bench.property("Car", "tags"),
                owners: [1, 1, 2], targets: [1, 2, 1])
            try bench.save(
                policy: .overwrite, updates: [update],
                deletes: [bench.delete("Car", [2]), bench.delete("Tag", [2])], sets: [set])
            let table = try #require(
                bench.query("SELECT name FROM sqlite_master WHERE name LIKE 'Z\\__TAGS' ESCAPE '\\'").first)
            #expect(try bench.query("SELECT * FROM \(table)") == ["1|1"])
        }
    }

    @Test func `objects swap their names while their parent is deleted`() throws {
        try withFolders(["p", "a", "b"], in: [nil, 1, 1]) { bench in
            try bench.save(
                updates: [rename(bench, 2, "b"), rename(bench, 3, "a")],
                deletes: [bench.delete("Folder", [1])])
            #expect(try folders(bench) == ["2|b|NULL|3", "3|a|NULL|3"])
        }
    }

    @Test func `an object cannot enter the one whose place it takes`() throws {
        try withFolders(["b", "c"], in: [nil, nil]) { bench in
            let columns = [
                try bench.text("Folder", "name", ["b"]),
                try bench.reference("Folder", "parent", [("Folder", 1)]),
            ]
            let refused = try bench.execute(
                bench.request(
                    policy: .objectTrump, updates: [bench.update("Folder", 2, version: 1, columns)]))
            guard case .invalid(let failures) = refused.reply else {
                Issue.record("\(refused.reply)")
                return
            }
            #expect(failures.map(\.reason) == [.unknownObject] && failures.map(\.property) == ["parent"])
        }
    }
}
