import Coffer
import ContextSupport
import Testing

/// What a child shows of relationships that its parent forgets, changes or restores, while the application
/// holds all objects.
@Suite struct ParentRelationshipChangeTests {
    /// A context with a child, holding the child's people, desks and teams.
    private struct Tree {
        let world: OfficeWorld
        let child: ManagedObjectContext
        let held: Set<ManagedObject>

        func own(_ name: String) throws -> ManagedObject {
            child.object(with: try world.my(name).objectID)
        }

        /// Saves into the store, and waits until the child has been notified.
        func expectAgreement() throws {
            child.mergePendingChanges()
            #expect(Office.halfPairs(among: held) == [])
            #expect(try Office.strayEnds(in: child) == [])
            #expect(try Office.picture(of: child) == Office.picture(of: world.mine))
        }
    }

    private static func withTree(on backing: Backing, _ body: (Tree) throws -> Void) throws {
        try withOffice(.error, on: backing) { world in
            let child = world.mine.newChild()
            child.mergePolicy = .mergeByPropertyObjectTrump
            let held = try ["Person", "Desk", "Team"].flatMap { try child.all($0) }
            _ = try Office.picture(of: child)
            let tree = Tree(world: world, child: child, held: Set(held))
            try body(tree)
            try tree.child.save()
            try tree.world.mine.save()
            try tree.expectAgreement()
        }
    }

    @Test(arguments: Backing.all)
    func `an object loses the partner its child gave it when the parent separates them`(
        on backing: Backing
    ) throws {
        try Self.withTree(on: backing) { tree in
            let (ann, cid, desk) = (try tree.own("ann"), try tree.own("cid"), try tree.own("2"))
            try cid.set("desk", desk)
            try tree.child.save()
            try tree.world.my("ann").set("desk", tree.world.my("2"))
            tree.child.mergePendingChanges()
            #expect(cid.end("desk") == nil && desk.end("person") == ann && ann.end("desk") == desk)
        }
    }

    @Test(arguments: Backing.all)
    func `a member that the parent removes from a list again has left the child's list`(
        on backing: Backing
    ) throws {
        try Self.withTree(on: backing) { tree in
            let (ann, red, blue) = (try tree.own("ann"), try tree.own("red"), try tree.own("blue"))
            try tree.world.my("ann").set("team", tree.world.my("blue"))
            try tree.world.mine.save()
            tree.child.mergePendingChanges()
            try red.set("members", ann, tree.own("ben"))
            try tree.child.save()
            try tree.world.my("ann").set("team", tree.world.my("blue"))
            tree.child.mergePendingChanges()
            #expect(red.objects(forKey: "members") == [try tree.own("ben")])
            #expect(ann.end("team") == blue && blue.objects(forKey: "members") == [ann])
            try ann.set("team", red)
            #expect(red.objects(forKey: "members") == [try tree.own("ben"), ann])
            try tree.world.mine.save()
            tree.child.mergePendingChanges()
            #expect(red.objects(forKey: "members") == [try tree.own("ben"), ann])
        }
    }

    @Test(arguments: Backing.all)
    func `a child that wins a partner back from its parent shows both ends of the pair`(
        on backing: Backing
    ) throws {
        try Self.withTree(on: backing) { tree in
            let (cid, desk) = (try tree.own("cid"), try tree.own("2"))
            try cid.set("desk", desk)
            try tree.child.save()
            try tree.world.mine.save()
            tree.child.mergePendingChanges()
            // The child reads one end again, and sets it to what the other end still has: that is not a
            // change then.
            try tree.world.my("cid").set("desk", nil)
            tree.child.refresh(cid, mergeChanges: false)
            #expect(cid.end("desk") == nil)
            try cid.set("desk", desk)
            try tree.world.my("ann").set("desk", tree.world.my("2"))
            try tree.world.mine.save()
            try tree.child.save()
            #expect(cid.end("desk") == desk && desk.end("person") == cid)
            #expect(try tree.own("ann").end("desk") == nil)
        }
    }

    @Test(arguments: Backing.all)
    func `a child shows the partner that its parent saved over somebody else's change`(
        on backing: Backing
    ) throws {
        try Self.withTree(on: backing) { tree in
            let ann = try tree.own("ann")
            try tree.world.their("ann").set("desk", tree.world.their("1"))
            try tree.world.other.save()
            tree.world.mine.mergePolicy = .mergeByPropertyObjectTrump
            try tree.world.my("ann").set("desk", tree.world.my("2"))
            try tree.world.mine.save()
            tree.world.mine.mergePendingChanges()
            tree.child.mergePendingChanges()
            #expect(try ann.end("desk") == tree.own("2"))
        }
    }
}
