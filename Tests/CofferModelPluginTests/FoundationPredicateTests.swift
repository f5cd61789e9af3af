import Coffer
import CofferEmbedded
import FoundationEssentials
import TestSupport
import Testing

@Suite struct `Predicates of Foundation over generated classes` {
    @Test func `predicates over generated classes give the objects that Swift would choose`() throws {
        try withBooks { context in
            let least: Int32 = 400
            let titles = ["Emma", "Ulysses", "No such book"]
            try check(#Predicate<Book> { $0.title == "Emma" }, ["Emma"], context)
            try check(
                #Predicate<Book> { $0.pages >= least && $0.title != "Emma" }, ["Moby-Dick", "Ulysses"],
                context)
            try check(
                #Predicate<Book> { $0.pages < 400 || !($0.title < "U") }, ["Candide", "Ulysses"], context)
            try check(#Predicate<Book> { $0.title.contains("dick") }, [], context)
            try check(#Predicate<Book> { $0.title.contains("Dick") }, ["Moby-Dick"], context)
            try check(#Predicate<Book> { $0.title.starts(with: "Mo") }, ["Moby-Dick"], context)
            try check(#Predicate<Book> { titles.contains($0.title) }, ["Emma", "Ulysses"], context)
            try check(#Predicate<Book> { (100...400).contains($0.pages) }, ["Candide", "Emma"], context)
            try check(#Predicate<Book> { (100..<400).contains($0.pages) }, ["Candide"], context)
            try check(#Predicate<Book> { $0.pages * 2 > 1_000 }, ["Moby-Dick", "Ulysses"], context)
            try check(#Predicate<Book> { $0.title.count == 4 }, ["Emma"], context)
        }
    }

    @Test func `predicates over generated classes follow relationships, and null as Swift does`() throws {
        try withBooks { context in
            try check(#Predicate<Book> { $0.shelf?.place == "Hall" }, ["Candide", "Emma"], context)
            try check(#Predicate<Book> { $0.shelf?.place != "Hall" }, ["Moby-Dick", "Ulysses"], context)
            try check(#Predicate<Book> { $0.shelf == nil }, ["Moby-Dick", "Ulysses"], context)
            try check(#Predicate<Book> { $0.acquired != nil }, ["Emma"], context)
            try check(#Predicate<Book> { ($0.shelf?.place ?? "") == "" }, ["Moby-Dick", "Ulysses"], context)
            try check(#Predicate<Book> { $0.shelf?.isOpen == true }, ["Candide", "Emma"], context)
            try check(#Predicate<Book> { $0.tags.contains { $0.name == "sea" } }, ["Moby-Dick"], context)
            try check(
                #Predicate<Book> { $0.tags.allSatisfy { $0.name == "sea" } },
                ["Candide", "Moby-Dick", "Ulysses"], context)
            try check(#Predicate<Book> { $0.tags.count == 1 }, ["Emma", "Moby-Dick"], context)
            try check(#Predicate<Book> { $0.tags.isEmpty }, ["Candide", "Ulysses"], context)
            try check(
                #Predicate<AudioBook> { $0.minutes > 100 && $0.title == "Ulysses" }, ["Ulysses"], context)
        }
    }

    @Test func `predicates over generated classes are refused where a store has no word for them`() throws {
        try withBooks { context in
            let model = try ManagedObjectModel { Entity("Book") { Field("title", .string) } }
            let predicate = #Predicate<Book> { $0.title == "Emma" }
            #expect(throws: CofferError.self) { try model.queryPredicate(predicate) }
            #expect(throws: CofferError.self) {
                try context.fetch(#Predicate<Book> { $0.title.utf8.count == 4 })
            }
        }
    }

    private func check<Object: Medium>(
        _ predicate: Predicate<Object>, _ titles: [String], _ context: ManagedObjectContext,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try context.fetch(FetchRequest(predicate, in: context.model).sorted(by: "title"))
        #expect(found.map { $0.title } == titles, sourceLocation: location)
        // In memory the answer is the same, by our evaluation and by Foundation's.
        let all = try context.fetch(FetchRequest<Object>().sorted(by: "title"))
        let chosen = try all.filter { try predicate.evaluate($0) }
        #expect(chosen.map { $0.title } == titles, "Foundation", sourceLocation: location)
    }

    private func withBooks(_ body: (ManagedObjectContext) throws -> Void) throws {
        try withTemporaryFolder { (folder) throws in
            let container = try PersistentContainer.embedded(
                name: "Library", model: LibraryModel.model, folder: folder)
            try container.loadStores()
            let context = container.newContext()
            let hall = context.insert(Index.self)
            hall.place = "Hall"
            for (title, pages) in [("Candide", 100), ("Emma", 400), ("Moby-Dick", 635)] as [(String, Int32)] {
                let book = context.insert(Book.self)
                (book.title, book.pages) = (title, pages)
                book.shelf = title == "Moby-Dick" ? nil : hall
                guard title != "Candide" else { continue }
                let tag = context.insert(Tag.self)
                tag.name = title == "Emma" ? "village" : "sea"
                book.tags.insert(tag)
                if title == "Emma" { book.acquired = Date(timeIntervalSinceReferenceDate: 0) }
            }
            let ulysses = context.insert(AudioBook.self)
            (ulysses.title, ulysses.pages, ulysses.minutes) = ("Ulysses", 730, 1_800)
            try context.save()
            try body(container.newContext())
        }
    }
}
