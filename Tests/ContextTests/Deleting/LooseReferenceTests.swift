import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// To-one relationships without inverse, of which no delete rule is told.
@Suite struct LooseReferenceTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Badge") {
                Field("name", .string).optional()
                One("issuer", "Group")
                One("seal", "Seal").required()
            }
            Entity("Pin", parent: "Badge") {}
            Entity("Group") { Field("name", .string).optional() }
            Entity("Band", parent: "Group") {}
            Entity("Seal") { Field("name", .string).optional() }
        }
    }

    private func makeBadge(_ entity: String, by issuer: String, in context: ManagedObjectContext) throws {
        let badge = try context.make(entity, ["name": "badge"])
        try badge.setObjects([context.make(issuer, ["name": "issuer"])], forKey: "issuer")
        try badge.setObjects([context.make("Seal", ["name": "seal"])], forKey: "seal")
        try context.save()
    }

    @Test(arguments: Backing.all(with: ["Badge", "Pin"], ["Group", "Band"]))
    func `what named a deleted object names nothing, before the save and after it, in every context`(
        entity: String, issuer: String, on backing: Backing
    ) throws {
        try withContainer(Self.model(), on: backing) { container in
            let context = container.newContext()
            try makeBadge(entity, by: issuer, in: context)
            let other = container.newContext()
            let seen = try #require(try other.all(entity).first)
            #expect(seen.objects(forKey: "issuer").count == 1)
            let badge = try #require(try context.all(entity).first)
            context.delete(try #require(badge.objects(forKey: "issuer").first))
            #expect(badge.objects(forKey: "issuer").isEmpty)
            try context.save()
            #expect(badge.objects(forKey: "issuer").isEmpty)
            try waitUntil("the other context knows it") {
                other.mergePendingChanges()
                return seen.objects(forKey: "issuer").isEmpty
            }
            let reader = container.newContext()
            #expect(try reader.all(entity).allSatisfy { $0.objects(forKey: "issuer").isEmpty })
            let without = FetchRequest<ManagedObject>(entityName: "Badge")
            #expect(try reader.count(for: without.matching("issuer == nil")) == 1)
            badge["name"] = "new"
            try context.save()
        }
    }

    @Test(arguments: Backing.all)
    func `a new object names nothing when what it names is deleted before the save`(
        on backing: Backing
    ) throws {
        try withContainer(Self.model(), on: backing) { container in
            let context = container.newContext()
            let stored = try context.make("Group", [:])
            try context.save()
            for group in [stored, try context.make("Group", [:])] {
                let badge = try context.make("Badge", [:])
                try badge.setObjects([group], forKey: "issuer")
                try badge.setObjects([context.make("Seal", [:])], forKey: "seal")
                context.delete(group)
            }
            try context.save()
            let badges = try container.newContext().all("Badge")
            #expect(badges.map { $0.objects(forKey: "issuer").count } == [0, 0])
        }
    }

    @Test(arguments: Backing.all)
    func `an object that others must have is not deleted`(on backing: Backing) throws {
        try withContainer(Self.model(), on: backing) { container in
            let context = container.newContext()
            try makeBadge("Badge", by: "Group", in: context)
            let seal = try #require(try context.all("Seal").first)
            context.delete(seal)
            #expect(throws: CofferError.self) { try context.save() }
            let badge = try #require(try context.all("Badge").first)
            context.delete(badge)
            try context.save()
            #expect(try container.newContext().all("Seal").isEmpty)
        }
    }
}
