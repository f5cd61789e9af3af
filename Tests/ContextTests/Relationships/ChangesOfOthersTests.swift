import Coffer
import ContextSupport
import Testing

/// What happens to one-to-one relationships that others changed, before a context merges that, while the
/// application holds all objects.
@Suite struct ChangesOfOthersTests {
    /// People, desks and teams whose objects `mine` has read and the test holds.
    private static func withWorld(on backing: Backing, _ body: (OfficeWorld) throws -> Void) throws {
        try withOffice(.mergeByPropertyObjectTrump, on: backing) { world in
            let held = world.mine.registeredObjects.union(
                try ["Person", "Desk"].flatMap { try world.mine.all($0) })
            try body(world)
            #expect(Office.halfPairs(among: held) == [])
            withExtendedLifetime(held) {}
            try world.expectAgreement()
        }
    }

    @Test(arguments: Backing.all)
    func `a save whose answer shows an object's new partner leaves the former one alone`(
        on backing: Backing
    ) throws {
        try Self.withWorld(on: backing) { world in
            let (ann, ben, desk) = (try world.my("ann"), try world.my("ben"), try world.my("1"))
            try world.their("ann").set("desk", world.their("1"))
            try world.other.save()
            world.mine.mergePendingChanges()
            #expect(ann.end("desk") == desk && desk.end("person") == ann)
            try world.their("ben").set("desk", world.their("1"))
            try world.other.save()
            try ben.setValue("Ben", forKey: "name")
            try world.mine.save()
            #expect(ben.end("desk") == desk && desk.end("person") == ben)
            #expect(ann.end("desk") == nil)
        }
    }

    @Test(arguments: Backing.all)
    func `an object that is read anew after a save shows the new pairs of its partners, too`(
        on backing: Backing
    ) throws {
        try Self.withWorld(on: backing) { world in
            let (ann, ben, desk) = (try world.my("ann"), try world.my("ben"), try world.my("2"))
            try world.their("ben").set("desk", world.their("2"))
            try world.their("ben").set("spouse", world.their("ann"))
            try world.other.save()
            try ann.setValue("Ann", forKey: "name")
            try world.mine.save()
            #expect(ann.end("spouse") == ben && ben.end("spouse") == ann)
            #expect(ben.end("desk") == desk && desk.end("person") == ben)
        }
    }

    @Test(arguments: Backing.all)
    func `a fetch that finds a newer row finds the other end of its pair`(on backing: Backing) throws {
        try Self.withWorld(on: backing) { world in
            let (ben, desk) = (try world.my("ben"), try world.my("2"))
            try world.their("ben").set("desk", world.their("2"))
            try world.other.save()
            #expect(ben.end("desk") == nil)
            _ = try world.mine.all("Person")
            #expect(ben.end("desk") == desk && desk.end("person") == ben)
        }
    }

    @Test(arguments: Backing.all)
    func `an object that a save restores leaves the partner that others gave it alone`(
        on backing: Backing
    ) throws {
        try Self.withWorld(on: backing) { world in
            let (ann, ben, desk) = (try world.my("ann"), try world.my("ben"), try world.my("1"))
            try ann.set("desk", desk)
            try world.their("ben").set("desk", world.their("1"))
            try world.other.save()
            world.mine.mergePendingChanges()
            #expect(ben.end("desk") == desk && desk.end("person") == ann)
            try world.their("ben").set("desk", nil)
            try world.other.save()
            try world.mine.save()
            #expect(ann.end("desk") == desk && desk.end("person") == ann)
            #expect(ben.end("desk") == nil)
        }
    }

    @Test(arguments: ["blue", nil], Backing.all)
    func `a member that is saved with another owner leaves the owner that others gave it`(
        _ name: String?, on backing: Backing
    ) throws {
        try Self.withWorld(on: backing) { world in
            let (ann, red) = (try world.my("ann"), try world.my("red"))
            if name == nil {
                try world.their("ann").set("team", world.their("blue"))
                try world.other.save()
                world.mine.mergePendingChanges()
            }
            let team = try name.map { try world.my($0) }
            try ann.set("team", team)
            try world.their("ann").set("team", world.their("red"))
            try world.other.save()
            world.mine.mergePendingChanges()
            #expect(red.objects(forKey: "members") == [ann])
            try world.mine.save()
            #expect(ann.end("team") == team && red.objects(forKey: "members").isEmpty)
        }
    }

    @Test(arguments: Backing.all)
    func `a member that is saved with the owner that others gave it keeps its place`(
        on backing: Backing
    ) throws {
        try Self.withWorld(on: backing) { world in
            let blue = try world.my("blue")
            for name in ["ann", "ben"] { try world.my(name).set("team", blue) }
            for name in ["ann", "cid"] { try world.their(name).set("team", world.their("blue")) }
            try world.other.save()
            world.mine.mergePendingChanges()
            #expect(blue.objects(forKey: "members").map { $0["name"] } == ["ann", "cid", "ben"])
            try world.mine.save()
            #expect(blue.objects(forKey: "members").map { $0["name"] } == ["ann", "cid", "ben"])
        }
    }

    @Test(arguments: Backing.all)
    func `a member that is set back to its old owner has the owner of others after a merge`(
        on backing: Backing
    ) throws {
        try Self.withWorld(on: backing) { world in
            let (ann, red, blue) = (try world.my("ann"), try world.my("red"), try world.my("blue"))
            try world.their("ann").set("team", world.their("red"))
            try world.other.save()
            world.mine.mergePendingChanges()
            #expect(ann.end("team") == red)
            try world.their("ann").set("team", world.their("blue"))
            try world.other.save()
            try ann.set("team", blue)
            try ann.set("team", red)
            world.mine.mergePendingChanges()
            #expect(ann.end("team") == blue && blue.objects(forKey: "members") == [ann])
            #expect(red.objects(forKey: "members").isEmpty)
        }
    }

    @Test(arguments: Backing.all)
    func `an object that a child saves with other partners leaves those its parent gave it`(
        on backing: Backing
    ) throws {
        try Self.withWorld(on: backing) { world in
            let child = world.mine.newChild()
            child.mergePolicy = .mergeByPropertyObjectTrump
            child.automaticallyMergesChanges = false
            func own(_ name: String) throws -> ManagedObject {
                child.object(with: try world.my(name).objectID)
            }
            let (ann, ben, red) = (try own("ann"), try own("ben"), try own("red"))
            try ann.set("team", own("blue"))
            try ann.set("desk", own("1"))
            try world.my("ann").set("team", world.my("red"))
            try world.my("ben").set("desk", world.my("1"))
            child.mergePendingChanges()
            #expect(red.objects(forKey: "members") == [ann])
            #expect(try ben.end("desk") == own("1"))
            try child.save()
            #expect(red.objects(forKey: "members").isEmpty && ben.end("desk") == nil)
            #expect(try Office.strayEnds(in: child) == [])
            try world.mine.save()
        }
    }
}
