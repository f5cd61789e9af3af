import Coffer
import ContextSupport
import Testing

/// What contexts show of an object's partners when it is deleted above or beside them, before the root saves
/// that.
@Suite struct DeletedPartnerInTreeTests {
    /// Ann, who has a desk in the store, and a context below a child of the root, which alone holds the desk.
    private struct Tree {
        let world: OfficeWorld
        let ann: ManagedObjectID
        let middle: ManagedObjectContext
        let leaf: ManagedObjectContext
        let desk: ManagedObject

        init(_ world: OfficeWorld) throws {
            self.world = world
            try world.their("ann").set("desk", world.their("1"))
            try world.other.save()
            world.mine.mergePendingChanges()
            ann = try world.my("ann").objectID
            middle = world.mine.newChild()
            leaf = middle.newChild()
            desk = leaf.object(with: try world.my("1").objectID)
        }

        /// Expects that no person is at the desk, now and when the root has saved.
        func expectNobody() throws {
            leaf.mergePendingChanges()
            #expect(desk.end("person") == nil && desk["person"].isNull)
            try leaf.save()
            try middle.save()
            try world.mine.save()
            for context in [middle, leaf] { context.mergePendingChanges() }
            #expect(desk.end("person") == nil && desk["person"].isNull)
        }
    }

    @Test(arguments: [false, true], Backing.all)
    func `a delete in a parent empties relationships of a child that holds one end alone`(
        isHeld: Bool, on backing: Backing
    ) throws {
        try withOffice(.error, on: backing) { world in
            let tree = try Tree(world)
            let held = tree.desk.end("person")
            #expect(held?.objectID == tree.ann)
            let below = isHeld ? held : nil
            tree.middle.delete(tree.middle.object(with: tree.ann))
            try tree.middle.save()
            try tree.expectNobody()
            withExtendedLifetime(below) {}
        }
    }

    @Test(arguments: Backing.all)
    func `a delete in a sibling empties the relationships to the object`(on backing: Backing) throws {
        try withOffice(.error, on: backing) { world in
            let tree = try Tree(world)
            #expect(tree.desk.end("person")?.objectID == tree.ann)
            let sibling = tree.middle.newChild()
            sibling.delete(sibling.object(with: tree.ann))
            try sibling.save()
            try tree.expectNobody()
        }
    }

    @Test(arguments: [0, 1, 2], Backing.all)
    func `an object that is read after its partner's delete has no partner at any level`(
        level: Int, on backing: Backing
    ) throws {
        try withOffice(.error, on: backing) { world in
            let tree = try Tree(world)
            let context = [world.mine, tree.middle, tree.leaf][level]
            context.delete(context.object(with: tree.ann))
            let desk = context.object(with: tree.desk.objectID)
            #expect(desk.end("person") == nil)
            try context.save()
            #expect(desk.end("person") == nil)
            try tree.expectNobody()
            #expect(desk.end("person") == nil)
        }
    }

    @Test(arguments: Backing.all)
    func `an object that is deleted above and changed below leaves all relationships`(
        on backing: Backing
    ) throws {
        try withOffice(.error, on: backing) { world in
            let tree = try Tree(world)
            let all = [world.mine, tree.middle, tree.leaf]
            let teams = try all.map { $0.object(with: try world.my("red").objectID) }
            let desks = all.map { $0.object(with: tree.desk.objectID) }
            try world.my("ann").set("team", teams[0])
            try world.mine.save()
            for context in all { context.mergePendingChanges() }
            #expect(desks.map { $0.end("person")?.objectID } == [tree.ann, tree.ann, tree.ann])
            #expect(teams.map { $0.objects(forKey: "members").count } == [1, 1, 1])
            world.mine.delete(world.mine.object(with: tree.ann))
            tree.leaf.mergePolicy = .mergeByPropertyObjectTrump
            let ann = tree.leaf.object(with: tree.ann)
            try ann.setValue("Ann", forKey: "name")
            try ann.set("team", teams[2], nil)
            try tree.leaf.save()
            #expect(ann.isDeleted)
            #expect(desks.map { $0.end("person") } == [nil, nil, nil])
            #expect(teams.map { $0.objects(forKey: "members").count } == [0, 0, 0])
            try tree.expectNobody()
        }
    }

    @Test(arguments: [false, true], Backing.all)
    func `an unsaved object that is deleted above is deleted below, too`(isUndone: Bool, on backing: Backing)
        throws
    {
        try withOffice(.error, on: backing) { world in
            let tree = try Tree(world)
            if isUndone { world.mine.undoManager = ContextUndoManager() }
            let dora = try world.mine.make("Person", ["name": "dora"])
            try dora.set("spouse", world.my("ben"))
            let all = [tree.middle, tree.leaf]
            let below = all.map { $0.object(with: dora.objectID) }
            let bens = try all.map { $0.object(with: try world.my("ben").objectID) }
            #expect(below.map { $0["name"] } == ["dora", "dora"])
            #expect(zip(bens, below).allSatisfy { $0.end("spouse") == $1 })
            if !isUndone { world.mine.delete(dora) }
            while !dora.isDeleted { world.mine.undo() }
            for context in all { context.mergePendingChanges() }
            #expect(below.allSatisfy { $0.isDeleted } && bens.allSatisfy { $0.end("spouse") == nil })
        }
    }

    @Test(arguments: Backing.all)
    func `giving the former partner of an object deleted above to another does not conflict`(
        on backing: Backing
    ) throws {
        try withOffice(.error, on: backing) { world in
            let tree = try Tree(world)
            world.mine.delete(world.mine.object(with: tree.ann))
            #expect(tree.desk.end("person") == nil)
            let ben = tree.leaf.object(with: try world.my("ben").objectID)
            try tree.desk.set("person", ben)
            try tree.leaf.save()
            try tree.middle.save()
            try world.mine.save()
            #expect(try world.my("ben").end("desk") == world.my("1"))
            for context in [tree.middle, tree.leaf] { context.mergePendingChanges() }
            #expect(tree.desk.end("person") == ben)
        }
    }

    @Test(arguments: [false, true], Backing.all)
    func `undoing a delete in the parent restores relationships below`(
        isUndone: Bool, on backing: Backing
    ) throws {
        try withOffice(.error, on: backing) { world in
            let tree = try Tree(world)
            if isUndone { world.mine.undoManager = ContextUndoManager() }
            world.mine.delete(world.mine.object(with: tree.ann))
            #expect(tree.desk.end("person") == nil)
            if isUndone { world.mine.undo() } else { world.mine.rollback() }
            for context in [tree.middle, tree.leaf] { context.mergePendingChanges() }
            #expect(tree.desk.end("person")?.objectID == tree.ann)
        }
    }
}
