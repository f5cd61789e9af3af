import Coffer
import CofferModel
import ContextSupport
import Testing

/// Another context moves an object to another owner: if the store wins, both owners show the store's state.
@Suite struct OwnerConflictTests {
    private func names(_ owner: ManagedObject) -> [String] {
        owner.objects(forKey: "members").map { $0["name"].text }
    }

    @Test(arguments: Backing.all(with: OfficeWorld.storeWins))
    func `a member whose move loses is in the list of its stored owner alone`(
        _ policy: MergePolicy, _ isMerged: Bool, on backing: Backing
    ) throws {
        try withOffice(policy, on: backing) { world in
            try world.their("ann").set("team", world.their("red"))
            try world.their("ben").set("team", world.their("red"))
            let green = try world.other.make("Team", ["name": "green"])
            try world.other.save()
            world.mine.mergePendingChanges()
            let (red, blue) = (try world.my("red"), try world.my("blue"))
            let mineGreen = world.mine.object(with: green.objectID)
            #expect(names(red) == ["ann", "ben"] && names(blue).isEmpty && names(mineGreen).isEmpty)
            try world.my("ann").set("team", blue)
            #expect(names(red) == ["ben"] && names(blue) == ["ann"])
            try world.their("ann").set("team", green)
            try world.other.save()
            if isMerged { world.mine.mergePendingChanges() }
            try world.mine.save()
            #expect(names(red) == ["ben"] && names(blue).isEmpty && names(mineGreen) == ["ann"])
            try world.expectAgreement()
        }
    }

    @Test(arguments: Backing.all(with: OfficeWorld.storeWins))
    func `a move in a list is forgotten with a member that the store has elsewhere`(
        _ policy: MergePolicy, _ isMerged: Bool, on backing: Backing
    ) throws {
        try withOffice(policy, on: backing) { world in
            for name in ["ann", "ben", "cid"] {
                try world.their(name).set("team", world.their(name == "cid" ? "blue" : "red"))
            }
            try world.other.save()
            world.mine.mergePendingChanges()
            let (red, blue) = (try world.my("red"), try world.my("blue"))
            #expect(names(red) == ["ann", "ben"] && names(blue) == ["cid"])
            try blue.setObjects([world.my("ben"), world.my("cid")], forKey: "members")
            try world.their("ben").set("team", nil)
            try world.other.save()
            if isMerged { world.mine.mergePendingChanges() }
            try world.mine.save()
            #expect(names(red) == ["ann"] && names(blue) == ["cid"])
            try world.expectAgreement()
        }
    }

    @Test(arguments: Backing.all)
    func `members stand where the store puts them after a conflict`(on backing: Backing) throws {
        try withOffice(.mergeByPropertyObjectTrump, on: backing) { world in
            let (red, ann, ben) = (try world.my("red"), try world.my("ann"), try world.my("ben"))
            #expect(names(red).isEmpty)
            try world.their("ann").setValue("Ann", forKey: "name")
            try world.other.save()
            try ann.set("team", red)
            try ben.set("team", red)
            try world.mine.save()
            let fresh = world.container.newContext()
            #expect(names(red) == names(fresh.object(with: red.objectID)) && names(red).count == 2)
            try world.expectAgreement()
        }
    }

    @Test(arguments: [false, true], Backing.all)
    func `a deleted object does not join the owner that it got meanwhile`(
        _ isMerged: Bool, on backing: Backing
    ) throws {
        try withOffice(.overwrite, on: backing) { world in
            let red = try world.my("red")
            world.mine.delete(try world.my("ann"))
            try world.their("ann").set("team", world.their("red"))
            try world.other.save()
            if isMerged { world.mine.mergePendingChanges() }
            #expect(names(red).isEmpty)
            try world.mine.save()
            #expect(names(red).isEmpty)
            try world.expectAgreement()
        }
    }

    @Test(arguments: Backing.all)
    func `an undo after the store won leaves no member in two lists`(on backing: Backing) throws {
        try withOffice(.mergeByPropertyStoreTrump, on: backing) { world in
            let ann = try world.my("ann")
            world.mine.undoManager = ContextUndoManager()
            try ann.set("team", world.my("red"))
            try ann.set("desk", world.my("1"))
            try world.their("ann").set("team", world.their("blue"))
            try world.their("ann").set("desk", world.their("2"))
            try world.other.save()
            try world.mine.save()
            #expect(ann.end("team")?["name"] == "blue")
            for _ in 0..<2 { world.mine.undo() }
            #expect(try Office.strayEnds(in: world.mine) == [])
            #expect(ann.end("team") == nil && ann.end("desk") == nil)
            try world.mine.save()
            try world.expectAgreement()
            for _ in 0..<2 { world.mine.redo() }
            #expect(try Office.strayEnds(in: world.mine) == [])
            try world.mine.save()
            try world.expectAgreement()
        }
    }

    @Test(arguments: Backing.all)
    func `a policy of the application that lets the store win sets both ends`(on backing: Backing) throws {
        let policy = MergePolicy.custom(named: "stored") { conflicts in
            SaveResolution(
                objects: Dictionary(uniqueKeysWithValues: conflicts.objects.map { ($0.objectID, .stored) }))
        }
        try withOffice(policy, on: backing) { world in
            try world.my("ann").set("desk", world.my("1"))
            try world.my("ann").set("team", world.my("red"))
            try world.their("ann").set("desk", world.their("2"))
            try world.their("ann").set("team", world.their("blue"))
            try world.other.save()
            try world.mine.save()
            #expect(try world.my("ann").end("desk")?["name"] == "2")
            try world.expectAgreement()
        }
    }

    @Test(arguments: MergePolicy.allCases.filter { $0 != .error }, Backing.all)
    func `a child and its parent agree at both ends of relationships, whoever wins`(
        _ policy: MergePolicy, on backing: Backing
    ) throws {
        try withOffice(.error, on: backing) { world in
            let child = world.mine.newChild()
            child.mergePolicy = policy
            _ = try Office.picture(of: child)
            let ann = child.object(with: try world.my("ann").objectID)
            try ann.set("desk", world.my("1"))
            try ann.set("team", world.my("red"))
            try ann.set("spouse", world.my("ben"))
            try world.my("ann").set("desk", world.my("2"))
            try world.my("ann").set("team", world.my("blue"))
            try world.my("ann").set("spouse", world.my("cid"))
            try child.save()
            let storeWins = policy == .mergeByPropertyStoreTrump || policy == .rollback
            #expect(ann.end("desk")?["name"] == (storeWins ? "2" : "1"))
            for context in [world.mine, child] { #expect(try Office.strayEnds(in: context) == []) }
            #expect(try Office.picture(of: child) == Office.picture(of: world.mine))
            try world.mine.save()
            try world.expectAgreement()
            child.mergePendingChanges()
            #expect(try Office.picture(of: child) == Office.picture(of: world.mine))
        }
    }
}
