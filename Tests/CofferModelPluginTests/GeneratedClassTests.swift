import Coffer
import CofferEmbedded
import CofferFormats
import FoundationEssentials
import TestSupport
import Testing

@Suite struct `Classes that the plugin made` {
    @Test func `the model in Swift is the model of the file`() throws {
        let folder = #filePath.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let read = try ModelFile.read(path: folder + "/Library.xcdatamodeld")
        #expect(LibraryModel.model == read)
        for (built, read) in zip(LibraryModel.model.entities, read.entities) { #expect(built == read) }
        #expect(LibraryModel.model.versionIdentifiers == ["2"])
        #expect(VersionHashes(of: LibraryModel.model) == VersionHashes(of: read))
    }

    @Test func `objects are saved and fetched with their properties and relationships`() throws {
        try withLibrary { container in
            let context = container.newContext()
            let book = context.insert(AudioBook.self)
            book.title = "Moby-Dick"
            book.pages = 635
            book.minutes = 1_450.5
            book.cover = Data([1, 2, 3])
            let shelf = context.insert(Index.self)
            book.shelf = shelf
            let tag = context.insert(Tag.self)
            tag.name = "sea"
            tag.class = 7
            tag.contextValue = "whales"
            tag.importance = .high
            book.tags.insert(tag)
            book.speakers.insert(tag)
            try context.save()

            let other = container.newContext()
            let found = try #require(
                try other.fetch(AudioBook.where { $0.minutes > 1_000 && $0.pages == 635 }).first)
            #expect(found.title == "Moby-Dick")
            #expect(found.isbn == UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
            #expect(found.price == Decimal(string: "9.95"))
            #expect((found.copies, found.acquired) == (1, nil))
            #expect(found.cover == Data([1, 2, 3]))
            #expect(found.shelf?.place == "\"Hall\" \\ 1")
            #expect(found.shelf?.media.array == [found])
            let sea = try #require(found.tags.array.first)
            #expect((sea.name, sea.class, sea.contextValue, sea.isImportant) == ("sea", 7, "whales", true))
            #expect(found.speakers.array == [sea])
        }
    }

    @Test func `objects have their class in every context, whatever was asked first`() throws {
        try withLibrary { container in
            let context = container.newContext()
            for title in ["A", "B"] { context.insert(Film.self).title = title }
            let (first, second) = (context.insert(Book.self), context.insert(AudioBook.self))
            (first.title, second.title) = ("C", "D")
            first.next = second
            try context.save()

            let other = container.newContext()
            let media = try other.fetch(Medium.all.sorted(by: \.title))
            #expect(media.map { "\(type(of: $0))" } == ["Film", "Film", "Book", "AudioBook"])
            #expect((media[3] as? AudioBook)?.previous?.title == "C")
            #expect(try other.fetch(Book.where { $0.title == "D" }).count == 1)
        }
    }

    @Test func `fetch requests of the model are functions`() throws {
        try withLibrary { container in
            let context = container.newContext()
            for (title, pages) in [("Émile", 500), ("Emma", 400), ("Candide", 100)] as [(String, Int32)] {
                let book = context.insert(Book.self)
                (book.title, book.pages) = (title, pages)
            }
            let tag = context.insert(Tag.self)
            tag.name = "often"
            context.insert(Tag.self).name = "seldom"
            let film = context.insert(Film.self)
            (film.title, film.copies) = ("F", 5)
            tag.media.insert(film)
            try context.save()
            let long = try context.fetch(Book.longBooks(pages: 450, title: "em"))
            #expect(long.map(\.title) == ["Émile"])
            #expect(Book.longBooks(pages: 1, title: "").limit == 10)
            #expect(try context.fetch(Tag.allRequest()).map(\.name) == ["often"])
            #expect(try context.fetch(LibraryModel.notes()).isEmpty)
        }
    }

    @Test func `fetched properties have objects of their class`() throws {
        try withLibrary { container in
            let context = container.newContext()
            for (title, pages) in [("A", 10), ("B", 10), ("C", 20)] as [(String, Int32)] {
                let book = context.insert(Book.self)
                (book.title, book.pages) = (title, pages)
            }
            context.insert(Tag.self).name = "C"
            let audio = context.insert(AudioBook.self)
            (audio.title, audio.pages) = ("D", 20)
            try context.save()
            let books = try context.fetch(Book.all.sorted(by: "title"))
            #expect(try books[0].asLong.map(\.title) == ["B"])
            #expect(try books[2].asLong.map(\.title) == ["D"])
            #expect(try books[2].contextObjects.map(\.name) == ["C"])
            #expect(try audio.asLong.map(\.title) == ["C"], "a subclass has them too")
        }
    }

    private func withLibrary(_ body: (PersistentContainer) throws -> Void) throws {
        try withTemporaryFolder { (folder) throws in
            let container = try PersistentContainer.embedded(
                name: "Library", model: LibraryModel.model, folder: folder)
            try container.loadStores()
            try body(container)
        }
    }
}
