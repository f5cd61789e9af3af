import Coffer
import CofferModel
import TestSupport
import Testing

/// Random work on related objects in a tree of contexts of up to three levels, compared with a plain model of
/// it after every step.
@Suite struct `Graphs in trees of contexts` {
    @Test(arguments: Seed.several(6))
    func `every level shows what it and those above changed, undone or done again`(
        seed: Seed
    ) throws {
        var walk = try GraphWalk(seed)
        for step in 0..<120 {
            try walk.step()
            try walk.check("COFFER_SEED=\(seed), step \(step)")
        }
        try walk.finish("COFFER_SEED=\(seed)")
    }
}

/// A context and what the model knows of it.
private final class GraphShadow {
    let context: ManagedObjectContext
    let parent: GraphShadow?
    var changes = GraphChanges()
    /// Objects that the application keeps.
    var held: [ManagedObject] = []

    init(_ context: ManagedObjectContext, below parent: GraphShadow?) {
        self.context = context
        self.parent = parent
        context.mergePolicy = .mergeByPropertyObjectTrump
        context.undoManager = ContextUndoManager()
    }

    /// Itself and those above.
    var line: [GraphShadow] { [self] + (parent?.line ?? []) }
}

private struct GraphWalk {
    private let world: World
    private var shadows: [GraphShadow]
    private var stored = Graph()
    private var random: SeededGenerator
    private var count = 0

    init(_ seed: Seed) throws {
        world = try World()
        random = seed.generator()
        let root = GraphShadow(world.context(), below: nil)
        shadows = [root]
        for _ in 0..<4 {
            guard let parent = shadows.filter({ $0.line.count < 3 }).randomElement(using: &random) else {
                continue
            }
            shadows.append(GraphShadow(parent.context.newChild(), below: parent))
        }
    }

    /// What a context must show.
    private func visible(_ shadow: GraphShadow?) -> Graph {
        guard let shadow else { return stored }
        return shadow.changes.applied(to: visible(shadow.parent))
    }

    mutating func step() throws {
        guard let shadow = shadows.randomElement(using: &random) else { return }
        shadow.context.processPendingChanges()
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: try save(shadow)
        case 2: rollback(shadow)
        case 3: try undoAndRedo(shadow)
        case 4: shadow.context.refreshAllObjects()
        case 5:
            let notes = try shadow.context.fetch(Note.all).filter { _ in Bool.random(using: &random) }
            try shadow.context.obtainPermanentIDs(for: notes)
        default: for _ in 0..<3 { try edit(shadow) }
        }
        if Bool.random(using: &random) {
            shadow.held = try shadow.context.fetch(Note.all) + shadow.context.fetch(FetchRequest<Folder>())
        } else {
            shadow.held = []
        }
    }

    private mutating func save(_ shadow: GraphShadow) throws {
        try shadow.context.save()
        if let parent = shadow.parent {
            parent.changes.merge(shadow.changes)
        } else {
            stored = shadow.changes.applied(to: stored)
        }
        shadow.changes = GraphChanges()
    }

    /// Takes changes back, if no context below stands on them.
    private mutating func rollback(_ shadow: GraphShadow) {
        let isAlone = shadows.allSatisfy {
            $0 === shadow || !$0.line.contains { $0 === shadow } || $0.changes.isEmpty
        }
        guard isAlone else { return }
        shadow.context.rollback()
        shadow.changes = GraphChanges()
    }

    private mutating func undoAndRedo(_ shadow: GraphShadow) throws {
        var states = [shadow.changes]
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            try edit(shadow)
            shadow.context.processPendingChanges()
            states.append(shadow.changes)
        }
        var place = states.count - 1
        for _ in 0..<8 {
            if Bool.random(using: &random), place > 0 {
                shadow.context.undo()
                place -= 1
            } else if place < states.count - 1 {
                shadow.context.redo()
                place += 1
            }
            shadow.changes = states[place]
            #expect(try actual(shadow.context) == visible(shadow), "\(place) of \(states.count - 1) are done")
        }
    }
}

extension GraphWalk {
    /// One change, which is one step of undo; nothing that another context but those above is about to
    /// change.
    private mutating func edit(_ shadow: GraphShadow) throws {
        let context = shadow.context
        let graph = visible(shadow)
        count += 1
        let note = graph.notes.keys.sorted().randomElement(using: &random).flatMap {
            isFree($0, shadow) ? $0 : nil
        }
        let folder = graph.folders.sorted().randomElement(using: &random).flatMap {
            isThere($0, shadow) ? $0 : nil
        }
        let tag = graph.tags.sorted().randomElement(using: &random).flatMap { isThere($0, shadow) ? $0 : nil }
        switch Int.random(in: 0..<9, using: &random) {
        case 3: if let note { try setTitle(note, shadow) } else { fallthrough }
        case 4:
            if let note, let folder, graph.notes[note]?.folder != folder {
                try move(note, folder, shadow)
            } else {
                fallthrough
            }
        case 5: if let note, let tag { try turn(note, tag, graph, shadow) } else { fallthrough }
        case 6:
            if let note {
                try delete(Note.all.matching("body == %@", note), [note], shadow)
            } else {
                fallthrough
            }
        case 7:
            if let folder, isFree(folder, shadow) {
                try deleteFolder(folder, graph, shadow)
            } else {
                fallthrough
            }
        case 8:
            if let tag, isFree(tag, shadow) {
                try delete(FetchRequest<Tag>().matching("name == %@", tag), [tag], shadow)
            } else {
                fallthrough
            }
        case 0: insertFolder(context, shadow)
        case 1:
            let tag = context.insert(Tag.self)
            tag.name = "t\(count)"
            shadow.changes.bornTags.insert("t\(count)")
        default:
            let note = context.insert(Note.self)
            note.body = "n\(count)"
            note.title = "\(count)"
            shadow.changes.bornNotes.insert("n\(count)")
            shadow.changes.titles["n\(count)"] = "\(count)"
        }
    }

