import Coffer
import CofferModel
import ContextSupport
import Testing

/// Ann, Ben, and desks 1 to 3, in a context that saved them and in one that has read them.
struct OfficeWorld {
    let container: PersistentContainer
    let other: ManagedObjectContext
    let mine: ManagedObjectContext

    /// The object with that name, in `mine`.
    func my(_ name: String) throws -> ManagedObject { try find(name, in: mine) }
    /// The object with that name, in `other`.
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
    /// All pairs of `known` objects, held since a time when `mine` had merged, agree before it merges again;
    /// objects that were read since are newer.
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

    /// Policies that let the store win, each before and after a merge.
    static let storeWins: [(MergePolicy, Bool)] = [
        (.mergeByPropertyStoreTrump, false), (.mergeByPropertyStoreTrump, true), (.rollback, false),
        (.rollback, true),
    ]
    /// Policies that let the context win, each before and after a merge.
    static let contextWins: [(MergePolicy, Bool)] = [
        (.mergeByPropertyObjectTrump, false), (.mergeByPropertyObjectTrump, true), (.overwrite, false),
        (.overwrite, true),
    ]
}

/// Lends such a world, in which `mine` has `policy` and does not merge automatically.
func withOffice(_ policy: MergePolicy, on backing: Backing, _ body: (OfficeWorld) throws -> Void) throws {
    try withContainer(Office.model(), on: backing) { container in
        let (other, mine) = (container.newContext(), container.newContext())
        other.automaticallyMergesChanges = false
        mine.automaticallyMergesChanges = false
        mine.mergePolicy = policy
        for name in ["ann", "ben", "cid"] { try other.make("Person", ["name": .string(name)]) }
        for name in ["1", "2", "3"] { try other.make("Desk", ["name": .string(name)]) }
        for name in ["red", "blue"] { try other.make("Team", ["name": .string(name)]) }
        try other.save()
        let world = OfficeWorld(container: container, other: other, mine: mine)
        _ = try Office.picture(of: mine)
        try body(world)
    }
}
