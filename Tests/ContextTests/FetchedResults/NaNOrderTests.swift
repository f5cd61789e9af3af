import Coffer
import CofferModel
import ContextSupport
import FoundationEssentials
import Testing

/// NaN is not a number, and so is not a value until a save refuses it: results have an order all the same.
@Suite struct NaNOrderTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Offer") {
                Field("price", .double).optional()
                Field("until", .date).optional()
            }
        }
    }

    private static func date(_ seconds: Double) -> AttributeValue {
        .date(Date(timeIntervalSinceReferenceDate: seconds))
    }

    @Test(arguments: [true, false], Backing.all)
    func `a controller has rows with NaN where a fetch has them`(isAscending: Bool, on backing: Backing)
        throws
    {
        try withContainer(Self.model(), on: backing) { container in
            for (key, values, none) in [
                ("price", [.double(1), .double(5), .double(0)], AttributeValue.double(.nan)),
                ("until", [Self.date(1), Self.date(5), Self.date(0)], Self.date(.nan)),
            ] as [(String, [AttributeValue], AttributeValue)] {
                let context = container.newContext()
                for value in values.prefix(2) { try context.make("Offer", [key: value]) }
                try context.save()
                let controller = try FetchedResultsController(
                    FetchRequest<ManagedObject>(entityName: "Offer").sorted(
                        by: key, isAscending ? .ascending : .descending),
                    in: context)
                try controller.performFetch()
                let offer = try context.make("Offer", [key: none])
                try context.make("Offer", [key: values[2]])
                context.processPendingChanges()
                #expect(
                    try controller.fetchedObjects.map(\.objectID)
                        == context.fetch(controller.request).map(\.objectID))
                #expect(throws: CofferError.self) { try context.save() }
                offer[key] = .null
                try context.save()
                #expect(
                    try controller.fetchedObjects.map(\.objectID)
                        == context.fetch(controller.request).map(\.objectID))
                for object in try context.all("Offer") { context.delete(object) }
                try context.save()
            }
        }
    }
}
