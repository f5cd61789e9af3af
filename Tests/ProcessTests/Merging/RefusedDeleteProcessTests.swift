import Coffer
import CofferModel
import TestSupport
import Testing

/// A context deletes an object that another context has changed, and its merge policy lets the store win.
@Suite(.serialized) struct RefusedDeleteProcessTests {
    @Test(
        arguments: Library.Way.allCases,
        [MergePolicy.rollback, .mergeByPropertyStoreTrump])
    func `an object that the store kept is there for all contexts`(
        way: Library.Way, policy: MergePolicy
    ) throws {
        try Library.with(way, shelves: 1, books: 2) { container in
            let (mine, other) = (container.newContext(name: "mine"), container.newContext(name: "other"))
            mine.automaticallyMergesChanges = false
            mine.mergePolicy = policy
            let controllers = try [mine, other].map { try FetchedResultsController(.books, in: $0) }
            for controller in controllers { try controller.performFetch() }
            let (books, theirs) = (try mine.fetch(.books), try other.fetch(.books))
            let shelf = try #require(try mine.fetch(.shelves).first)
            #expect(Set(shelf.objects(forKey: "books")) == Set(books))
            let genres = books[0].objects(forKey: "genres")
            for genre in genres { #expect(genre.objects(forKey: "books").contains(books[0])) }

            try theirs[0].setValue(.string("theirs"), forKey: "title")
            try other.save()
            mine.delete(books[0])
            try books[1].setValue(.string("mine"), forKey: "title")
            try other.merge { try mine.save() }

            #expect(!mine.hasChanges && !books[0].isDeleted && !theirs[0].isDeleted)
            for both in [books, theirs, try container.newContext().fetch(.books)] {
                #expect(both.map { $0["title"] } == [.string("theirs"), .string("mine")])
            }
            for controller in controllers { #expect(controller.fetchedObjects.count == 2) }
            #expect(try mine.fetch(.books) == books)
            #expect(Set(shelf.objects(forKey: "books")) == Set(books))
            #expect(books[0].objects(forKey: "shelf") == [shelf])
            #expect(Set(books[0].objects(forKey: "genres")) == Set(genres))
            for genre in genres { #expect(genre.objects(forKey: "books").contains(books[0])) }
        }
    }
}
