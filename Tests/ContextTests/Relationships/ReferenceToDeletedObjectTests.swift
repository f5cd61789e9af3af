import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// A change that is not saved refers to an object that another context has deleted.
@Suite struct ReferenceToDeletedObjectTests {
    typealias World = OfficeWorld

    struct Reference: CustomStringConvertible, Sendable {
        var owner: String
        var key: String
        var end: String
        var isNew = false
        var description: String { "\(isNew ? "new " : "")\(owner).\(key) = \(end)" }
    }

    static let references: [Reference] = [
        Reference(owner: "ann", key: "desk", end: "1"), Reference(owner: "1", key: "person", end: "ann"),
        Reference(owner: "ann", key: "spouse", end: "ben"), Reference(owner: "ann", key: "team", end: "red"),
        Reference(owner: "red", key: "members", end: "ann"),
        Reference(owner: "ann", key: "skills", end: "swim"),
        Reference(owner: "swim", key: "people", end: "ann"),
        Reference(owner: "Person", key: "desk", end: "1", isNew: true),
        Reference(owner: "Person", key: "team", end: "red", isNew: true),
        Reference(owner: "Team", key: "members", end: "ann", isNew: true),
        Reference(owner: "Person", key: "skills", end: "swim", isNew: true),
        Reference(owner: "Skill", key: "people", end: "ann", isNew: true),
    ]

    /// Refers to an object that another context then deletes.
    private func withDeletedEnd(
        _ reference: Reference, _ policy: MergePolicy, on backing: Backing,
        _ body: (World, ManagedObject) throws -> Void
    ) throws {
        try withOffice(policy, on: backing) { world in
            try world.other.make("Skill", ["name": "swim"])
            try world.other.save()
            world.mine.mergePendingChanges()
            let end = try world.my(reference.end)
            let owner =
                reference.isNew
                ? try world.mine.make(reference.owner, ["name": "new"]) : try world.my(reference.owner)
            try owner.setObjects([end], forKey: reference.key)
            world.other.delete(try world.their(reference.end))
            try world.other.save()
            try body(world, owner)
        }
    }

