import Coffer
import CofferModel
import Testing

/// What a context below a child hears of the child's saves into the context above.
@Suite struct `Children of children` {
    /// A root with a saved note in a folder, and objects of it two levels below, read and held there.
    private struct Tree {
        let root: ManagedObjectContext
        let middle: ManagedObjectContext
        let leaf: ManagedObjectContext
        let above: Note
        let between: Note
        let below: Note

        init() throws {
            root = try World().context()
            above = root.insert(Note.self)
            above.title = "a"
            for name in ["first", "second", "third"] { root.insert(Folder.self).name = name }
            above.folder = try Self.folder("first", in: root)
            try root.save()
            middle = root.newChild()
            leaf = middle.newChild()
            between = try #require(try middle.existingObject(with: above.objectID) as? Note)
            below = try #require(try leaf.existingObject(with: above.objectID) as? Note)
            middle.automaticallyMergesChanges = false
        }

        /// The folder of that name.
        func folder(_ name: String, _ context: ManagedObjectContext) throws -> Folder {
            try Self.folder(name, in: context)
        }

        private static func folder(_ name: String, in context: ManagedObjectContext) throws -> Folder {
            try #require(try context.fetch(FetchRequest<Folder>().matching("name == %@", name)).first)
        }
    }

    @Test func `grandchildren hear what their parent changed and saved`() throws {
        let tree = try Tree()
        let (first, second) = (try tree.folder("first", tree.leaf), try tree.folder("second", tree.leaf))
        #expect(first.notes.array == [tree.below] && second.notes.isEmpty)
        tree.between.title = "b"
        tree.between.rating = 7
        tree.between.folder = try tree.folder("second", tree.middle)
        tree.below.rating = 9
        try tree.middle.save()
        tree.leaf.mergePendingChanges()
        #expect(tree.below.title == "b" && tree.below.rating == 9)
        #expect(tree.below.folder == second)
        #expect(first.notes.isEmpty && second.notes.array == [tree.below])
    }

    @Test(arguments: [false, true])
    func `grandchildren hear what was changed of a new object that they had read`(isRoot: Bool) throws {
        let tree = try Tree()
        let context = isRoot ? tree.root : tree.middle
        let (fresh, tag) = (context.insert(Note.self), context.insert(Tag.self))
        (fresh.title, tag.name) = ("fresh", "t")
        let below = try #require(try tree.leaf.existingObject(with: fresh.objectID) as? Note)
        let second = try tree.folder("second", tree.leaf)
        #expect(below.title == "fresh" && below.tags.isEmpty && second.notes.isEmpty)
        fresh.title = "changed"
        fresh.tags.insert(tag)
        fresh.folder = try tree.folder("second", context)
        try context.save()
        tree.middle.mergePendingChanges()
        tree.leaf.mergePendingChanges()
        #expect(below.title == "changed" && below.tags.map(\.name) == ["t"])
        #expect(below.folder == second && second.notes.array == [below])
        #expect(below.objectID.isTemporary == !isRoot)
    }

    @Test func `grandchildren hear what their parent deleted and saved`() throws {
        let tree = try Tree()
        let first = try tree.folder("first", tree.leaf)
        #expect(first.notes.array == [tree.below])
        tree.middle.delete(tree.between)
        try tree.middle.save()
        tree.leaf.mergePendingChanges()
        #expect(tree.below.isDeleted && first.notes.isEmpty)
    }

