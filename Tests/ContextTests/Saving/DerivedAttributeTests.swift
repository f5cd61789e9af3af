import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

@Suite struct DerivedAttributeTests {
    @Test(arguments: Backing.all)
    func `F42, F45: derived values are computed from others when saved, and are null before`(
        on backing: Backing
    ) throws {
        try withContainer(Press.model(), on: backing) { container in
            let context = container.newContext()
            let author = try context.make("Author", ["name": "Héllo Wörld"])
            let essay = try context.make("Essay", ["title": "Grand Café"])
            try essay.setObjects([author], forKey: "author")
            #expect(author["nameCopy"] == .null && essay["shout"] == .null && essay["authorName"] == .null)
            try context.save()
            #expect(context.statistics.faultsFired == 0)
            #expect(author["nameCopy"] == "Héllo Wörld" && author["plainName"] == "hello world")
            #expect(essay["shout"] == "GRAND CAFÉ" && essay["authorName"] == "Héllo Wörld")
            #expect(essay["whisper"] == "héllo wörld")
            author["name"] = "Ann"
            try context.save()
            #expect(essay["authorName"] == "Ann" && essay["whisper"] == "ann" && author["plainName"] == "ann")
            context.refreshAllObjects()
            #expect(essay["authorName"] == "Ann" && author["nameCopy"] == "Ann")
            try essay.setObjects([], forKey: "author")
            try context.save()
            #expect(essay["authorName"] == .null && author["articleCount"] == 0)
        }
    }

    @Test(arguments: Backing.all)
    func `F43: derived counts and sums follow the objects of a relationship`(on backing: Backing) throws {
        try withContainer(Press.model(), on: backing) { container in
            let context = container.newContext()
            let author = try context.make("Author", [:])
            func add(_ words: Int64) throws -> ManagedObject {
                let article = try context.make("Article", ["wordCount": .integer(words)])
                try article.setObjects([author], forKey: "author")
                return article
            }
            func state() -> [AttributeValue] { [author["articleCount"], author["wordSum"]] }
            _ = (try add(10), try add(32))
            try context.save()
            #expect(state() == [2, 42])
            let third = try add(8)
            try context.save()
            #expect(state() == [3, 50])
            context.delete(third)
            try context.save()
            #expect(state() == [2, 42])
            context.refresh(author, mergeChanges: false)
            #expect(state() == [2, 42])
        }
    }

    @Test(arguments: Backing.all)
    func `F46: a mandatory derived attribute has no value for its first save`(on backing: Backing) throws {
        let attributes = [
            AttributeDefinition("name", .string, isOptional: true),
            AttributeDefinition("copy", .string, derivationExpression: "name"),
        ]
        let model = try ManagedObjectModel(entities: [EntityDefinition("Thing", attributes: attributes)])
        try withContainer(model, on: backing) { container in
            let context = container.newContext()
            let thing = try context.make("Thing", ["name": "a"])
            do {
                try context.save()
                Issue.record("it was saved")
            } catch CofferError.validation(let failures) {
                #expect(failures.map(\.property) == ["copy"] && failures.map(\.reason) == [.required])
            }
            thing["copy"] = "anything, since it is not sent"
            try context.save()
            #expect(thing["copy"] == "a")
        }
    }

