import Coffer
import CofferModel
import TestSupport
import Testing

/// Two contexts change the same one-to-one relationships: whoever wins, nobody is left with half a pair.
@Suite struct PairConflictTests {
    /// Ann, Ben, and desks 1 to 3, in a context that saved them and in one that has read them.
    struct World {
        let container: PersistentContainer
        let other: ManagedObjectContext
        let mine: ManagedObjectContext

        /// The object of that name, in `mine`.
        func my(_ name: String) throws -> ManagedObject { try find(name, in: mine) }
        /// The object of that name, in `other`.
        func their(_ name: String) throws -> ManagedObject { try find(name, in: other) }

        private func find(_ name: String, in context: ManagedObjectContext) throws -> ManagedObject {
            for entity in ["Person", "Desk", "Team", "Skill"] {
                if let found = try context.all(entity).first(where: { $0["name"].text == name }) {
                    return found
                }
            }
            throw CofferError.unknown(kind: "object", name: name)
        }

        /// Whether both ends of all relationships agree, in the store and in `mine`, and those two with each
        /// other.
        ///
        /// Of `known` objects, held since a time when `mine` had merged, all pairs agree before it merges
        /// again; what was read since is newer.
        func expectAgreement(_ comment: String = "", among known: Set<ManagedObject>? = nil) throws {
            let fresh = container.newContext()
            #expect(try Office.strayEnds(in: fresh) == [], "\(comment): in the store")
            if let known {
                #expect(Office.halfPairs(among: known) == [], "\(comment): in the context")
            } else {
                #expect(try Office.strayEnds(in: mine) == [], "\(comment): in the context")
            }
            mine.mergePendingChanges()
            #expect(try Office.picture(of: mine) == Office.picture(of: fresh), "\(comment)")
            #expect(!mine.hasChanges)
        }
    }

    static func withWorld(_ policy: MergePolicy, _ body: (World) throws -> Void) throws {
        try withContainer(Office.model()) { container in
            let (other, mine) = (container.newContext(), container.newContext())
            other.automaticallyMergesChanges = false
            mine.automaticallyMergesChanges = false
            mine.mergePolicy = policy
            for name in ["ann", "ben", "cid"] { try other.make("Person", ["name": .string(name)]) }
            for name in ["1", "2", "3"] { try other.make("Desk", ["name": .string(name)]) }
            for name in ["red", "blue"] { try other.make("Team", ["name": .string(name)]) }
            try other.save()
            let world = World(container: container, other: other, mine: mine)
            _ = try Office.picture(of: mine)
            try body(world)
        }
    }

    static let storeWins: [(MergePolicy, Bool)] = [
        (.mergeByPropertyStoreTrump, false), (.mergeByPropertyStoreTrump, true), (.rollback, false),
        (.rollback, true),
    ]
    static let contextWins: [(MergePolicy, Bool)] = [
        (.mergeByPropertyObjectTrump, false), (.mergeByPropertyObjectTrump, true), (.overwrite, false),
        (.overwrite, true),
    ]

    @Test(arguments: storeWins)
    func `where the store wins one end, it wins the other`(_ policy: MergePolicy, _ isMerged: Bool) throws {
        try Self.withWorld(policy) { world in
            try world.my("ann").set("desk", world.my("1"))
            try world.their("ann").set("desk", world.their("2"))
            try world.other.save()
            if isMerged { world.mine.mergePendingChanges() }
            try world.mine.save()
            #expect(try world.my("ann").end("desk")?["name"] == "2")
            #expect(try world.my("1").end("person") == nil)
            try world.expectAgreement()
        }
    }

    @Test(arguments: storeWins)
    func `a former partner has its own back where the store wins`(_ policy: MergePolicy, _ isMerged: Bool)
        throws
    {
        try Self.withWorld(policy) { world in
            try world.their("ben").set("desk", world.their("1"))
            try world.other.save()
            world.mine.mergePendingChanges()
            try world.my("ann").set("desk", world.my("1"))
            try world.their("ann").set("desk", world.their("2"))
            try world.other.save()
            if isMerged { world.mine.mergePendingChanges() }
            try world.mine.save()
            #expect(try world.my("ann").end("desk")?["name"] == "2")
            #expect(try world.my("ben").end("desk")?["name"] == "1")
            try world.expectAgreement()
        }
    }

