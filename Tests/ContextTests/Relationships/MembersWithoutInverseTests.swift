import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// To-many relationships without inverse, whose members' rows name the one owner that has them.
@Suite struct MembersWithoutInverseTests {
    @Test(arguments: ["Binder", "Album"], Backing.all)
    func `members are added and removed, new and stored ones of every entity`(
        entity: String, on backing: Backing
    ) throws {
        try withBinders(on: backing) { world in
            let binder = try world.mine.makeBinder("one", "abc", entity: entity)
            try world.mine.save()
            #expect(try world.stored("one") == "abc")
            let members = ToMany<ManagedObject>("sheets")
            let (leaving, entering) = (
                try world.mine.sheet("b"), try world.mine.make("Photo", ["name": "d"])
            )
            binder.members(of: members).remove(leaving)
            binder.members(of: members).insert(entering)
            try world.mine.save()
            #expect(try world.stored("one") == "acd" && binder.sheetNames() == "acd")
            #expect(try world.mine.texts("Sheet", "name") == ["a", "b", "c", "d"])
        }
    }

    @Test(arguments: Backing.all)
    func `a member that another owner takes leaves its former owner in every context`(
        on backing: Backing
    ) throws {
        try withBinders(on: backing) { world in
            try world.other.makeBinder("one", "abc")
            try world.other.makeBinder("two", "", entity: "Album")
            try world.other.save()
            let (one, two) = (try world.mine.binder("one"), try world.mine.binder("two"))
            #expect(one.sheetNames() == "abc" && two.sheetNames() == "")
            try two.setObjects([world.mine.sheet("b")], forKey: "sheets")
            try world.mine.save()
            #expect(one.sheetNames() == "ac" && two.sheetNames() == "b")
            #expect(try world.stored("one") == "ac" && world.stored("two") == "b")
            try waitUntil("the other context knows it") {
                world.other.mergePendingChanges()
                return try world.other.binder("one").sheetNames() == "ac"
            }
            #expect(try world.other.binder("two").sheetNames() == "b")
        }
    }

    @Test(arguments: Backing.all)
    func `two contexts that give an owner different members do not conflict`(on backing: Backing) throws {
        try withBinders(on: backing) { world in
            try world.other.makeBinder("one", "a")
            try world.other.make("Sheet", ["name": "b"])
            try world.other.make("Sheet", ["name": "c"])
            try world.other.save()
            let (mine, theirs) = (try world.mine.binder("one"), try world.other.binder("one"))
            try mine.setObjects(mine.objects(forKey: "sheets") + [world.mine.sheet("b")], forKey: "sheets")
            try theirs.setObjects(
                theirs.objects(forKey: "sheets") + [world.other.sheet("c")], forKey: "sheets")
            mine["name"] = "uno"
            try world.other.save()
            try world.mine.save()
            #expect(try world.stored("uno") == "abc")
        }
    }

    @Test(arguments: Backing.all)
    func `delete rules reach members: nullify, cascade and deny`(on backing: Backing) throws {
        try withBinders(on: backing) { world in
            let binder = try world.mine.makeBinder("one", "ab")
            try binder.setObjects(
                [world.mine.make("Sheet", ["name": "x"]), world.mine.make("Photo", ["name": "y"])],
                forKey: "drafts")
            let mark = try world.mine.make("Mark", [:])
            try binder.setObjects([mark], forKey: "marks")
            try world.mine.save()
            let found = try world.other.binder("one")
            world.other.delete(found)
            #expect(throws: CofferError.self) { try world.other.save() }
            world.other.rollback()
            try found.setObjects([], forKey: "marks")
            world.other.delete(found)
            try world.other.save()
            #expect(try world.other.texts("Sheet", "name") == ["a", "b"])
            // Released rows belong to no owner. Keys are not used again, but the column must not name the
            // old key either.
            let next = try world.other.makeBinder("two", "")
            try world.other.save()
            #expect(next.sheetNames() == "")
            #expect(try world.stored("two") == "")
        }
    }

    @Test(arguments: Backing.all)
    func `a member that is deleted leaves its owner, and history records both`(on backing: Backing) throws {
        try withBinders(on: backing) { world in
            let binder = try world.mine.makeBinder("one", "abc")
            try world.mine.save()
            #expect(binder.sheetNames() == "abc")
            world.other.delete(try world.other.sheet("b"))
            try world.other.save()
            try waitUntil("the owner is told") {
                world.mine.mergePendingChanges()
                return binder.sheetNames() == "ac"
            }
            let changes = try #require(try world.other.fetchHistory().last?.changes)
            #expect(changes.map(\.kind) == [.delete, .update])
            #expect(changes.last?.updatedProperties == ["sheets"])
        }
    }

    @Test(arguments: Backing.all)
    func `the number of members is bounded as the model says`(on backing: Backing) throws {
        try withBinders(on: backing) { world in
            let binder = try world.mine.makeBinder("one", "")
            try binder.setObjects((0..<3).map { _ in try world.mine.make("Mark", [:]) }, forKey: "marks")
            #expect(throws: CofferError.self) { try world.mine.save() }
            try binder.setObjects(Array(binder.objects(forKey: "marks").prefix(2)), forKey: "marks")
            try world.mine.save()
        }
    }

    @Test(arguments: Backing.all)
    func `predicates count and look into members, and a prefetch brings them`(on backing: Backing) throws {
        try withBinders(on: backing) { world in
            try world.other.makeBinder("one", "abc")
            try world.other.makeBinder("two", "d", entity: "Album")
            try world.other.makeBinder("three", "")
            try world.other.save()
            func names(_ predicate: String) throws -> [String] {
                var request = FetchRequest<ManagedObject>(entityName: "Binder")
                request.predicate = try QueryPredicate(format: predicate)
                request.relationshipKeyPathsForPrefetching = ["sheets"]
                return try world.mine.fetch(request).map { $0["name"].text }.sorted()
            }
            #expect(try names("ANY sheets.name == 'b'") == ["one"])
            #expect(try names("sheets.@count == 1") == ["two"])
            #expect(try names("sheets.@count == 0") == ["three"])
            #expect(try names("SUBQUERY(sheets, $s, $s.name > 'b').@count > 0") == ["one", "two"])
            #expect(try names("NOT ANY sheets.name == 'b'") == ["three", "two"])
        }
    }
}
