import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

struct OrderTests {
    @Test(arguments: Ordered.sides, Backing.all)
    func `members enter, move, leave and are replaced at positions, and a save keeps the order`(
        key: String, on backing: Backing
    ) throws {
        try withContainer(Ordered.model(), on: backing) { container in
            let context = container.newContext()
            let list = try context.makeList(key, "ace")
            list.ordered(key).insert(try context.item("b"), at: 1)
            list.ordered(key).insert(try context.item("d"), at: 3)
            list.ordered(key).insert(try context.item("z"), at: 0)
            #expect(list.names(key) == "zabcde")
            try context.save()
            #expect(list.names(key) == "zabcde")
            #expect(try container.stored(key) == "zabcde")

            list.ordered(key).move(from: 0, to: 5)
            list.ordered(key).move(from: 4, to: 0)
            #expect(list.names(key) == "eabcdz" && list.hasChanges)
            #expect(list.ordered(key).remove(at: 2)["name"].text == "b")
            list.ordered(key).replace(at: 1, with: try context.item("x"))
            #expect(list.names(key) == "excdz")
            try context.save()
            #expect(try container.stored(key) == "excdz")
            #expect(!context.hasChanges)

            list.ordered(key).move(from: 1, to: 3)
            list.ordered(key).move(from: 3, to: 1)
            #expect(!context.hasChanges, "a member that is back where it was is not a change")
            list.ordered(key).move(from: 0, to: 4)
            context.rollback()
            #expect(list.names(key) == "excdz")
        }
    }

    @Test(arguments: Ordered.sides, Backing.all)
    func `replacing all members puts them in the given order`(key: String, on backing: Backing) throws {
        try withContainer(Ordered.model(), on: backing) { container in
            let context = container.newContext()
            let list = try context.makeList(key, "abcdef")
            try context.save()
            let items = Array(list.ordered(key))
            list.ordered(key).replace(with: [items[5], items[0], try context.item("g"), items[3], items[1]])
            #expect(list.names(key) == "fagdb")
            try context.save()
            #expect(try container.stored(key) == "fagdb")
            try list.setObjects(list.objects(forKey: key).reversed(), forKey: key)
            try context.save()
            #expect(try container.stored(key) == "bdgaf")
        }
    }

    @Test(arguments: Ordered.sides, Backing.all)
    func `moves of two contexts merge, and the later one counts for a member moved twice`(
        key: String, on backing: Backing
    ) throws {
        try withContainer(Ordered.model(), on: backing) { container in
            let one = container.newContext()
            let list = try one.makeList(key, "abcdef")
            try one.save()
            let two = container.newContext()
            two.mergePolicy = .error
            let other = try two.list()
            #expect(other.names(key) == "abcdef")

            list.ordered(key).move(from: 0, to: 5)  // a behind f
            other.ordered(key).move(from: 3, to: 0)  // d first
            other.ordered(key).insert(try two.item("x"), at: 3)  // behind b
            try one.save()
            two.mergePendingChanges()
            #expect(other.names(key) == "dbxcefa", "the move that is not saved yet stays")
            try two.save()
            one.mergePendingChanges()
            #expect(list.names(key) == "dbxcefa")
            #expect(try container.stored(key) == "dbxcefa")

            list.ordered(key).move(from: 6, to: 0)
            other.ordered(key).move(from: 6, to: 3)
            try one.save()
            try two.save()
            one.mergePendingChanges()
            #expect(list.names(key) == "dbxacef")
            #expect(try container.stored(key) == list.names(key))
        }
    }

    @Test(arguments: Ordered.sides, Backing.all)
    func `a move has no effect if the member or its neighbour has left meanwhile`(
        key: String, on backing: Backing
    ) throws {
        try withContainer(Ordered.model(), on: backing) { container in
            let one = container.newContext()
            let list = try one.makeList(key, "abcdef")
            try one.save()
            let two = container.newContext()
            two.automaticallyMergesChanges = false
            let other = try two.list()
            #expect(other.names(key) == "abcdef")
            other.ordered(key).move(from: 0, to: 3)  // a behind d
            other.ordered(key).move(from: 4, to: 0)  // e first
            for place in [4, 3] { list.ordered(key).remove(at: place) }  // e and d
            try one.save()
            try two.save()
            #expect(try container.stored(key) == "abcf")
        }
    }