    @Test(arguments: contextWins)
    func `where the context wins, whom the store had there is alone`(
        _ policy: MergePolicy, _ isMerged: Bool
    ) throws {
        try Self.withWorld(policy) { world in
            try world.my("ann").set("desk", world.my("1"))
            try world.my("ann").set("spouse", world.my("ben"))
            try world.their("ann").set("desk", world.their("2"))
            try world.their("ann").set("spouse", world.their("cid"))
            try world.other.save()
            if isMerged { world.mine.mergePendingChanges() }
            try world.mine.save()
            #expect(try world.my("ann").end("desk")?["name"] == "1")
            #expect(try world.my("ann").end("spouse")?["name"] == "ben")
            #expect(try world.my("2").end("person") == nil)
            #expect(try world.my("cid").end("spouse") == nil)
            try world.expectAgreement()
        }
    }

    @Test(arguments: [MergePolicy.mergeByPropertyStoreTrump, .rollback])
    func `who is kept from a delete keeps its partners`(_ policy: MergePolicy) throws {
        try Self.withWorld(policy) { world in
            let ann = try world.their("ann")
            try ann.set("desk", world.their("1"))
            try ann.set("spouse", world.their("ben"))
            try world.other.save()
            world.mine.mergePendingChanges()
            world.mine.delete(try world.my("ann"))
            try ann.setValue("Ann", forKey: "name")
            try world.other.save()
            try world.mine.save()
            #expect(try world.my("Ann").end("desk")?["name"] == "1")
            #expect(try world.my("Ann").end("spouse")?["name"] == "ben")
            try world.expectAgreement()
        }
    }

    @Test(arguments: storeWins)
    func `a new object whose partner the store gave to another is saved without`(
        _ policy: MergePolicy, _ isMerged: Bool
    ) throws {
        try Self.withWorld(policy) { world in
            let dora = try world.mine.make("Person", ["name": "dora"])
            try dora.set("desk", world.my("1"))
            try world.their("ann").set("desk", world.their("1"))
            try world.other.save()
            if isMerged { world.mine.mergePendingChanges() }
            try world.mine.save()
            #expect(dora.end("desk") == nil && !dora.isInserted)
            #expect(try world.my("1").end("person")?["name"] == "ann")
            try world.expectAgreement()
        }
    }

    @Test(arguments: [MergePolicy.rollback, .overwrite])
    func `another property that is in conflict takes the whole object's pairs with it`(_ policy: MergePolicy)
        throws
    {
        try Self.withWorld(policy) { world in
            try world.their("ann").set("desk", world.their("1"))
            try world.other.save()
            world.mine.mergePendingChanges()
            try world.my("ann").setValue("Ann", forKey: "name")
            try world.my("ben").set("desk", world.my("2"))
            try world.their("ann").set("desk", world.their("2"))
            try world.their("cid").set("desk", world.their("1"))
            try world.other.save()
            try world.mine.save()
            try world.expectAgreement()
        }
    }

    @Test(arguments: storeWins + contextWins)
    func `a partner that is not known to be taken is no half of a pair`(
        _ policy: MergePolicy, _ isMerged: Bool
    ) throws {
        try Self.withWorld(policy) { world in
            try world.their("ann").set("desk", world.their("1"))
            try world.other.save()
            world.mine.mergePendingChanges()
            let ann = try world.my("ann")
            _ = try world.my("1").end("person")
            try world.their("ben").set("desk", world.their("1"))
            try world.other.save()
            // The desk is as it was read, and Ann is not.
            world.mine.refresh(ann, mergeChanges: false)
            try ann.set("desk", world.mine.object(with: world.their("1").objectID))
            if isMerged { world.mine.mergePendingChanges() }
            try world.mine.save()
            try world.expectAgreement()
        }
    }