    @Test(arguments: Backing.all)
    func `other contexts learn derived values without a conflict`(on backing: Backing) throws {
        try withContainer(Press.model(), on: backing) { container in
            let (context, other) = (container.newContext(), container.newContext())
            let author = try context.make("Author", ["name": "Ann"])
            try context.save()
            let held = try other.existingObject(with: author.objectID)
            #expect(held["articleCount"] == 0)
            held["name"] = "Bea"
            let article = try context.make("Article", ["wordCount": 5])
            try article.setObjects([author], forKey: "author")
            try context.save()
            other.mergePendingChanges()
            #expect(held["articleCount"] == 1 && held["wordSum"] == 5)
            try other.save()  // Nobody has changed the author itself.
            context.mergePendingChanges()
            #expect(article["authorName"] == "Bea" && author["nameCopy"] == "Bea")
            let changes = try #require(try other.fetchHistory().last?.changes)
            #expect(
                changes.contains {
                    $0.objectID == article.objectID && $0.updatedProperties.contains("authorName")
                })
        }
    }

    @Test(arguments: Backing.all)
    func `a derived time of a save is that of its transaction`(on backing: Backing) throws {
        try withContainer(Press.model(), on: backing) { container in
            let context = container.newContext()
            let author = try context.make("Author", ["name": "Ann"])
            try context.save()
            let first = author["saved"]
            #expect(try context.fetchHistory().last.map { .date($0.timestamp) } == first)
            author["name"] = "Bea"
            try context.save()
            #expect(author["saved"] != first && author["saved"] != .null)
        }
    }

    @Test(arguments: Backing.all)
    func `of many objects of one save only the first may have a derived null`(on backing: Backing) throws {
        try withContainer(Press.model(), on: backing) { container in
            let context = container.newContext()
            var authors = [try context.make("Author", [:])]
            for name in 1...16 { authors.append(try context.make("Author", ["name": .string("\(name)")])) }
            try context.save()
            #expect(authors[0]["nameCopy"] == .null && authors[16]["nameCopy"] == "16")
            let copies = try container.newContext().all("Author").filter { $0["nameCopy"] != .null }
            #expect(copies.count == 16)
        }
    }

    @Test(arguments: Backing.all)
    func `a value that is set on a derived attribute is not saved`(on backing: Backing) throws {
        try withContainer(Press.model(), on: backing) { container in
            let context = container.newContext()
            let author = try context.make("Author", ["name": "Ann", "nameCopy": "nonsense"])
            try context.save()
            author["nameCopy"] = "more of it"
            try context.save()
            #expect(author["nameCopy"] == "Ann" && !context.hasChanges)
            #expect(throws: CofferError.self) {
                try context.execute(BatchUpdate(entityName: "Author", set: ["nameCopy": "x"]))
            }
            try context.execute(BatchUpdate(entityName: "Author", set: ["name": "Bea"]))
            #expect(try container.newContext().texts("Author", "nameCopy") == ["Bea"])
        }
    }

    @Test(arguments: Seed.several(3), Backing.all)
    func `every context has the right derived values after random saves`(_ seed: Seed, on backing: Backing)
        throws
    {
        print("seed \(seed)")
        try withContainer(Press.model(), on: backing) { container in
            var random = seed.generator()
            let context = container.newContext()
            let other = container.newContext()
            var held: [ManagedObject] = []
            for step in 0..<40 {
                for _ in 0..<Int.random(in: 1...4, using: &random) { try change(context, &random) }
                try context.save()
                other.mergePendingChanges()
                if step % 4 == 0 { held = try ["Author", "Article", "Tag"].flatMap { try other.all($0) } }
                let fresh = container.newContext()
                for each in [context, other, fresh] {
                    for entity in ["Author", "Article"] {
                        for object in try each.all(entity) { try check(object, seed) }
                    }
                }
            }
            #expect(!held.isEmpty)
        }
    }

    private func check(_ object: ManagedObject, _ seed: Seed) throws {
        for (key, value) in Press.expected(of: object) {
            if case .double(let wanted) = value, case .double(let found) = object[key] {
                #expect(abs(wanted - found) < 1e-9, "\(seed): \(key)")
            } else {
                #expect(object[key] == value, "\(seed): \(object.entity.name).\(key)")
            }
        }
    }

    private func change(_ context: ManagedObjectContext, _ random: inout SeededGenerator) throws {
        let authors = try context.all("Author")
        let articles = try context.all("Article")
        let tags = try context.all("Tag")
        let word = ["Ann", "Béa", "Jörg", "x"].randomElement(using: &random).map { AttributeValue.string($0) }
        let number = AttributeValue.integer(Int64.random(in: -3...9, using: &random))
        switch Int.random(in: 0..<12, using: &random) {
        case 0: try context.make("Author", ["name": word ?? .null])
        case 1, 2:
            let name = Bool.random(using: &random) ? "Article" : "Essay"
            let article = try context.make(
                name, ["title": word ?? .null, "wordCount": number, "weight": .double(0.1)])
            try article.setObjects(authors.randomElement(using: &random).map { [$0] } ?? [], forKey: "author")
            try article.setObjects(tags.filter { _ in Bool.random(using: &random) }, forKey: "tags")
        case 3: try context.make("Tag", ["points": number])
        case 4: authors.randomElement(using: &random)?["name"] = word ?? .null
        case 5: articles.randomElement(using: &random)?["wordCount"] = number
        case 6: articles.randomElement(using: &random)?["weight"] = .double(0.7)
        case 7: tags.randomElement(using: &random)?["points"] = number
        case 8:
            let author = authors.randomElement(using: &random).map { [$0] } ?? []
            try articles.randomElement(using: &random)?.setObjects(author, forKey: "author")
        case 9:
            let some = tags.filter { _ in Bool.random(using: &random) }
            try articles.randomElement(using: &random)?.setObjects(some, forKey: "tags")
        case 10:
            let some = authors.filter { _ in Bool.random(using: &random) }
            try authors.randomElement(using: &random)?.setObjects(some, forKey: "friends")
        default:
            if let object = (authors + articles + tags).randomElement(using: &random) {
                context.delete(object)
            }
        }
    }
}