    @Test func `what is taken back above before it is saved is taken back below`() throws {
        let tree = try Tree()
        let tag = tree.root.insert(Tag.self)
        tag.name = "t"
        try tree.root.save()
        tree.between.title = "b"
        tree.between.folder = try tree.folder("second", tree.middle)
        tree.between.tags.insert(try #require(try tree.middle.fetch(FetchRequest<Tag>()).first))
        try tree.middle.save()
        tree.leaf.mergePendingChanges()
        #expect(tree.below.title == "b" && tree.below.folder?.name == "second" && tree.below.tags.count == 1)
        tree.above.title = "a"
        tree.above.folder = try tree.folder("first", tree.root)
        tree.above.tags.remove(tag)
        try tree.root.save()
        for context in [tree.middle, tree.leaf] { context.mergePendingChanges() }
        for note in [tree.between, tree.below] {
            #expect(note.title == "a" && note.folder?.name == "first" && note.tags.isEmpty)
        }
    }

    @Test func `an object that a sibling deleted is in no relationship, though nobody holds it`() throws {
        let tree = try Tree()
        let sibling = tree.root.newChild()
        let first = try tree.folder("first", sibling)
        #expect(first.notes.count == 1)
        tree.middle.delete(tree.between)
        try tree.middle.save()
        sibling.mergePendingChanges()
        #expect(first.notes.isEmpty)
    }

    @Test func `an end that a save could not get, for it was deleted above, no sibling gets either`() throws {
        let tree = try Tree()
        let sibling = tree.root.newChild()
        let theirs = try #require(try sibling.existingObject(with: tree.above.objectID) as? Note)
        let folders = try ["first", "second"].map { try tree.folder($0, sibling) }
        #expect(theirs.folder == folders[0] && folders.map(\.notes.count) == [1, 0])
        tree.middle.mergePolicy = .mergeByPropertyObjectTrump
        tree.between.folder = try tree.folder("second", tree.middle)
        tree.root.delete(try tree.folder("second", tree.root))
        try tree.middle.save()
        #expect(tree.above.folder == nil && tree.between.folder == nil)
        sibling.mergePendingChanges()
        #expect(theirs.folder == nil && folders.map(\.notes.count) == [0, 0])
    }

    @Test(arguments: [false, true])
    func `results that grandchildren follow have what was inserted above`(isRoot: Bool) throws {
        let tree = try Tree()
        let results = try FetchedResultsController(Note.all.sorted(by: "title"), in: tree.leaf)
        try results.performFetch()
        (isRoot ? tree.root : tree.middle).insert(Note.self).title = "b"
        if !isRoot { try tree.middle.save() }
        if isRoot {
            try tree.root.save()
            tree.middle.mergePendingChanges()
        }
        tree.leaf.mergePendingChanges()
        #expect(results.fetchedObjects.map(\.title) == ["a", "b"])
        try tree.root.save()
        tree.middle.mergePendingChanges()
        tree.leaf.mergePendingChanges()
        #expect(results.fetchedObjects.map(\.title) == ["a", "b"])
    }

    @Test(arguments: [MergePolicy.mergeByPropertyStoreTrump, .rollback])
    func `grandchildren hear what a save of their parent did not get through`(_ policy: MergePolicy) throws {
        let tree = try Tree()
        tree.middle.mergePolicy = policy
        tree.between.title = "mine"
        tree.between.folder = try tree.folder("second", tree.middle)
        tree.leaf.refresh(tree.below, mergeChanges: false)
        #expect(tree.below.title == "mine")
        let folders = try ["first", "second", "third"].map { try tree.folder($0, tree.leaf) }
        #expect(folders.map(\.notes.count) == [0, 1, 0])
        tree.above.title = "theirs"
        tree.above.folder = try tree.folder("third", tree.root)
        try tree.middle.save()
        #expect(tree.between.title == "theirs" && tree.between.folder?.name == "third")
        tree.leaf.mergePendingChanges()
        #expect(tree.below.title == "theirs" && tree.below.folder == folders[2])
        #expect(folders.map(\.notes.count) == [0, 0, 1])
    }

    @Test func `what grandchildren read keeps its place before what was saved above earlier`() throws {
        let tree = try Tree()
        tree.above.title = "saved"
        try tree.root.save()
        tree.above.title = "newest"
        tree.middle.refresh(tree.between, mergeChanges: false)
        tree.leaf.refresh(tree.below, mergeChanges: false)
        #expect(tree.below.title == "newest")
        tree.middle.mergePendingChanges()
        tree.leaf.mergePendingChanges()
        #expect(tree.between.title == "newest" && tree.below.title == "newest")
    }

    @Test func `grandchildren hear what was deleted above their parent`() throws {
        let tree = try Tree()
        tree.middle.mergePolicy = .mergeByPropertyObjectTrump
        tree.between.title = "mine"
        tree.root.delete(tree.above)
        try tree.middle.save()
        tree.leaf.mergePendingChanges()
        #expect(tree.between.isDeleted && tree.below.isDeleted)
    }

    @Test(arguments: [nil, "second"])
    func `an end that a save leaves behind is left in its context and below`(_ last: String?) throws {
        let tree = try Tree()
        tree.middle.mergePolicy = .mergeByPropertyObjectTrump
        let third = try (tree.folder("third", tree.middle), tree.folder("third", tree.leaf))
        tree.between.folder = try tree.folder("second", tree.middle)
        let sibling = tree.root.newChild()
        let theirs = try #require(try sibling.existingObject(with: tree.above.objectID) as? Note)
        theirs.folder = try tree.folder("third", sibling)
        try sibling.save()
        tree.middle.mergePendingChanges()
        tree.leaf.mergePendingChanges()
        #expect(third.0.notes.array == [tree.between] && third.1.notes.array == [tree.below])
        // The child has not heard where it leads now, nor that this is what it wants itself, or had read.
        tree.above.folder = try tree.folder(last ?? "first", tree.root)
        try tree.middle.save()
        #expect(third.0.notes.isEmpty && tree.between.folder?.name == "second")
        tree.leaf.mergePendingChanges()
        #expect(third.1.notes.isEmpty && tree.below.folder?.name == "second")
    }
}

/// What children hear of a save that gives changes up.
@Suite struct `Changes given up above children` {
    @Test(arguments: [MergePolicy.mergeByPropertyStoreTrump, .rollback])
    func `children have what the store has once a save gives changes up`(_ policy: MergePolicy) throws {
        let world = try World()
        let (root, stranger) = (world.context(), world.context())
        root.mergePolicy = policy
        let above = root.insert(Note.self)
        above.title = "a"
        let (mine, theirs) = (root.insert(Folder.self), root.insert(Folder.self))
        try root.save()
        above.title = "mine"
        above.folder = mine
        let child = root.newChild()
        let below = try #require(try child.existingObject(with: above.objectID) as? Note)
        let folders = try [mine, theirs].map { folder in
            try #require(try child.existingObject(with: folder.objectID) as? Folder)
        }
        #expect(below.title == "mine" && folders.map(\.notes.count) == [1, 0])
        let other = try #require(try stranger.existingObject(with: above.objectID) as? Note)
        other.title = "theirs"
        other.folder = try #require(try stranger.existingObject(with: theirs.objectID) as? Folder)
        try stranger.save()
        root.mergePendingChanges()
        child.mergePendingChanges()
        #expect(below.title == "mine")
        try root.save()
        #expect(above.title == "theirs" && above.folder == theirs)
        child.mergePendingChanges()
        #expect(below.title == "theirs" && below.folder == folders[1])
        #expect(folders.map(\.notes.count) == [0, 1])
    }

    @Test func `children have an object back whose deletion the application takes back`() throws {
        let world = try World()
        let (root, stranger) = (world.context(), world.context())
        let folder = root.insert(Folder.self)
        let above = root.insert(Note.self)
        (above.title, above.folder) = ("a", folder)
        try root.save()
        root.mergePolicy = .custom(
            ConflictResolver(name: "stored") { conflicts in
                SaveResolution(
                    objects: Dictionary(
                        uniqueKeysWithValues: conflicts.objects.map { ($0.objectID, .stored) })
                )
            })
        root.automaticallyMergesChanges = false
        let other = try #require(try stranger.existingObject(with: above.objectID) as? Note)
        other.title = "theirs"
        try stranger.save()
        root.delete(above)
        let child = root.newChild()
        let below = try #require(try child.existingObject(with: folder.objectID) as? Folder)
        #expect(below.notes.isEmpty)
        try root.save()
        #expect(above.title == "theirs" && folder.notes.array == [above])
        child.mergePendingChanges()
        #expect(below.notes.map(\.title) == ["theirs"])
    }
}
