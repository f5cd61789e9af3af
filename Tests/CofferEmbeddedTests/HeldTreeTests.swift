import Coffer
import TestSupport
import Testing

/// Relationships in a tree of contexts where the application holds all objects, so that nothing is read anew unless somebody tells to.
@Suite struct HeldTreeTests {
    /// A context and all of its objects, by name.
    private struct Holder {
        let context: ManagedObjectContext
        let objects: [String: ManagedObject]

        init(_ context: ManagedObjectContext) throws {
            self.context = context
            let all = try ["Person", "Desk", "Team", "Skill"].flatMap { try context.all($0) }
            objects = Dictionary(uniqueKeysWithValues: all.map { ($0["name"].text, $0) })
        }

        /// All relationships by the names of the objects at both ends; fetches nothing.
        var picture: [String] {
            let keys = ["desk", "spouse", "team", "skills", "person", "members", "people"]
            return objects.flatMap { name, object in
                keys.filter { object.entity.property(named: $0) != nil }.map { key in
                    let ends = object.objects(forKey: key).map { $0["name"].text }.sorted()
                    return "\(name).\(key): \(ends.joined(separator: " "))"
                }
            }
            .sorted()
        }

        /// Sets an end to somebody, or to nobody.
        func change(_ random: inout SeededGenerator) throws {
            func any(_ names: String...) -> ManagedObject? {
                names.randomElement(using: &random).flatMap { objects[$0] }
            }
            let (person, desk) = (any("ann", "ben", "cid"), any("1", "2", "3"))
            let isNobody = Int.random(in: 0..<4, using: &random) == 0
            switch Int.random(in: 0..<6, using: &random) {
            case 0: try person?.set("desk", isNobody ? nil : desk)
            case 1: try desk?.set("person", isNobody ? nil : person)
            case 2: try person?.set("spouse", isNobody ? nil : any("ann", "ben", "cid"))
            case 3: try person?.set("team", isNobody ? nil : any("red", "blue"))
            case 4: try any("red", "blue")?.set("members", person, any("ann", "ben", "cid"))
            default: try person?.set("skills", any("swim", "sing"), isNobody ? nil : any("swim", "sing"))
            }
        }
    }

    private static func withHolders(
        _ body: (_ root: Holder, _ middle: Holder, _ leaves: [Holder]) throws -> Void
    ) throws {
        try PairConflictTests.withWorld(.error) { world in
            for name in ["swim", "sing"] { try world.other.make("Skill", ["name": .string(name)]) }
            try world.other.save()
            world.mine.mergePendingChanges()
            let root = try Holder(world.mine)
            let middle = try Holder(root.context.newChild())
            let leaves = try (0..<2).map { _ in try Holder(middle.context.newChild()) }
            try body(root, middle, leaves)
        }
    }

    @Test(arguments: Seed.fresh(6))
    func `all levels show the same once every change has come by`(seed: Seed) throws {
        var random = seed.generator()
        let policies = MergePolicy.allCases.filter { $0 != .error }
        try Self.withHolders { root, middle, leaves in
            let all = [root, middle] + leaves
            _ = all.map(\.picture)
            for round in 0..<20 {
                for holder in all {
                    holder.context.mergePolicy = try #require(policies.randomElement(using: &random))
                }
                for _ in 0..<Int.random(in: 1..<8, using: &random) {
                    let holder = try #require(all.randomElement(using: &random))
                    try holder.change(&random)
                    if Int.random(in: 0..<6, using: &random) == 0 { try holder.context.save() }
                    if Int.random(in: 0..<6, using: &random) == 0 { _ = holder.picture }
                }
                for leaf in leaves { try leaf.context.save() }
                try root.context.save()
                try middle.context.save()
                for holder in all { holder.context.mergePendingChanges() }
                let comment = "COFFER_SEED=\(seed), round \(round)"
                for (place, holder) in all.enumerated() {
                    let (shown, wanted) = (Set(holder.picture), Set(middle.picture))
                    try #require(
                        shown == wanted,
                        "\(comment), \(place) has \(shown.subtracting(wanted)), not \(wanted.subtracting(shown))"
                    )
                }
            }
        }
    }
}
