import Coffer
import CofferEmbedded
import CofferModel
import TestSupport
import Testing

/// Loops over what was fetched, counted in round trips, through the service and in one process.
@Suite(.serialized) struct FaultingTests {
    @Test(arguments: Library.Way.allCases)
    func `faults of a result are read 200 at a time`(way: Library.Way) throws {
        try Library.with(way, shelves: 10, books: 100) { container in
            let context = container.newContext()
            var request = FetchRequest<ManagedObject>.books
            request.returnsObjectsAsFaults = true
            let books = try context.fetch(request)
            #expect(books.count == 1_000 && books.allSatisfy { $0.isFault })
            let (numbers, count) = context.roundTrips { books.map { $0["number"] } }
            #expect(numbers == (0..<1_000).map { .integer($0) })
            #expect(count == 5)
        }
    }

    @Test(arguments: Library.Way.allCases)
    func `values that did not come along, and refreshed objects, are read together`(way: Library.Way) throws {
        try Library.with(way, shelves: 4, books: 100) { container in
            let context = container.newContext()
            var request = FetchRequest<ManagedObject>.books
            request.propertiesToFetch = ["number"]
            let books = try context.fetch(request)
            let (_, missing) = context.roundTrips { #expect(!books.contains { $0["title"].isNull }) }
            #expect(missing == 2)
            context.refreshAllObjects()
            #expect(books.allSatisfy { $0.isFault })
            let (_, refreshed) = context.roundTrips { #expect(!books.contains { $0["title"].isNull }) }
            #expect(refreshed == 2)
        }
    }

    @Test(arguments: Library.Way.allCases)
    func `a loop that follows a to-many relationship soon reads it for many`(way: Library.Way) throws {
        try Library.with(way, shelves: 100, books: 10) { container in
            let context = container.newContext()
            let shelves = try context.fetch(.shelves)
            let (_, first) = context.roundTrips { shelves[0].objects(forKey: "books").count }
            #expect(first == 1 && shelves[1].isFault == false)
            let (sum, all) = context.roundTrips {
                shelves.reduce(0) { sum, shelf in
                    sum + shelf.objects(forKey: "books").count { $0["title"] != .null }
                }
            }
            #expect(sum == 1_000)
            // 8, 64 and 27 shelves' books; of 10 and then 200 and more books the values.
            #expect(all <= 3 + 2 + 6, "\(all) round trips")
        }
    }

    @Test(arguments: Library.Way.allCases)
    func `a prefetch costs one round trip for each step of its key paths`(way: Library.Way) throws {
        try Library.with(way, shelves: 30, books: 20) { container in
            let context = container.newContext()
            let (shelves, fetched) = try context.roundTrips {
                try context.fetch(
                    .shelves.prefetching("books", "books.author", "books.genres"))
            }
            #expect(fetched == 4, "shelves, books, authors, genres")
            func walk() -> Set<String> {
                var seen: Set<String> = []
                for book in shelves.flatMap({ $0.objects(forKey: "books") }) {
                    guard !book.isFault, case .integer(let number) = book["number"] else { continue }
                    #expect(book["title"] == .string("book \(number)"))
                    #expect(book.entity.name == (number % 4 == 0 ? "Novel" : "Book"))
                    let author = book.objects(forKey: "author").first
                    #expect(author?["name"] == .string("author \(number / 10)"))
                    let genres = Set(book.objects(forKey: "genres").map { $0["name"] })
                    #expect(genres == Set([number % 5, (number + 1) % 5].map { .string("genre \($0)") }))
                    seen.insert("\(number)")
                }
                return seen
            }
            let (seen, walked) = context.roundTrips { walk() }
            #expect(seen.count == 600)
            #expect(walked == 0)
            let (_, again) = context.roundTrips { walk() }
            #expect(again == 0, "what was read stays with the shelves")
        }
    }

    @Test(arguments: Library.Way.allCases)
    func `a prefetch from faults and from changed objects reads what is missing`(way: Library.Way) throws {
        try Library.with(way, shelves: 2, books: 50) { container in
            let context = container.newContext()
            let pending = try context.insert(entityNamed: "Book")
            try pending.setValue(.integer(-1), forKey: "number")
            let shelf = try #require(try context.fetch(.shelves).first)
            try pending.setObjects([shelf], forKey: "shelf")
            var request = FetchRequest<ManagedObject>.books.prefetching("author", "shelf", "genres")
            request.returnsObjectsAsFaults = true
            let (books, count) = try context.roundTrips { try context.fetch(request) }
            #expect(books.count == 101 && books.first === pending)
            #expect(count == 5, "ids, books, authors, shelves, genres")
            let (_, walked) = context.roundTrips {
                for book in books.dropFirst() {
                    #expect(book.objects(forKey: "author").first?["name"] != .null)
                    #expect(book.objects(forKey: "shelf").first?["place"] != .null)
                    #expect(book.objects(forKey: "genres").count == 2)
                }
            }
            #expect(walked == 0)
        }
    }

    @Test(arguments: Library.Way.allCases)
    func `what was prefetched follows the saves of others`(way: Library.Way) throws {
        try Library.with(way, shelves: 2, books: 5) { container in
            let (context, other) = (container.newContext(), container.newContext())
            let shelves = try context.fetch(.shelves.prefetching("books"))
            let theirs = try other.fetch(.books)
            try theirs[0].setValue(.string("changed"), forKey: "title")
            other.delete(theirs[1])
            try theirs[2].setObjects([other.object(with: shelves[1].objectID)], forKey: "shelf")
            try context.merge { try other.save() }
            let titles = shelves.map { $0.objects(forKey: "books").map { $0["title"] } }
            #expect(Set(titles[0]) == Set(["changed", "book 3", "book 4"].map { .string($0) }))
            #expect(Set(titles[1]) == Set(([2] + Array(5..<10)).map { .string("book \($0)") }))
        }
    }

    @Test(arguments: Library.Way.allCases)
    func `a child context prefetches through its parent`(way: Library.Way) throws {
        try Library.with(way, shelves: 10, books: 10) { container in
            let parent = container.newContext()
            let child = parent.newChild()
            let (shelves, count) = try parent.roundTrips {
                try child.fetch(.shelves.prefetching("books.author"))
            }
            #expect(count <= 4, "\(count) round trips")
            let (names, walked) = parent.roundTrips {
                shelves.flatMap { $0.objects(forKey: "books") }.map {
                    $0.objects(forKey: "author").first?["name"]
                }
            }
            #expect(names.count == 100 && !names.contains(nil))
            #expect(walked == 0)
        }
    }

    @Test func `an asynchronous fetch prefetches too, and a wrong key path is refused`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let container = try PersistentContainer.embedded(
            name: "Library", model: Library.model(), folder: folder.path)
        try await container.loadStores()
        let context = container.newContext()
        let shelf = try context.insert(entityNamed: "Shelf")
        let book = try context.insert(entityNamed: "Book")
        try book.setValue(.string("one"), forKey: "title")
        try book.setValue(.integer(1), forKey: "number")
        try shelf.setValue(.integer(1), forKey: "place")
        try shelf.setObjects([book], forKey: "books")
        try context.save()
        let reader = container.newContext()
        let found = try await reader.fetchAsync(.shelves.prefetching("books"))
        #expect(reader.statistics.roundTrips == 2)
        #expect(found[0].objects(forKey: "books").first?["title"] == .string("one"))
        #expect(reader.statistics.roundTrips == 2)
        for path in ["place", "books.title", "nothing", ""] {
            #expect(throws: CofferError.self) { _ = try reader.fetch(.shelves.prefetching(path)) }
        }
    }
}
