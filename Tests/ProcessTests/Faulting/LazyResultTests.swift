import Coffer
import CofferModel
import TestSupport
import Testing

/// How much of what a fetch finds is read, and when.
@Suite(.serialized) struct LazyResultTests {
    @Test
    func `the values of faults stay in the row cache, and those of ids do not`() throws {
        try withService { service in
            let container = try PersistentContainer(
                name: "Library", model: Library.model(), application: "org.coffer.Tests",
                bus: .explicit(service.bus.address))
            try container.loadStores()
            try fill(container, 300)
            let context = container.newContext()
            func counters() throws -> (hits: Int, misses: Int) {
                (
                    try service.counter("CacheHits", ofStore: "Library"),
                    try service.counter("CacheMisses", ofStore: "Library")
                )
            }
            // Another service has not seen the rows yet.
            try service.kill9()
            var request = FetchRequest<ManagedObject>.authors
            request.includesPropertyValues = false
            let ids = try context.fetch(request)
            #expect(ids.allSatisfy { $0.isFault })
            #expect(ids[0]["name"] == .string("author 0"))
            #expect(try counters() == (0, 200))
            #expect(try !context.fetch(.authors).contains { $0.isFault })
            context.reset()

            request.includesPropertyValues = true
            request.returnsObjectsAsFaults = true
            let start = try counters()
            let faults = try context.fetch(request)
            #expect(faults.allSatisfy { $0.isFault })
            #expect(!faults.contains { $0["name"].isNull })
            let end = try counters()
            #expect(end.hits == start.hits + 300 && end.misses == start.misses)

            context.refreshAllObjects()
            context.stalenessInterval = .zero
            #expect(!faults.contains { $0["name"].isNull })
            #expect(try counters().hits == end.hits, "the file itself was read")
        }
    }

    @Test(arguments: Library.Way.allCases)
    func `faults that were fetched follow changes before they fire`(way: Library.Way) throws {
        try Library.with(way) { container in
            try fill(container, 20)
            let (context, other) = (container.newContext(), container.newContext())
            var request = FetchRequest<ManagedObject>.authors
            request.returnsObjectsAsFaults = true
            let faults = try context.fetch(request)
            let theirs = try other.fetch(.authors)
            try theirs[0].setValue(.string("author 00"), forKey: "name")
            other.delete(theirs[1])
            try other.save()
            #expect(faults[0]["name"] == .string("author 00"))
            #expect(faults[1].isDeleted && faults[1]["name"].isNull)
            #expect(faults[2]["name"] == .string("author 10"))
        }
    }

    @Test(arguments: Library.Way.allCases)
    func `a lazy result reads batch by batch, and keeps two`(way: Library.Way) throws {
        try Library.with(way) { container in
            try fill(container, 1_000)
            let context = container.newContext()
            let (result, ids) = try context.roundTrips { try context.fetchLazily(.authors.batchSize(50)) }
            #expect(ids == 1 && result.count == 1_000 && result.objectIDs.count == 1_000)
            #expect(context.registeredObjectCount == 0)
            var most = 0
            let (names, walked) = context.roundTrips {
                result.map { object in
                    most = max(most, context.registeredObjectCount)
                    return object.isFault ? "fault" : "\(object["name"])"
                }
            }
            #expect(walked == 20 && names.count == 1_000 && !names.contains("fault"))
            #expect(Set(names).count == 1_000)
            #expect(most <= 150)
            let (_, border) = context.roundTrips {
                for _ in 0..<5 { #expect(result[899] !== result[900] && result[900] === result[900]) }
            }
            #expect(border == 2)
            #expect(result[100..<103].map { "\($0["name"])" } == Array(names[100..<103]))
        }
    }

    @Test(arguments: Library.Way.allCases)
    func `an object of a lazy result that others deleted keeps its place`(way: Library.Way) throws {
        try Library.with(way) { container in
            try fill(container, 30)
            let (context, other) = (container.newContext(), container.newContext())
            let result = try context.fetchLazily(.authors.batchSize(10))
            let first = result[0]
            let theirs = try other.fetch(.authors)
            for index in [0, 15] { other.delete(theirs[index]) }
            try theirs[16].setValue(.string("changed"), forKey: "name")
            try context.merge { try other.save() }
            #expect(result.count == 30)
            #expect(first.isDeleted && result[0] === first)
            #expect(result[15].isDeleted && result[15]["name"].isNull)
            #expect(throws: CofferError.self) { try result[15].requireValues() }
            #expect(result[16]["name"] == .string("changed"))
        }
    }

    @Test(arguments: Library.Way.allCases)
    func `a lazy result has pending objects, prefetches, and follows a save`(way: Library.Way) throws {
        try Library.with(way, shelves: 5, books: 10) { container in
            let context = container.newContext()
            let pending = try context.insert(entityNamed: "Shelf")
            try pending.setValue(.integer(-1), forKey: "place")
            let result = try context.fetchLazily(.shelves.batchSize(3).prefetching("books"))
            #expect(result.first === pending && result.count == 6)
            try context.save()
            #expect(result[0] === pending && !pending.isInserted)
            let (titles, count) = context.roundTrips {
                result.flatMap { $0.objects(forKey: "books") }.map { $0["title"] }
            }
            #expect(titles.count == 50 && !titles.contains(.null))
            #expect(count <= 4 + 2, "\(count) round trips")
            #expect(throws: CofferError.self) { _ = try context.fetchLazily(.shelves.prefetching("place")) }
        }
    }

    @Test(arguments: Library.Way.allCases)
    func `F31: a batch update shows after a refresh, whatever the staleness interval`(way: Library.Way) throws
    {
        try Library.with(way) { container in
            try fill(container, 1)
            let context = container.newContext()
            let author = try #require(try context.fetch(.authors).first)
            for (interval, name) in [(nil, "A"), (Duration.seconds(60), "B"), (.zero, "C")] {
                context.stalenessInterval = interval
                let other = container.newContext()
                let update = try BatchUpdate(
                    entityName: "Author", QueryPredicate(format: "TRUEPREDICATE"),
                    set: ["name": AttributeValue.string(name)])
                try other.execute(update)
                context.refresh(author, mergeChanges: false)
                #expect(author["name"] == .string(name))
            }
        }
    }

    @Test(arguments: Library.Way.allCases)
    func `F33: refreshing all keeps edits and makes the others faults`(way: Library.Way) throws {
        try Library.with(way) { container in
            try fill(container, 2)
            let context = container.newContext()
            let authors = try context.fetch(.authors)
            try authors[0].setValue(.string("mine"), forKey: "name")
            context.refreshAllObjects()
            #expect(!authors[0].isFault && authors[0]["name"] == .string("mine") && authors[0].hasChanges)
            #expect(authors[1].isFault)
        }
    }

    private func fill(_ container: PersistentContainer, _ count: Int) throws {
        let context = container.newContext()
        for number in 0..<count {
            try context.insert(entityNamed: "Author").setValue(.string("author \(number)"), forKey: "name")
        }
        try context.save()
    }
}

extension FetchRequest<ManagedObject> {
    /// All authors by name.
    fileprivate static var authors: FetchRequest { FetchRequest(entityName: "Author").sorted(by: "name") }
}
