import Coffer
import CofferModel
import ContextSupport
import Testing

/// Texts that people and Swift consider equal, but that consist of different bytes.
@Suite struct TextOfOtherBytesTests {
    private static let (short, long) = ("\u{E5}", "a\u{30A}")

    private func bytes(_ value: AttributeValue) -> [UInt8] { Array(value.text.utf8) }

    @Test(arguments: Backing.all)
    func `a text that differs in its bytes alone is a change, which is saved`(on backing: Backing) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let car = try context.make(
                "Car", ["numberPlate": .string(Self.short), "maker": .string(Self.short)])
            try context.save()
            car["maker"] = .string(Self.long)
            #expect(context.hasChanges)
            #expect(car.changedValues["maker"].map(bytes) == Array(Self.long.utf8))
            try context.save()
            car["numberPlate"] = .string(Self.long)
            try context.save()
            let stored = try #require(try container.newContext().all("Car").first)
            #expect(bytes(stored["maker"]) == Array(Self.long.utf8))
            #expect(bytes(stored["numberPlate"]) == Array(Self.long.utf8))
        }
    }

    @Test(arguments: Backing.all)
    func `texts that differ in their bytes alone are undone and merged`(on backing: Backing) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            let car = try context.make("Car", ["numberPlate": "1", "maker": .string(Self.short)])
            try context.save()
            let undo = ContextUndoManager()
            context.undoManager = undo
            car["maker"] = .string(Self.long)
            context.undo()
            #expect(bytes(car["maker"]) == Array(Self.short.utf8))
            context.redo()
            #expect(bytes(car["maker"]) == Array(Self.long.utf8))
            try context.save()

            let other = container.newContext()
            other.mergePolicy = .error
            let theirs = try #require(try other.all("Car").first)
            #expect(bytes(theirs["maker"]) == Array(Self.long.utf8))
            theirs["maker"] = "b"
            car["maker"] = .string(Self.short)
            try context.save()
            #expect(throws: CofferError.self, "a context that read the long form must hear of the short one")
            {
                try other.save()
            }
        }
    }

    @Test(arguments: Backing.all)
    func `texts that differ in their bytes alone are two sections, two upserts and two results`(
        on backing: Backing
    ) throws {
        try withContainer(Garage.model(), on: backing) { container in
            let context = container.newContext()
            context.mergePolicy = .mergeByPropertyObjectTrump
            for (plate, maker) in [(Self.short, Self.short), (Self.long, Self.long), ("b", Self.long)] {
                try context.make("Car", ["numberPlate": .string(plate), "maker": .string(maker)])
            }
            try context.save()
            let reader = container.newContext()
            #expect(try reader.all("Car").count == 3)
            let request = FetchRequest<ManagedObject>(entityName: "Car").sorted(by: "maker")
                .sorted(by: "numberPlate")
            let controller = try FetchedResultsController(request, sectionedBy: "maker", in: reader)
            try controller.performFetch()
            let names = controller.sections.map { Array($0.name.utf8) }
            #expect(names == [Array(Self.long.utf8), Array(Self.short.utf8)])
            #expect(controller.sections.map(\.range) == [0..<2, 2..<3])

            let old = controller.snapshot
            let car = try #require(try reader.all("Car").first { bytes($0["numberPlate"]) == [0x62] })
            car["maker"] = .string(Self.short)
            let moved = try FetchedResultsController(request, sectionedBy: "maker", in: reader)
            try moved.performFetch()
            #expect(moved.sections.map(\.range) == [0..<1, 1..<3])
            #expect(moved.snapshot != old)
            let change = moved.snapshot.difference(from: old)
            #expect(change.count == 1, "\(change)")

            var distinct = FetchRequest<ManagedObject>(entityName: "Car")
            distinct.propertiesToFetch = ["maker"]
            distinct.returnsDistinctResults = true
            #expect(Set(try reader.fetchDictionaries(distinct).map { $0["maker"] }).count == 2)
        }
    }
}
