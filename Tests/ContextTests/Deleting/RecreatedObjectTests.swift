import Coffer
import ContextSupport
import Testing

/// A save brings back an object that others deleted, together with the objects at the other ends of its
/// relationships.
@Suite struct RecreatedObjectTests {
    typealias World = OfficeWorld

    /// Ann has `partner`, both are deleted by another context, and `mine` has changed the names of `changed`.
    private func withDeleted(
        partner: String, changed: [String], _ isMerged: Bool, on backing: Backing,
        _ body: (World) throws -> Void
    ) throws {
        try withOffice(.overwrite, on: backing) { world in
            try world.their("ann").set("spouse", world.their(partner))
            try world.other.save()
            world.mine.mergePendingChanges()
            for name in changed { try world.my(name).setValue(.string(name.uppercased()), forKey: "name") }
            world.other.delete(try world.their("ann"))
            if partner != "ann" { world.other.delete(try world.their(partner)) }
            try world.other.save()
            if isMerged { world.mine.mergePendingChanges() }
            try world.mine.save()
            try body(world)
            try world.expectAgreement()
        }
    }

    @Test(arguments: [false, true], Backing.all)
    func `a recreated object that was its own partner is its own partner again`(
        _ isMerged: Bool, on backing: Backing
    )
        throws
    {
        try withDeleted(partner: "ann", changed: ["ann"], isMerged, on: backing) { world in
            let ann = try world.my("ANN")
            #expect(ann.end("spouse")?["name"] == "ANN")
        }
    }

    @Test(arguments: [false, true], Backing.all)
    func `two partners that a save recreates are partners again`(
        _ isMerged: Bool, on backing: Backing
    ) throws {
        try withDeleted(partner: "ben", changed: ["ann", "ben"], isMerged, on: backing) { world in
            let ann = try world.my("ANN")
            #expect(ann.end("spouse")?["name"] == "BEN")
        }
    }

    @Test(arguments: [false, true], Backing.all)
    func `an object that is recreated without its partner has no partner`(
        _ isMerged: Bool, on backing: Backing
    )
        throws
    {
        try withDeleted(partner: "ben", changed: ["ann"], isMerged, on: backing) { world in
            let ann = try world.my("ANN")
            #expect(ann.end("spouse") == nil)
        }
    }
}
