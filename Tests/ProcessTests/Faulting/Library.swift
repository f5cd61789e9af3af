import Coffer
import CofferEmbedded
import CofferLinux
import CofferModel
import TestSupport
import Testing

/// Shelves with books, authors and genres: every kind of relationship a loop may follow.
enum Library {
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Shelf") {
                Field("place", .integer32)
                Many("books", "Book", inverse: "shelf", deleteRule: .nullify)
            }
            Entity("Book") {
                Field("title", .string)
                Field("number", .integer32)
                One("shelf", "Shelf", inverse: "books")
                One("author", "Author", inverse: "books")
                Many("genres", "Genre", inverse: "books", deleteRule: .nullify)
            }
            Entity("Novel", parent: "Book") { Field("heroes", .integer32).default(0) }
            Entity("Author") {
                Field("name", .string)
                Many("books", "Book", inverse: "author", deleteRule: .nullify)
            }
            Entity("Genre") {
                Field("name", .string)
                Many("books", "Book", inverse: "genres", deleteRule: .nullify)
            }
        }
    }

    /// The two ways to a store.
    enum Way: CaseIterable {
        case service, embedded
    }

    /// A container whose store has `shelves` shelves with `books` books each, a fourth of them novels; an
    /// author for each ten books, and five genres.
    static func with<Result>(
        _ way: Way, shelves: Int = 0, books: Int = 0, _ body: (PersistentContainer) throws -> Result
    ) throws -> Result {
        func fill(_ container: PersistentContainer) throws -> Result {
            try container.loadStores()
            if shelves > 0 { try self.fill(container.newContext(), shelves, books) }
            return try body(container)
        }
        switch way {
        case .service:
            return try withService { service in
                try fill(
                    PersistentContainer(
                        name: "Library", model: model(), application: "org.coffer.Tests",
                        bus: .explicit(service.bus.address)))
            }
        case .embedded:
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            return try fill(.embedded(name: "Library", model: model(), folder: folder.path))
        }
    }

    private static func fill(_ context: ManagedObjectContext, _ shelves: Int, _ books: Int) throws {
        let genres = try (0..<5).map { try context.insert("Genre", ["name": .string("genre \($0)")]) }
        var author = try context.insert("Author", ["name": .string("author 0")])
        for place in 0..<shelves {
            let shelf = try context.insert("Shelf", ["place": .integer(Int64(place))])
            for index in 0..<books {
                let number = place * books + index
                if number > 0, number % 10 == 0 {
                    author = try context.insert("Author", ["name": .string("author \(number / 10)")])
                }
                let book = try context.insert(
                    number % 4 == 0 ? "Novel" : "Book",
                    ["title": .string("book \(number)"), "number": .integer(Int64(number))])
                try book.setObjects([shelf], forKey: "shelf")
                try book.setObjects([author], forKey: "author")
                try book.setObjects([genres[number % 5], genres[(number + 1) % 5]], forKey: "genres")
            }
        }
        try context.save()
    }
}

extension ManagedObjectContext {
    fileprivate func insert(_ entity: String, _ values: [String: AttributeValue]) throws -> ManagedObject {
        let object = try insert(entityNamed: entity)
        for (key, value) in values { try object.setValue(value, forKey: key) }
        return object
    }

    /// Calls `save`, in which another context saves, and waits until this context has merged it.
    func merge(_ save: () throws -> Void) throws {
        let hasWoken = ConditionLock(false)
        wakeUp = {
            hasWoken.withLock { $0 = true }
            hasWoken.signal()
        }
        defer { wakeUp = nil }
        let before = statistics.merges
        try save()
        while statistics.merges == before {
            let wasWoken: Bool? = hasWoken.wait(timeout: .seconds(60)) { isSet in
                defer { isSet = false }
                return isSet ? true : nil
            }
            try #require(wasWoken == true, "nobody told of the save")
            mergePendingChanges()
        }
    }

    /// How many round trips `body` costs.
    func roundTrips<Result>(_ body: () throws -> Result) rethrows -> (Result, count: Int) {
        let before = statistics.roundTrips
        let result = try body()
        return (result, statistics.roundTrips - before)
    }
}

extension FetchRequest<ManagedObject> {
    /// All books by number.
    static var books: FetchRequest { FetchRequest(entityName: "Book").sorted(by: "number") }
    /// All shelves by place.
    static var shelves: FetchRequest { FetchRequest(entityName: "Shelf").sorted(by: "place") }
}