    private func insertFolder(_ context: ManagedObjectContext, _ shadow: GraphShadow) {
        context.insert(Folder.self).name = "f\(count)"
        shadow.changes.bornFolders.insert("f\(count)")
    }

    private func note(_ name: String, _ shadow: GraphShadow) throws -> Note {
        try #require(
            try shadow.context.fetch(Note.all.matching("body == %@", name)).first, "\(name) is not found")
    }

    private func setTitle(_ name: String, _ shadow: GraphShadow) throws {
        try note(name, shadow).title = "\(count)"
        shadow.changes.titles[name] = "\(count)"
    }

    /// Moves a note into a folder, from one of the two sides.
    private mutating func move(_ name: String, _ folder: String, _ shadow: GraphShadow) throws {
        let note = try note(name, shadow)
        let request = try FetchRequest<Folder>().matching("name == %@", folder)
        let target = try #require(try shadow.context.fetch(request).first)
        if Bool.random(using: &random) { note.folder = target } else { target.notes.insert(note) }
        shadow.changes.folders[name] = folder
    }

    /// Gives a note a tag, or takes it away, from one of the two sides.
    private mutating func turn(_ name: String, _ tag: String, _ graph: Graph, _ shadow: GraphShadow) throws {
        let note = try note(name, shadow)
        let request = try FetchRequest<Tag>().matching("name == %@", tag)
        let target = try #require(try shadow.context.fetch(request).first)
        let isIn = !(graph.notes[name]?.tags.contains(tag) ?? false)
        switch (isIn, Bool.random(using: &random)) {
        case (true, true): note.tags.insert(target)
        case (true, false): target.notes.insert(note)
        case (false, true): note.tags.remove(target)
        case (false, false): target.notes.remove(note)
        }
        shadow.changes.pairs[GraphChanges.Pair(note: name, tag: tag)] = isIn
    }

    private func delete<Object: ManagedObject>(
        _ request: FetchRequest<Object>, _ names: Set<String>, _ shadow: GraphShadow
    ) throws {
        shadow.context.delete(try #require(try shadow.context.fetch(request).first))
        shadow.changes.gone.formUnion(names)
    }

    /// Deletes a folder with its notes, if no other context is about to change one of them.
    private func deleteFolder(_ name: String, _ graph: Graph, _ shadow: GraphShadow) throws {
        let notes = graph.notes.filter { $0.value.folder == name }.map(\.key)
        guard notes.allSatisfy({ isFree($0, shadow) }) else { return insertFolder(shadow.context, shadow) }
        // The rule is followed at once for those that the context has.
        let all = try shadow.context.fetch(Note.all)
        try delete(FetchRequest<Folder>().matching("name == %@", name), Set(notes + [name]), shadow)
        _ = all
    }

    private func others(_ shadow: GraphShadow) -> [GraphShadow] {
        let line = shadow.line
        return shadows.filter { other in !line.contains { $0 === other } }
    }

    /// Whether no context but this one and those above is about to change an object.
    private func isFree(_ name: String, _ shadow: GraphShadow) -> Bool {
        others(shadow).allSatisfy { !$0.changes.mention(name) }
    }

    /// Whether no context but this one and those above is about to delete an object.
    private func isThere(_ name: String, _ shadow: GraphShadow) -> Bool {
        others(shadow).allSatisfy { !$0.changes.gone.contains(name) }
    }
}

extension GraphWalk {
    /// What a context shows, both sides of all relationships.
    private func actual(_ context: ManagedObjectContext) throws -> Graph {
        var graph = Graph()
        for note in try context.fetch(Note.all) {
            let name = note.body ?? ""
            #expect(graph.notes[name] == nil, "\(name) is there twice")
            #expect(context.registeredObject(for: note.objectID) === note)
            graph.notes[name] = Graph.Note(
                title: note.title, folder: note.folder?.name, tags: Set(note.tags.map { $0.name ?? "" }))
        }
        for folder in try context.fetch(FetchRequest<Folder>()) {
            let name = folder.name ?? ""
            graph.folders.insert(name)
            let notes = graph.notes.filter { $0.value.folder == name }.map(\.key)
            #expect(folder.notes.map { $0.body ?? "" }.sorted() == notes.sorted(), "notes of \(name)")
        }
        for tag in try context.fetch(FetchRequest<Tag>()) {
            let name = tag.name ?? ""
            graph.tags.insert(name)
            let notes = graph.notes.filter { $0.value.tags.contains(name) }.map(\.key)
            #expect(tag.notes.map { $0.body ?? "" }.sorted() == notes.sorted(), "notes of \(name)")
        }
        return graph
    }

    func check(_ note: String) throws {
        for shadow in shadows { shadow.context.mergePendingChanges() }
        for (place, shadow) in shadows.enumerated() {
            let (shown, expected) = (try actual(shadow.context), visible(shadow))
            try #require(
                shown.difference(from: expected) == [],
                "\(note), context \(place) of level \(shadow.line.count)")
        }
    }

    /// Saves all, from the lowest level up, and compares what everybody then has.
    mutating func finish(_ note: String) throws {
        for shadow in shadows.sorted(by: { $0.line.count > $1.line.count }) { try save(shadow) }
        try check(note)
        #expect(try actual(world.context()) == stored, "\(note)")
        for shadow in shadows { #expect(!shadow.context.hasChanges, "\(note)") }
    }
}
