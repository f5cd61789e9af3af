import Coffer
import CofferModel
import ContextSupport
import Testing

/// An object whose delete loses against another context's change keeps its partners, whatever else the
/// save does to them.
@Suite struct RefusedDeleteRelationshipTests {
    private typealias World = OfficeWorld

    private static let policies = [MergePolicy.rollback, .mergeByPropertyStoreTrump]

    /// Ann with desk 1 and her spouse Ben, in a context that has read them and in a store.
    private func withPairs(_ policy: MergePolicy, on backing: Backing, _ body: (World) throws -> Void) throws
    {
        try withOffice(policy, on: backing) { world in
            let ann = try world.my("ann")
            try ann.set("desk", world.my("1"))
            try ann.set("spouse", world.my("ben"))
            try world.mine.save()
            world.other.mergePendingChanges()
            try body(world)
        }
    }

    /// Ann and her partners, as a context has read them.
    private struct Pairs {
        let ann: ManagedObject
        let desk: ManagedObject
        let spouse: ManagedObject
        let heir: ManagedObject?

        init(in context: ManagedObjectContext, heir: String?) throws {
            let people = try context.all("Person")
            ann = try #require(people.first { $0["name"] == "ann" })
            desk = try #require(ann.end("desk"))
            spouse = try #require(ann.end("spouse"))
            self.heir = people.first { $0["name"].text == heir }
            #expect(desk.end("person") == ann && spouse.end("spouse") == ann)
        }

        /// Deletes Ann, and gives her desk to another person if there is one.
        func deleteAnn(heir name: String?) throws {
            try heir?.set("desk", desk)
            if name == "new" { try ann.context?.make("Person", ["name": "new"]).set("desk", desk) }
            ann.context?.delete(ann)
            #expect(spouse.end("spouse") == nil)
        }
    }

    private func expectPairs(in context: ManagedObjectContext) throws {
        let people = try context.all("Person")
        let ann = try #require(people.first { $0["name"] == "anna" })
        #expect(ann.end("desk")?["name"] == "1" && ann.end("spouse")?["name"] == "ben")
        #expect(try Office.strayEnds(in: context) == [])
    }

    @Test(arguments: Backing.all(with: policies, [nil, "cid", "new"]))
    func `an object whose delete loses against the store keeps its partners`(
        _ policy: MergePolicy, _ heir: String?, on backing: Backing
    ) throws {
        try withPairs(policy, on: backing) { world in
            let pairs = try Pairs(in: world.mine, heir: heir)
            try world.their("ann").setValue("anna", forKey: "name")
            try world.other.save()
            try pairs.deleteAnn(heir: heir)
            try world.mine.save()
            try expectPairs(in: world.mine)
            try world.expectAgreement()
        }
    }

    @Test(arguments: Backing.all(with: policies, [nil, "cid", "new"]))
    func `an object whose delete loses against a parent keeps its partners`(
        _ policy: MergePolicy, _ heir: String?, on backing: Backing
    ) throws {
        try withPairs(.error, on: backing) { world in
            let child = world.mine.newChild()
            child.mergePolicy = policy
            child.automaticallyMergesChanges = false
            let pairs = try Pairs(in: child, heir: heir)
            try world.my("ann").setValue("anna", forKey: "name")
            try pairs.deleteAnn(heir: heir)
            try child.save()
            for context in [world.mine, child] { try expectPairs(in: context) }
            #expect(try Office.picture(of: child) == Office.picture(of: world.mine))
            try world.mine.save()
            try world.expectAgreement()
            #expect(!child.hasChanges)
        }
    }
}