    @Test(arguments: Ordered.sides, Backing.all)
    func `moves and departures are undone and redone, positions included`(key: String, on backing: Backing)
        throws
    {
        try withContainer(Ordered.model(), on: backing) { container in
            let context = container.newContext()
            let list = try context.makeList(key, "abcd")
            try context.save()
            context.undoManager = ContextUndoManager()
            list.ordered(key).move(from: 3, to: 0)
            context.processPendingChanges()
            list.ordered(key).remove(at: 1)
            context.processPendingChanges()
            #expect(list.names(key) == "dbc")
            context.undo()
            #expect(list.names(key) == "dabc")
            context.undo()
            #expect(list.names(key) == "abcd" && !list.hasChanges)
            context.redo()
            context.redo()
            #expect(list.names(key) == "dbc")
            try context.save()
            #expect(try container.stored(key) == "dbc")
        }
    }

    @Test(arguments: Ordered.sides, Backing.all)
    func `a nested context moves members in its parent, and sees its parent's order`(
        key: String, on backing: Backing
    ) throws {
        try withContainer(Ordered.model(), on: backing) { container in
            let parent = container.newContext()
            let list = try parent.makeList(key, "abc")
            let child = parent.newChild()
            let own = try #require(child.object(with: list.objectID) as ManagedObject?)
            #expect(own.names(key) == "abc")
            own.ordered(key).insert(try child.item("x"), at: 1)
            own.ordered(key).move(from: 3, to: 0)
            #expect(own.names(key) == "caxb")
            try child.save()
            #expect(list.names(key) == "caxb")
            try parent.save()
            #expect(try container.stored(key) == "caxb")
            list.ordered(key).move(from: 0, to: 3)
            child.mergePendingChanges()
            #expect(list.names(key) == "axbc")
        }
    }

    @Test(arguments: Seed.several(6), Backing.all)
    func `any edits of two contexts that take turns give the order that an array has`(
        seed: Seed, on backing: Backing
    ) throws {
        try withContainer(Ordered.model(), on: backing) { container in
            var numbers = seed.generator()
            let key = Ordered.sides[Int(seed.value % UInt64(Ordered.sides.count))]
            let contexts = [container.newContext(), container.newContext()]
            _ = try contexts[0].makeList(key, "abcdefgh")
            try contexts[0].save()
            var expected = Array("abcdefgh")
            var letters = Array("ijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
            for _ in 0..<60 {
                let context = contexts[Int.random(in: 0...1, using: &numbers)]
                context.mergePendingChanges()
                let list = try context.list()
                #expect(list.names(key) == String(expected), "replay: COFFER_SEED=\(seed)")
                for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                    let place = Int.random(in: 0...max(0, expected.count - 1), using: &numbers)
                    switch Int.random(in: 0..<4, using: &numbers) {
                    case 0 where !letters.isEmpty:
                        let letter = letters.removeLast()
                        list.ordered(key).insert(try context.item(letter), at: place)
                        expected.insert(letter, at: min(place, expected.count))
                    case 1 where expected.count > 3:
                        list.ordered(key).remove(at: place)
                        expected.remove(at: place)
                    case 2:
                        expected.shuffle(using: &numbers)
                        let items = Dictionary(
                            uniqueKeysWithValues: list.ordered(key).map { ($0["name"].text, $0) })
                        list.ordered(key).replace(with: expected.compactMap { items[String($0)] })
                    default:
                        let other = Int.random(in: 0..<expected.count, using: &numbers)
                        list.ordered(key).move(from: place, to: other)
                        expected.insert(expected.remove(at: place), at: other)
                    }
                    #expect(list.names(key) == String(expected), "replay: COFFER_SEED=\(seed)")
                }
                try context.save()
            }
            #expect(
                try container.stored(key) == String(expected),
                "replay: COFFER_SEED=\(seed)")
        }
    }
}