    @Test(arguments: Backing.all(with: references, MergePolicy.allCases))
    func `merging a deletion removes unsaved references to the object`(
        _ reference: Reference, _ policy: MergePolicy, on backing: Backing
    ) throws {
        // For "red.members = ann" it is Ann whose own change conflicts with her deletion.
        if reference.key == "members", policy != .rollback { return }
        try withDeletedEnd(reference, policy, on: backing) { world, owner in
            world.mine.mergePendingChanges()
            if reference.key != "members" { #expect(owner.objects(forKey: reference.key).isEmpty) }
            try world.mine.save()
            #expect(owner.objects(forKey: reference.key).isEmpty)
            try world.expectAgreement()
        }
    }

    @Test(arguments: references, Backing.all)
    func `a save that refers to a deleted object is refused until the deletion is merged`(
        _ reference: Reference, on backing: Backing
    ) throws {
        if reference.key == "members" { return }
        try withDeletedEnd(reference, .error, on: backing) { world, owner in
            let end = reference.end
            do {
                try world.mine.save()
                Issue.record("it was saved")
            } catch CofferError.validation(let failures) {
                let failure = try #require(failures.first)
                #expect(failure.reason == .unknownObject)
                #expect(failure.objectID == owner.objectID || failure.property != reference.key)
                #expect(owner.entity.property(named: reference.key) != nil && !failure.property.isEmpty)
            } catch CofferError.conflicts(let conflicts) {
                #expect(conflicts.count == 1 && conflicts[0].storedVersion == nil, "\(end)")
                #expect(conflicts[0].wanted.count == 1)
            }
            world.mine.mergePendingChanges()
            try world.mine.save()
            #expect(owner.objects(forKey: reference.key).isEmpty)
            try world.expectAgreement()
        }
    }

    @Test(arguments: Backing.all)
    func `a deleted object with unsaved changes keeps references until it is refreshed`(
        on backing: Backing
    ) throws {
        try withOffice(.error, on: backing) { world in
            try world.my("red").setValue("Red", forKey: "name")
            let ann = try world.my("ann")
            try ann.set("team", world.my("Red"))
            world.other.delete(try world.their("red"))
            try world.other.save()
            world.mine.mergePendingChanges()
            #expect(throws: CofferError.self) { try world.mine.save() }
            #expect(ann.end("team") != nil)
            world.mine.refresh(try #require(ann.end("team")), mergeChanges: false)
            #expect(ann.end("team") == nil)
            try world.mine.save()
            try world.expectAgreement()
        }
    }

    @Test(arguments: Backing.all(with: [MergePolicy.mergeByPropertyStoreTrump, .rollback], ["1", "ann"]))
    func `a change that loses to a deletion leaves no half of a pair`(
        _ policy: MergePolicy, _ name: String, on backing: Backing
    ) throws {
        try withOffice(policy, on: backing) { world in
            let (ann, desk) = (try world.my("ann"), try world.my("1"))
            try ann.set("desk", desk)
            world.other.delete(try world.their(name))
            try world.other.save()
            try world.mine.save()
            #expect(name == "1" ? ann.end("desk") == nil : desk.end("person") == nil)
            try world.expectAgreement()
            // The object's row was not written: its next save is not in conflict.
            world.mine.mergePolicy = .error
            try (name == "1" ? ann : desk).setValue("new", forKey: "name")
            try world.mine.save()
            try world.expectAgreement()
        }
    }

    @Test(arguments: Backing.all)
    func `references to an object are cleared once reading it shows that it is deleted`(on backing: Backing)
        throws
    {
        try withOffice(.error, on: backing) { world in
            world.other.delete(try world.their("red"))
            let id = try world.my("red").objectID
            try world.other.save()
            let third = world.container.newContext()
            let ann = third.object(with: try world.my("ann").objectID)
            let red = third.object(with: id)
            try ann.setObjects([red], forKey: "team")
            #expect(ann.end("team") === red)
            #expect(throws: CofferError.self) { try red.requireValues() }
            #expect(ann.end("team") == nil && !third.hasChanges)
            try third.save()
        }
    }

    @Test(arguments: Backing.all)
    func `an undo restores no reference to a deleted object`(on backing: Backing) throws {
        try withOffice(.error, on: backing) { world in
            let ann = try world.my("ann")
            let swim = try world.mine.make("Skill", ["name": "swim"])
            world.mine.undoManager = ContextUndoManager()
            try ann.set("team", world.my("red"))
            try ann.set("desk", world.my("1"))
            try ann.setObjects([swim], forKey: "skills")
            try world.mine.save()
            try ann.set("team", world.my("blue"))
            try ann.set("desk", nil)
            try ann.setObjects([], forKey: "skills")
            try world.mine.save()
            world.other.mergePendingChanges()
            for name in ["red", "1", "swim"] { world.other.delete(try world.their(name)) }
            try world.other.save()
            world.mine.mergePendingChanges()
            world.mine.undo()
            #expect(ann.end("team") == nil && ann.end("desk") == nil && ann.end("skills") == nil)
            try world.mine.save()
            try world.expectAgreement()
            world.mine.redo()
            #expect(ann.end("team")?["name"] == "blue")
            try world.mine.save()
            try world.expectAgreement()
        }
    }

    @Test(arguments: Backing.all)
    func `an undone deletion restores references, but none to what others deleted`(
        on backing: Backing
    ) throws {
        try withOffice(.error, on: backing) { world in
            let ann = try world.my("ann")
            try ann.set("team", world.my("red"))
            try ann.set("desk", world.my("1"))
            try world.mine.save()
            world.mine.undoManager = ContextUndoManager()
            world.mine.delete(ann)
            try world.mine.save()
            world.other.mergePendingChanges()
            world.other.delete(try world.their("red"))
            try world.other.save()
            world.mine.mergePendingChanges()
            world.mine.undo()
            #expect(ann.end("desk")?["name"] == "1" && ann.end("team") == nil)
            try world.mine.save()
            try world.expectAgreement()
        }
    }

    @Test(arguments: Backing.all)
    func `a child drops references to a deleted object when it merges the deletion`(
        on backing: Backing
    ) throws {
        try withOffice(.error, on: backing) { world in
            let child = world.mine.newChild()
            let ann = child.object(with: try world.my("ann").objectID)
            try ann.set("team", world.my("red"))
            try ann.set("desk", world.my("1"))
            for name in ["red", "1"] { world.other.delete(try world.their(name)) }
            try world.other.save()
            world.mine.mergePendingChanges()
            child.mergePendingChanges()
            #expect(ann.end("team") == nil && ann.end("desk") == nil && !child.hasChanges)
            try child.save()
            try world.mine.save()
            try world.expectAgreement()
        }
    }
}
