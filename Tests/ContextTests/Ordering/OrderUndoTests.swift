import Coffer
import CofferModel
import ContextSupport
import TestSupport
import Testing

/// Positions of members that left and came back, and what undo does to them.
struct OrderUndoTests {
    /// A saved list in a context that has forgotten the list's members.
    private func withUnreadList(
        _ key: String, _ names: String, undoes: Bool = true, on backing: Backing,
        _ body: (PersistentContainer, ManagedObjectContext, ManagedObject) throws -> Void
    ) throws {
        try withContainer(Ordered.model(), on: backing) { container in
            _ = try {
                let maker = container.newContext()
                _ = try maker.makeList(key, names)
                try maker.save()
            }()
            let context = container.newContext()
            if undoes { context.undoManager = ContextUndoManager() }
            try body(container, context, try context.list())
        }
    }

    @Test(arguments: Ordered.sides, Backing.all)
    func `a reorder is undone even if the members have to be read again`(key: String, on backing: Backing)
        throws
    {
        try withUnreadList(key, "abcd", on: backing) { container, context, list in
            list.ordered(key).move(from: 3, to: 0)
            context.processPendingChanges()
            try context.save()
            context.refresh(list, mergeChanges: true)
            context.undo()
            #expect(list.names(key) == "abcd")
            try context.save()
            #expect(try container.stored(key) == "abcd")
            context.refresh(list, mergeChanges: true)
            context.redo()
            try context.save()
            #expect(try container.stored(key) == "dabc")
        }
    }

    @Test(arguments: Ordered.sides, Backing.all)
    func `a reorder is undone beside members that another context added meanwhile`(
        key: String, on backing: Backing
    ) throws {
        try withUnreadList(key, "abcd", on: backing) { container, context, list in
            list.ordered(key).replace(with: list.ordered(key).reversed())
            try context.save()
            let other = container.newContext()
            try other.list().ordered(key).insert(try other.item("x"), at: 0)
            try other.save()
            context.mergePendingChanges()
            context.undo()
            #expect(list.names(key) == "abcdx")
            try context.save()
            #expect(try container.stored(key) == "abcdx")
        }
    }

    @Test(arguments: Ordered.sides, Backing.all)
    func `removing unread members is undone with their positions, after a save too`(
        key: String, on backing: Backing
    ) throws {
        for isSaved in [false, true] {
            try withUnreadList(key, "abcd", on: backing) { container, context, list in
                let item = try #require(try context.all("Item").first { $0["name"].text == "b" })
                list.ordered(key).remove(item)
                if isSaved {
                    try context.save()
                    context.refresh(list, mergeChanges: true)
                }
                context.undo()
                #expect(list.names(key) == "abcd")
                try context.save()
                #expect(try container.stored(key) == "abcd")
            }
        }
    }

    @Test(arguments: Backing.all(with: Ordered.sides, [false, true]))
    func `a member that left and enters again comes last`(key: String, isRead: Bool, on backing: Backing)
        throws
    {
        try withUnreadList(key, "abcd", undoes: false, on: backing) { container, context, list in
            let item = try #require(try context.all("Item").first { $0["name"].text == "b" })
            if isRead { #expect(list.names(key) == "abcd") }
            list.ordered(key).remove(item)
            list.ordered(key).insert(item)
            #expect(list.names(key) == "acdb" && list.hasChanges)
            try context.save()
            #expect(try container.stored(key) == "acdb")
            list.ordered(key).removeAll()
            list.ordered(key).insert(item)
            #expect(list.names(key) == "b")
            try context.save()
            #expect(try container.stored(key) == "b")
        }
    }

    @Test(arguments: Backing.all(with: Ordered.sides, [false, true]))
    func `a member that left and enters again at a position stands there`(
        key: String, isRead: Bool, on backing: Backing
    ) throws {
        try withUnreadList(key, "abcd", undoes: false, on: backing) { container, context, list in
            let item = try #require(try context.all("Item").first { $0["name"].text == "b" })
            if isRead { #expect(list.names(key) == "abcd") }
            list.ordered(key).remove(item)
            list.ordered(key).insert(item, at: 2)
            #expect(list.names(key) == "acbd")
            try context.save()
            #expect(try container.stored(key) == "acbd")
            list.ordered(key).remove(item)
            list.ordered(key).insert(item, at: 0)
            #expect(list.names(key) == "bacd")
            try context.save()
            #expect(try container.stored(key) == "bacd")
        }
    }

    @Test(arguments: Backing.all(with: Ordered.sides, [false, true]))
    func `the departure and return of a member is undone and redone`(
        key: String, isRead: Bool, on backing: Backing
    ) throws {
        try withUnreadList(key, "abcd", on: backing) { container, context, list in
            let item = try #require(try context.all("Item").first { $0["name"].text == "b" })
            if isRead { #expect(list.names(key) == "abcd") }
            list.ordered(key).remove(item)
            context.processPendingChanges()
            list.ordered(key).insert(item)
            context.undo()
            #expect(list.names(key) == "acd")
            context.undo()
            #expect(list.names(key) == "abcd" && !context.hasChanges)
            context.redo()
            #expect(list.names(key) == "acd")
            context.redo()
            #expect(list.names(key) == "acdb")
            try context.save()
            #expect(try container.stored(key) == "acdb")
            context.undo()
            context.undo()
            try context.save()
            #expect(try container.stored(key) == "abcd")
        }
    }

    @Test(arguments: Ordered.sides, Backing.all)
    func `the first position counts of an object that is given twice`(key: String, on backing: Backing) throws
    {
        try withContainer(Ordered.model(), on: backing) { container in
            let context = container.newContext()
            let list = try context.makeList(key, "abc")
            let items = Array(list.ordered(key))
            list.ordered(key).replace(with: [items[2], items[0], items[2], items[0]])
            #expect(list.names(key) == "ca")
            try context.save()
            #expect(list.names(key) == "ca")
            #expect(try container.stored(key) == "ca")
            try list.setObjects([items[0], items[0]], forKey: key)
            #expect(list.ordered(key).count == 1)
            try context.save()
            #expect(try container.stored(key) == "a")
            list.ordered(key).insert(contentsOf: [items[1], items[1], items[0]])
            #expect(list.names(key) == "ab")
        }
    }
}
