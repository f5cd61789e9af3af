import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

@Suite struct FetchTemplateTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Book") {
                Field("code", .string)
                Field("pages", .integer32).default(0)
                Many("tags", "Tag", inverse: "books")
                Fetched("reviews", entityName: "Review", predicate: "bookCode == $FETCH_SOURCE.code")
                Fetched(
                    "longer", entityName: "Book",
                    predicate: "pages > $FETCH_SOURCE.pages AND SELF != $FETCH_SOURCE", limit: 2)
                Fetched(
                    "alike", entityName: "Book",
                    predicate: "ANY tags IN $FETCH_SOURCE.tags AND SELF != $FETCH_SOURCE")
                Fetched(
                    "praise", entityName: "Review",
                    predicate:
                        "text == $FETCHED_PROPERTY.userInfo.word AND 'praise' == $FETCHED_PROPERTY.name",
                    userInfo: ["word": "good"])
                Fetched("odd", entityName: "Review", predicate: "text == $FETCH_SOURCE.nothing")
            }
            Entity("Novel", parent: "Book") { Fetched("others", entityName: "Novel") }
            Entity("Tag") { Many("books", "Book", inverse: "tags") }
            Entity("Review") {
                Field("bookCode", .string)
                Field("text", .string).optional()
            }
            FetchRequestTemplate(
                "longBooks", entityName: "Book", predicate: "pages >= $LEAST AND code IN $CODES", limit: 2)
            FetchRequestTemplate("plainBooks", entityName: "Book", includesSubentities: false)
            FetchRequestTemplate("wrong", entityName: "Book", predicate: "pages >=")
        }
    }

    private func codes(_ objects: [ManagedObject], _ key: String = "code") -> [String] {
        objects.map { $0[key].text }.sorted()
    }

    @Test(arguments: Backing.all)
    func `results have the order of their template or fetched property`(on backing: Backing) throws {
        let byPages = [QuerySort("pages", ascending: false), QuerySort("code")]
        let model = try ManagedObjectModel {
            Entity("Book") {
                Field("code", .string)
                Field("pages", .integer32).default(0)
                Fetched("all", entityName: "Book", sortDescriptors: byPages)
            }
            FetchRequestTemplate("all", entityName: "Book", sortDescriptors: byPages)
        }
        try withContainer(model, on: backing) { container in
            let context = container.newContext()
            for (code, pages) in [("b", 1), ("c", 2), ("a", 1)] {
                try context.make("Book", ["code": .string(code), "pages": .integer(Int64(pages))])
            }
            try context.save()
            let found = try context.fetch(container.model.fetchRequestFromTemplate(withName: "all"))
            #expect(found.map { $0["code"].text } == ["c", "a", "b"])
            let fetched = try #require(found.first).fetchedObjects(forKey: "all")
            #expect(fetched.map { $0["code"].text } == ["c", "a", "b"])
        }
    }

    @Test(arguments: Backing.all)
    func `a template makes a request with values in place of its variables`(on backing: Backing) throws {
        try withContainer(model(), on: backing) { container in
            let context = container.newContext()
            for (code, pages) in [("a", 1), ("b", 200), ("c", 300)] {
                try context.make("Book", ["code": .string(code), "pages": .integer(Int64(pages))])
            }
            try context.make("Novel", ["code": "d", "pages": 400])
            try context.save()
            func fetch(_ name: String, _ values: [String: any QueryArgument] = [:]) throws -> [String] {
                let request = try container.model.fetchRequestFromTemplate(
                    withName: name, substitutionVariables: values)
                return codes(try context.fetch(request))
            }
            #expect(try fetch("longBooks", ["LEAST": 200, "CODES": ["a", "b", "d"]]) == ["b", "d"])
            #expect(try fetch("plainBooks") == ["a", "b", "c"])
            #expect(container.model.fetchRequestTemplate(forName: "longBooks")?.limit == 2)
            let missing = #expect(throws: CofferError.self) { try fetch("longBooks", ["LEAST": 200]) }
            #expect(missing.map { "\($0)" }?.contains("CODES") ?? false)
            #expect(throws: CofferError.self) { try fetch("none") }
            #expect(throws: CofferError.self) { try fetch("wrong") }
        }
    }

    @Test(arguments: Backing.all)
    func `a fetched property is fetched once, and again after a refresh`(on backing: Backing) throws {
        try withContainer(model(), on: backing) { container in
            let context = container.newContext()
            let book = try context.make("Novel", ["code": "a", "pages": 10])
            let other = try context.make("Book", ["code": "b", "pages": 20])
            try context.make("Review", ["bookCode": "a", "text": "good"])
            #expect(codes(try book.fetchedObjects(forKey: "reviews"), "text") == ["good"])
            try context.save()
            #expect(codes(try book.fetchedObjects(forKey: "reviews"), "text") == ["good"])
            let fetches = context.statistics.fetches
            #expect(codes(try book.fetchedObjects(forKey: "reviews"), "text") == ["good"])
            #expect(context.statistics.fetches == fetches)
            try context.make("Review", ["bookCode": "a", "text": "bad"])
            try context.save()
            #expect(codes(try book.fetchedObjects(forKey: "reviews"), "text") == ["good"])
            context.refresh(book, mergeChanges: true)
            #expect(codes(try book.fetchedObjects(forKey: "reviews"), "text") == ["bad", "good"])
            #expect(codes(try other.fetchedObjects(forKey: "reviews"), "text") == [])
            #expect(codes(try book.fetchedObjects(forKey: "longer")) == ["b"])
            #expect(codes(try book.fetchedObjects(forKey: "praise"), "text") == ["good"])
            #expect(codes(try book.fetchedObjects(forKey: "others")) == ["a"])
        }
    }

    @Test(arguments: Backing.all)
    func `a fetched property refers to the objects of its source's relationships`(on backing: Backing) throws
    {
        try withContainer(model(), on: backing) { container in
            let context = container.newContext()
            let books = try ["a", "b", "c"].map { try context.make("Book", ["code": .string($0)]) }
            let tags = try (0..<2).map { _ in try context.make("Tag", [:]) }
            try books[0].setObjects(tags, forKey: "tags")
            try books[1].setObjects([tags[1]], forKey: "tags")
            try context.save()
            #expect(codes(try books[0].fetchedObjects(forKey: "alike")) == ["b"])
            #expect(codes(try books[2].fetchedObjects(forKey: "alike")) == [])
        }
    }

    @Test(arguments: Backing.all)
    func `a fetched property that cannot be fetched is an error`(on backing: Backing) throws {
        try withContainer(model(), on: backing) { container in
            let context = container.newContext()
            let book = try context.make("Book", ["code": "a"])
            #expect(throws: CofferError.self) { try book.fetchedObjects(forKey: "others") }
            #expect(throws: CofferError.self) { try book.fetchedObjects(forKey: "odd") }
            try context.save()
            context.delete(book)
            try context.save()
            #expect(throws: CofferError.self) { try book.fetchedObjects(forKey: "reviews") }
        }
    }

    @Test func `templates and fetched properties have to fit their model`() {
        let thing = EntityDefinition("Thing", attributes: [AttributeDefinition("name", .string)])
        func model(_ template: [FetchRequestTemplate], _ fetched: [FetchedPropertyDefinition] = []) throws {
            var thing = thing
            thing.fetchedProperties = fetched
            _ = try ManagedObjectModel(entities: [thing], fetchRequestTemplates: template)
        }
        let all = FetchRequestTemplate("all", entityName: "Thing")
        #expect(throws: ModelError.self) { try model([all, all]) }
        #expect(throws: ModelError.self) { try model([FetchRequestTemplate("all", entityName: "Thin")]) }
        #expect(throws: ModelError.self) { try model([], [FetchedPropertyDefinition("name", request: all)]) }
        let lost = FetchedPropertyDefinition("x", request: FetchRequestTemplate("", entityName: "Thin"))
        #expect(throws: ModelError.self) { try model([], [lost]) }
    }
}
