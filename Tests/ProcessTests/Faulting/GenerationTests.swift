import Coffer
import CofferModel
import TestSupport
import Testing

/// Contexts that read one state of a store while others write.
@Suite(.serialized) struct GenerationTests {
    @Test(arguments: Library.Way.allCases)
    func `a pinned context fetches and fires faults as of its moment`(way: Library.Way) throws {
        try Library.with(way, shelves: 2, books: 5) { container in
            let (context, other) = (container.newContext(), container.newContext())
            var request = FetchRequest<ManagedObject>.books
            request.returnsObjectsAsFaults = true
            try context.setQueryGeneration(from: .current)
            #expect(context.queryGenerationToken != nil)
            let faults = try context.fetch(request)

            let theirs = try other.fetch(.books)
            try theirs[0].setValue(.string("changed"), forKey: "title")
            other.delete(theirs[1])
            try theirs[2].setObjects(other.fetch(.shelves).suffix(1), forKey: "shelf")
            try other.save()

            #expect(faults.map { $0["title"] } == (0..<10).map { .string("book \($0)") })
            #expect(try context.fetch(.books).count == 10)
            let shelves = try context.fetch(.shelves.prefetching("books.author"))
            #expect(shelves.map { $0.objects(forKey: "books").count } == [5, 5])
            #expect(try context.count(for: .books) == 10)

            try context.setQueryGeneration(from: .current)
            #expect(faults[0]["title"] == .string("changed") && faults[1].isDeleted)
            #expect(shelves.map { $0.objects(forKey: "books").count } == [3, 6])
            try context.setQueryGeneration(from: nil)
            #expect(context.queryGenerationToken == nil)
            #expect(try context.fetch(.books).count == 9)
        }
    }

    @Test(arguments: Library.Way.allCases)
    func `a token pins its state in another context too`(way: Library.Way) throws {
        try Library.with(way, shelves: 1, books: 3) { container in
            let (first, second, writer) = (
                container.newContext(), container.newContext(), container.newContext()
            )
            try first.setQueryGeneration(from: .current)
            writer.delete(try writer.fetch(.books)[0])
            try writer.save()
            #expect(try second.fetch(.books).count == 2)
            try second.setQueryGeneration(from: first.queryGenerationToken)
            #expect(try second.fetch(.books).count == 3)
            #expect(second.queryGenerationToken == first.queryGenerationToken)
            try first.setQueryGeneration(from: nil)
            #expect(try second.fetch(.books).count == 3, "the state is kept as long as somebody has it")
            #expect(throws: CofferError.self) {
                try second.newChild().setQueryGeneration(from: .current)
            }
        }
    }

    @Test(arguments: Library.Way.allCases)
    func `a save moves on, and finds conflicts with what the state did not show`(way: Library.Way) throws {
        try Library.with(way, shelves: 1, books: 3) { container in
            let (context, other) = (container.newContext(), container.newContext())
            try context.setQueryGeneration(from: .current)
            let mine = try context.fetch(.books)
            let theirs = try other.fetch(.books)
            try theirs[0].setValue(.string("theirs"), forKey: "title")
            try theirs[1].setValue(.string("theirs"), forKey: "title")
            try other.save()
            try mine[0].setValue(.string("mine"), forKey: "title")
            #expect(throws: CofferError.self) { try context.save() }
            context.rollback()
            try mine[2].setValue(.string("mine"), forKey: "title")
            #expect(mine[1]["title"] == .string("book 1"))
            try context.save()
            #expect(mine.map { $0["title"] } == ["theirs", "theirs", "mine"].map { .string($0) })
            #expect(context.queryGenerationToken != nil)
        }
    }

    @Test(arguments: Library.Way.allCases)
    func `a fifth young state is refused`(way: Library.Way) throws {
        try Library.with(way, shelves: 1, books: 1) { container in
            var pinned: [ManagedObjectContext] = []
            for _ in 0..<4 {
                pinned.append(container.newContext())
                try pinned.last?.setQueryGeneration(from: .current)
            }
            let fifth = container.newContext()
            #expect(throws: CofferError.self) { try fifth.setQueryGeneration(from: .current) }
            #expect(fifth.queryGenerationToken == nil)
            #expect(try fifth.fetch(.books).count == 1)
            pinned.removeLast()
            try fifth.setQueryGeneration(from: .current)
            #expect(try fifth.fetch(.books).count == 1)
        }
    }

    @Test
    func `a log that grows too long ends a pinned state, with an error that says so`() throws {
        try withService { service in
            let container = try PersistentContainer(
                name: "Library", model: Library.model(), application: "org.coffer.Tests",
                stores: [StoreDescription(name: "Library", pragmas: ["wal_autocheckpoint": "20"])],
                bus: .explicit(service.bus.address))
            try container.loadStores()
            let (context, writer) = (container.newContext(), container.newContext())
            try context.setQueryGeneration(from: .current)
            #expect(try context.fetch(.books).isEmpty)
            var isExpired = false
            for number in 0..<200 where !isExpired {
                let book = try writer.insert(entityNamed: "Book")
                try book.setValue(.integer(Int64(number)), forKey: "number")
                try book.setValue(.string(String(repeating: "x", count: 20_000)), forKey: "title")
                try writer.save()
                do throws(CofferError) {
                    #expect(try context.fetch(.books).isEmpty)
                } catch .generationExpired {
                    isExpired = true
                }
            }
            #expect(isExpired)
            try context.setQueryGeneration(from: .current)
            #expect(try !context.fetch(.books).isEmpty)
        }
    }
}