    @Test(arguments: [MergePolicy.overwrite, .mergeByPropertyObjectTrump])
    func `deleted objects that come back together are what they were to each other`(_ policy: MergePolicy)
        throws
    {
        try Self.withWorld(policy) { world in
            let (ann, ben, cid) = try (world.my("ann"), world.my("ben"), world.my("cid"))
            try ann.set("spouse", ben)
            try cid.set("spouse", cid)
            try world.mine.save()
            world.other.mergePendingChanges()
            for person in try world.other.all("Person") { world.other.delete(person) }
            try world.other.save()
            for person in [ann, ben, cid] { try person.setValue("back", forKey: "name") }
            try world.mine.save()
            // The other policy sends what was changed, and no more.
            let isWhole = policy == .overwrite
            #expect(ann.end("spouse") == (isWhole ? ben : nil) && cid.end("spouse") == (isWhole ? cid : nil))
            try world.expectAgreement()
        }
    }

    @Test func `a merge that lets nobody win refuses a partner that is taken, and takes a free one`() throws {
        try Self.withWorld(.error) { world in
            let desk = try world.my("1")
            try world.their("ann").set("desk", world.their("1"))
            try world.other.save()
            try world.my("ben").set("desk", desk)
            #expect(throws: CofferError.self) { try world.mine.save() }
            world.mine.rollback()
            world.mine.mergePendingChanges()
            try world.my("ben").set("desk", world.my("2"))
            try world.mine.save()
            try world.expectAgreement()
        }
    }

    /// Contexts that change pairs, owners and members at random, and let one or the other win.
    @Test(arguments: Seed.fresh(10), [false, true])
    func `both ends always agree`(seed: Seed, isHeld: Bool) throws {
        var random = seed.generator()
        try Self.withWorld(.error) { world in
            let policies = MergePolicy.allCases.filter { $0 != .error }
            // What nobody holds is read anew, and hides what a context made of a save.
            let memories = [Memory(world.mine), Memory(world.other)]
            for step in 0..<80 {
                let isFirst = Bool.random(using: &random)
                let (mine, other) = isFirst ? (world.mine, world.other) : (world.other, world.mine)
                let memory = memories[isFirst ? 0 : 1]
                let turn = World(container: world.container, other: other, mine: mine)
                try Self.change(mine, &random)
                if isHeld { memory.hold() }
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    mine.mergePolicy = policies[Int.random(in: 0..<4, using: &random)]
                    if Bool.random(using: &random) { mine.mergePendingChanges() }
                    do {
                        try mine.save()
                    } catch {
                        // It refers to what the other has deleted, which it hears of now.
                        mine.mergePendingChanges()
                        try mine.save()
                    }
                    let known = isHeld ? memory.known : nil
                    try turn.expectAgreement("\(seed), step \(step), \(mine.mergePolicy)", among: known)
                    if isHeld { memory.noteMerge() }
                case 2:
                    mine.mergePendingChanges()
                    if isHeld { memory.noteMerge() }
                default: break
                }
            }
        }
    }

    /// Holds the objects of a context.
    private final class Memory {
        private let context: ManagedObjectContext
        private var held: Set<ManagedObject> = []
        /// What it had read when it merged last, ends and all, and what it inserted since.
        private(set) var known: Set<ManagedObject> = []

        init(_ context: ManagedObjectContext) { self.context = context }

        func hold() {
            held = context.registeredObjects
            known.formUnion(context.insertedObjects)
        }

        func noteMerge() {
            held = context.registeredObjects
            known = held.filter { !$0.isFault }
            // A merge may leave something to be read.
            for object in known { _ = object.committedValues() }
        }
    }

    private static func change(
        _ context: ManagedObjectContext, _ random: inout some RandomNumberGenerator
    ) throws {
        func any(_ entity: String) throws -> ManagedObject? {
            try context.all(entity).randomElement(using: &random)
        }
        guard let person = try any("Person") else { return }
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1: try person.set("desk", any("Desk"))
        case 2: try person.set("desk", nil)
        case 3: try any("Desk")?.set("person", person)
        case 4, 5: try person.set("spouse", any("Person"))
        case 6: try person.set("spouse", nil)
        case 7, 8: try person.set("team", any("Team"))
        case 9: try person.set("team", nil)
        case 10: context.delete(person)
        case 11, 12:
            let new = try context.make(
                "Person", ["name": .string("p\(Int.random(in: 0..<1000, using: &random))")])
            try new.set("desk", any("Desk"))
            try new.set("team", any("Team"))
        default: try person.setValue(.string("n\(Int.random(in: 0..<1000, using: &random))"), forKey: "name")
        }
    }
}
