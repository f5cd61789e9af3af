import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// Two contexts change the same one-to-one relationships: whichever wins, no object is left with half a pair.
@Suite struct OneToOneConflictTests {
    @Test(arguments: Backing.all(with: OfficeWorld.storeWins))
    func `a store that wins one end of a pair wins the other`(
        _ policy: MergePolicy, _ isMerged: Bool, on backing: Backing
    ) throws {
        try withOffice(policy, on: backing) { world in
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

    @Test(arguments: Backing.all(with: OfficeWorld.storeWins))
    func `a former partner has its object back where the store wins`(
        _ policy: MergePolicy, _ isMerged: Bool, on backing: Backing
    ) throws {
        try withOffice(policy, on: backing) { world in
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

    @Test(arguments: Backing.all(with: OfficeWorld.contextWins))
    func `a context that wins a pair leaves the partner in the store alone`(
        _ policy: MergePolicy, _ isMerged: Bool, on backing: Backing
    ) throws {
        try withOffice(policy, on: backing) { world in
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

    @Test(arguments: [MergePolicy.mergeByPropertyStoreTrump, .rollback], Backing.all)
    func `an object that keeps existing because its delete lost keeps its partners`(
        _ policy: MergePolicy, on backing: Backing
    )
        throws
    {
        try withOffice(policy, on: backing) { world in
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

    @Test(arguments: Backing.all(with: OfficeWorld.storeWins))
    func `a new object whose partner the store gave to another is saved without a partner`(
        _ policy: MergePolicy, _ isMerged: Bool, on backing: Backing
    ) throws {
        try withOffice(policy, on: backing) { world in
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

    @Test(arguments: [MergePolicy.rollback, .overwrite], Backing.all)
    func `a conflict of another property decides about all pairs of the object`(
        _ policy: MergePolicy, on backing: Backing
    ) throws {
        try withOffice(policy, on: backing) { world in
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

    @Test(arguments: Backing.all(with: OfficeWorld.storeWins + OfficeWorld.contextWins))
    func `a partner that others took unnoticed leaves no half of a pair`(
        _ policy: MergePolicy, _ isMerged: Bool, on backing: Backing
    ) throws {
        try withOffice(policy, on: backing) { world in
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

    @Test(arguments: [MergePolicy.overwrite, .mergeByPropertyObjectTrump], Backing.all)
    func `deleted partners that come back together are partners again`(
        _ policy: MergePolicy, on backing: Backing
    ) throws {
        try withOffice(policy, on: backing) { world in
            let (ann, ben, cid) = try (world.my("ann"), world.my("ben"), world.my("cid"))
            try ann.set("spouse", ben)
            try cid.set("spouse", cid)
            try world.mine.save()
            world.other.mergePendingChanges()
            for person in try world.other.all("Person") { world.other.delete(person) }
            try world.other.save()
            for person in [ann, ben, cid] { try person.setValue("back", forKey: "name") }
            try world.mine.save()
            // The other policy sends only the changed properties.
            let isWhole = policy == .overwrite
            #expect(ann.end("spouse") == (isWhole ? ben : nil) && cid.end("spouse") == (isWhole ? cid : nil))
            try world.expectAgreement()
        }
    }

    @Test(arguments: Backing.all)
    func `the error policy refuses a partner that is taken, and accepts a free one`(on backing: Backing)
        throws
    {
        try withOffice(.error, on: backing) { world in
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
    @Test(arguments: Backing.all(with: Seed.several(10), [false, true]))
    func `both ends of pairs agree after random changes of two contexts`(
        seed: Seed, isHeld: Bool, on backing: Backing
    ) throws {
        var random = seed.generator()
        try withOffice(.error, on: backing) { world in
            let policies = MergePolicy.allCases.filter { $0 != .error }
            // Objects to which no reference is held are read again, which hides what a context made of a
            // save.
            let memories = [Memory(world.mine), Memory(world.other)]
            for step in 0..<80 {
                let isFirst = Bool.random(using: &random)
                let (mine, other) = isFirst ? (world.mine, world.other) : (world.other, world.mine)
                let memory = memories[isFirst ? 0 : 1]
                let turn = OfficeWorld(container: world.container, other: other, mine: mine)
                try Self.change(mine, &random)
                if isHeld { memory.hold() }
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    mine.mergePolicy = policies[Int.random(in: 0..<4, using: &random)]
                    if Bool.random(using: &random) { mine.mergePendingChanges() }
                    do {
                        try mine.save()
                    } catch {
                        // It refers to an object that the other has deleted, and learns of that now.
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
        /// What it had read when it last merged, ends included, and what it has inserted since.
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
