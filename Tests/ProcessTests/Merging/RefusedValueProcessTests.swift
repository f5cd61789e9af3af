import Coffer
import CofferModel
import TestSupport
import Testing

/// What the store refuses of a save, as other contexts of the same process hear of it.
struct RefusedValueProcessTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Contact") {
                Field("email", .string)
                Field("name", .string).optional()
                Unique("email")
            }
        }
    }

    private func contact(_ email: String, in context: ManagedObjectContext) throws -> ManagedObject {
        try #require(
            try context.fetch(
                FetchRequest<ManagedObject>(entityName: "Contact").matching("email == %@", email)
            ).first)
    }

    @Test(arguments: [MergePolicy.mergeByPropertyStoreTrump, .rollback])
    func `other contexts never see a refused value, and meet no conflict with it`(_ policy: MergePolicy)
        throws
    {
        try withService { service in
            let container = try PersistentContainer(
                name: "Contacts", model: Self.model(), application: "org.coffer.Tests",
                bus: .explicit(service.bus.address))
            try container.loadStores()
            let (mine, other) = (container.newContext(), container.newContext())
            mine.mergePolicy = policy
            for email in ["a", "b"] {
                try mine.insert(entityNamed: "Contact").setValue(.string(email), forKey: "email")
            }
            try mine.save()
            let (first, second) = (try contact("a", in: mine), try contact("b", in: mine))
            let shown = try contact("a", in: other)
            let told = try contact("b", in: other)
            #expect(shown["email"] == .string("a") && told["name"] == .null)

            try first.setValue(.string("b"), forKey: "email")
            try first.setValue(.string("new"), forKey: "name")
            try mine.save()
            try second.setValue(.string("told"), forKey: "name")
            try mine.save()
            try waitUntil("the other context hears of the saves") {
                other.mergePendingChanges()
                return told["name"] == .string("told")
            }
            // The store's whole object wins under one of the policies.
            let name: AttributeValue = policy == .rollback ? .null : .string("new")
            for object in [first, shown] {
                #expect(object["email"] == .string("a") && object["name"] == name, "\(policy)")
            }
            try shown.setValue(.string("theirs"), forKey: "name")
            try other.save()
            try waitUntil("the first context hears of it") {
                mine.mergePendingChanges()
                return first["name"] == .string("theirs")
            }
        }
    }
}
