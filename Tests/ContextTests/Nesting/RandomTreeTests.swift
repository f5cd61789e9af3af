import Coffer
import ContextSupport
import TestSupport
import Testing

/// Relationships in a tree of contexts whose objects are all held by the application, so that only a
/// notification makes a context read anything again.
@Suite struct RandomTreeTests {
    private static let entities = ["Person", "Desk", "Team", "Skill"]

    /// A context and all of its objects, by name.
    private final class Holder {
        let context: ManagedObjectContext
        private var objects: [String: ManagedObject] = [:]

        init(_ context: ManagedObjectContext) throws {
            self.context = context
            try fetchAll()
        }

        /// Holds the objects that others inserted, too.
        func fetchAll() throws {
            let all = try RandomTreeTests.entities.flatMap { try context.all($0) }
            objects = Dictionary(uniqueKeysWithValues: all.map { ($0["name"].text, $0) })
        }

        /// The names of the held objects that are not deleted.
        var names: Set<String> { Set(objects.filter { !$0.value.isDeleted }.keys) }

        /// All relationships of named objects, by the names at both ends; fetches nothing.
        func picture(_ names: Set<String>) -> Set<String> {
            let keys = ["desk", "spouse", "team", "skills", "person", "members", "people"]
            let shown = objects.filter { names.contains($0.key) && !$0.value.isDeleted }
            return Set(
                shown.flatMap { name, object in
                    keys.filter { object.entity.property(named: $0) != nil }.map { key in
                        let ends = object.objects(forKey: key).map { $0["name"].text }.sorted()
                        return "\(name).\(key): \(ends.joined(separator: " "))"
                    }
                })
        }

        /// A random object of an entity.
        private func any(_ entity: String, _ random: inout SeededGenerator) -> ManagedObject? {
            names.filter { objects[$0]?.entity.name == entity }.sorted()
                .randomElement(using: &random).flatMap { objects[$0] }
        }

        /// Sets a relationship to one or two objects, or to none.
        func change(_ random: inout SeededGenerator) throws {
            let (person, other) = (any("Person", &random), any("Person", &random))
            let (desk, team) = (any("Desk", &random), any("Team", &random))
            let isNobody = Int.random(in: 0..<4, using: &random) == 0
            switch Int.random(in: 0..<6, using: &random) {
            case 0: try person?.set("desk", isNobody ? nil : desk)
            case 1: try desk?.set("person", isNobody ? nil : person)
            case 2: try person?.set("spouse", isNobody ? nil : other)
            case 3: try person?.set("team", isNobody ? nil : team)
            case 4: try team?.set("members", person, other)
            default: try person?.set("skills", any("Skill", &random), isNobody ? nil : any("Skill", &random))
            }
        }

        /// Inserts an object with that name, or deletes one.
        func insertOrDelete(_ name: String, _ random: inout SeededGenerator) throws {
            // Mostly people, who have most of the relationships.
            let entity =
                (RandomTreeTests.entities + ["Person", "Person"]).randomElement(using: &random) ?? ""
            if Bool.random(using: &random) {
                objects[name] = try context.make(entity, ["name": .string(name)])
            } else if let object = any(entity, &random) {
                context.delete(object)
            }
        }
    }

    private static func withHolders(
        on backing: Backing, _ body: (_ root: Holder, _ middle: Holder, _ leaves: [Holder]) throws -> Void
    ) throws {
        try withOffice(.error, on: backing) { world in
            for name in ["swim", "sing"] { try world.other.make("Skill", ["name": .string(name)]) }
            try world.other.save()
            world.mine.mergePendingChanges()
            let root = try Holder(world.mine)
            let middle = try Holder(root.context.newChild())
            let leaves = try (0..<2).map { _ in try Holder(middle.context.newChild()) }
            try body(root, middle, leaves)
        }
    }

    @Test(arguments: Seed.several(6), Backing.all)
    func `all contexts of a tree show the same relationships once changes are merged`(
        seed: Seed, on backing: Backing
    ) throws {
        try Self.expectAgreement(seed, insertsAndDeletes: false, on: backing)
    }

    @Test(arguments: Seed.several(6), Backing.all)
    func `all contexts of a tree agree after inserts and deletes at all levels`(
        seed: Seed, on backing: Backing
    ) throws {
        try Self.expectAgreement(seed, insertsAndDeletes: true, on: backing)
    }

    private static func expectAgreement(_ seed: Seed, insertsAndDeletes: Bool, on backing: Backing) throws {
        var random = seed.generator()
        let policies = MergePolicy.allCases.filter { $0 != .error }
        try withHolders(on: backing) { root, middle, leaves in
            let all = [root, middle] + leaves
            for holder in all { _ = holder.picture(holder.names) }
            var count = 0
            for round in 0..<20 {
                for holder in all {
                    holder.context.mergePolicy = try #require(policies.randomElement(using: &random))
                }
                for _ in 0..<Int.random(in: 1..<8, using: &random) {
                    let holder = try #require(all.randomElement(using: &random))
                    if insertsAndDeletes, Int.random(in: 0..<4, using: &random) == 0 {
                        count += 1
                        try holder.insertOrDelete("new \(count)", &random)
                    } else {
                        try holder.change(&random)
                    }
                    if Int.random(in: 0..<6, using: &random) == 0 { try holder.context.save() }
                    if Int.random(in: 0..<6, using: &random) == 0 { _ = holder.picture(holder.names) }
                }
                for leaf in leaves { try leaf.context.save() }
                try root.context.save()
                try middle.context.save()
                for holder in all { holder.context.mergePendingChanges() }
                let comment = "COFFER_SEED=\(seed), round \(round)"
                // First with all held objects, without reading anything again.
                try requireAgreement(
                    all, among: all.map(\.names).reduce(middle.names) { $0.intersection($1) }, comment)
                guard insertsAndDeletes else { continue }
                for holder in all { try holder.fetchAll() }
                for holder in all { try #require(holder.names == middle.names, "\(comment)") }
                try requireAgreement(all, among: middle.names, comment)
            }
        }
    }

    private static func requireAgreement(_ all: [Holder], among names: Set<String>, _ comment: String) throws
    {
        for (place, holder) in all.enumerated() {
            let (shown, wanted) = (holder.picture(names), all[1].picture(names))
            try #require(
                shown == wanted,
                "\(comment), \(place) has \(shown.subtracting(wanted)), not \(wanted.subtracting(shown))")
        }
    }
}
