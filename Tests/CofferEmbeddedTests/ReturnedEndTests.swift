import Coffer
import Testing

/// What a child makes of ends of relationships that its parent forgets, gives away or takes back, where the
/// application holds all objects.
@Suite struct ReturnedEndTests {
    /// A context with a child, the child's people, desks and teams held.
    private struct Tree {
        let world: PairConflictTests.World
        let child: ManagedObjectContext
        let held: Set<ManagedObject>

        func own(_ name: String) throws -> ManagedObject {
            child.object(with: try world.my(name).objectID)
        }

        /// Saves into the store, and lets the child hear of it.
        func expectAgreement() throws {
            child.mergePendingChanges()
            #expect(Office.halfPairs(among: held) == [])
            #expect(try Office.strayEnds(in: child) == [])
            #expect(try Office.picture(of: child) == Office.picture(of: world.mine))
        }
    }

    private static func withTree(_ body: (Tree) throws -> Void) throws {
        try PairConflictTests.withWorld(.error) { world in
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

    @Test func `whom the parent parts from what the child gave it has nobody at either end`() throws {
        try Self.withTree { tree in
            let (ann, cid, desk) = (try tree.own("ann"), try tree.own("cid"), try tree.own("2"))
            try cid.set("desk", desk)
            try tree.child.save()
            try tree.world.my("ann").set("desk", tree.world.my("2"))
            tree.child.mergePendingChanges()
            #expect(cid.end("desk") == nil && desk.end("person") == ann && ann.end("desk") == desk)
        }
    }

    @Test func `whom the parent takes out of a list again has left it`() throws {
        try Self.withTree { tree in
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

    @Test func `who wins a partner back that the parent gave to another is that one's, too`() throws {
        try Self.withTree { tree in
            let (cid, desk) = (try tree.own("cid"), try tree.own("2"))
            try cid.set("desk", desk)
            try tree.child.save()
            try tree.world.mine.save()
            tree.child.mergePendingChanges()
            // The child reads one end anew, and gives it what the other end still has: that one is no change
            // then.
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

    @Test func `what the parent saved over somebody else's change is what the child has`() throws {
        try Self.withTree { tree in
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
