import Coffer
import CofferModel
import TestSupport
import Testing

/// Random work in a tree of contexts, followed by a plain model of it.
///
/// The model keeps, for each context, what that one knows to be changed; a note's title is looked up from the
/// context upwards.
@Suite struct `Trees of contexts` {
    /// What one context changed and did not save, by the notes' names: a title, or `nil` for a deleted note.
    private final class Shadow {
        let context: ManagedObjectContext
        let parent: Shadow?
        var changes: [String: String?] = [:]

        init(_ context: ManagedObjectContext, below parent: Shadow?) {
            self.context = context
            self.parent = parent
        }
    }

    private final class Tree {
        var stored: [String: String] = [:]
        var shadows: [Shadow] = []
        var count = 0

        /// What a context sees.
        func visible(_ shadow: Shadow?) -> [String: String] {
            guard let shadow else { return stored }
            return visible(shadow.parent).merging(shadow.changes.compactMapValues { $0 }) { $1 }
                .filter { key, _ in
                    guard let change = shadow.changes[key] else { return true }
                    return change != nil
                }
        }

        func save(_ shadow: Shadow) {
            for (key, change) in shadow.changes {
                if let parent = shadow.parent {
                    parent.changes[key] = change
                } else {
                    stored[key] = change
                }
            }
            shadow.changes = [:]
        }
    }

    private func actual(_ context: ManagedObjectContext) throws -> [String: String] {
        Dictionary(
            try context.fetch(Note.all).map { ($0.body ?? "", $0.title) },
            uniquingKeysWith: { first, second in "\(first) and \(second)" })
    }

    private func object(_ name: String, _ context: ManagedObjectContext) throws -> Note? {
        try context.fetch(Note.all.matching("body == %@", name)).first
    }

    @Test(arguments: Seed.several(5)) func `every context sees what it and those above changed`(seed: Seed)
        throws
    {
        var random = seed.generator()
        let world = try World()
        let tree = Tree()
        let root = Shadow(world.context(), below: nil)
        tree.shadows = [root]
        for _ in 0..<4 {
            guard let parent = tree.shadows.randomElement(using: &random) else { continue }
            let child = parent.context.newChild()
            child.mergePolicy = .mergeByPropertyObjectTrump
            tree.shadows.append(Shadow(child, below: parent))
        }
        for step in 0..<80 {
            guard let shadow = tree.shadows.randomElement(using: &random) else { continue }
            try act(in: shadow, tree, &random)
            for shadow in tree.shadows {
                shadow.context.mergePendingChanges()
                #expect(try actual(shadow.context) == tree.visible(shadow), "seed \(seed), step \(step)")
            }
        }
        for shadow in tree.shadows.reversed() {
            try shadow.context.save()
            tree.save(shadow)
        }
        #expect(try actual(world.context()) == tree.stored, "seed \(seed)")
        for shadow in tree.shadows {
            #expect(!shadow.context.hasChanges)
            for note in try shadow.context.fetch(Note.all) { #expect(!note.objectID.isTemporary) }
        }
    }

    private func act(in shadow: Shadow, _ tree: Tree, _ random: inout SeededGenerator) throws {
        let visible = tree.visible(shadow)
        let name = visible.keys.sorted().randomElement(using: &random)
        tree.count += 1
        switch Int.random(in: 0..<11, using: &random) {
        case 0, 1, 2:
            let note = shadow.context.insert(Note.self)
            note.body = "note \(tree.count)"
            note.title = "t\(tree.count)"
            shadow.changes["note \(tree.count)"] = "t\(tree.count)"
        case 3, 4, 5:
            // Only what no other context is about to change: which of two wins is for other tests.
            guard let name, isFree(name, for: shadow, tree), let note = try object(name, shadow.context)
            else {
                return
            }
            note.title = "t\(tree.count)"
            shadow.changes[name] = "t\(tree.count)"
        case 6:
            guard let name, isFree(name, for: shadow, tree), let note = try object(name, shadow.context)
            else {
                return
            }
            shadow.context.delete(note)
            if isNew(name, shadow, tree) {
                shadow.changes[name] = nil
            } else {
                shadow.changes[name] = .some(nil)
            }
        case 7:
            // Whichever context has them, and wherever they were inserted: all contexts must go on to see
            // each once.
            let notes = try shadow.context.fetch(Note.all).filter { _ in Bool.random(using: &random) }
            try shadow.context.obtainPermanentIDs(for: notes)
            #expect(notes.allSatisfy { !$0.objectID.isTemporary })
        default:
            try shadow.context.save()
            tree.save(shadow)
        }
    }

    /// Whether no context but this one and those above has a change of a note.
    private func isFree(_ name: String, for shadow: Shadow, _ tree: Tree) -> Bool {
        var above: [ObjectIdentifier] = []
        var current: Shadow? = shadow
        while let next = current {
            above.append(ObjectIdentifier(next))
            current = next.parent
        }
        return tree.shadows.allSatisfy { other in
            above.contains(ObjectIdentifier(other)) || other.changes[name] == nil
        }
    }

    /// Whether only this context knows of a note.
    private func isNew(_ name: String, _ shadow: Shadow, _ tree: Tree) -> Bool {
        tree.visible(shadow.parent)[name] == nil
    }
}
