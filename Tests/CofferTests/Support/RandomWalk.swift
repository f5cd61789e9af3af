import Coffer
import CofferModel
import TestSupport

/// Random changes of one context's objects, which it holds all, and what it all comes to.
struct RandomWalk {
    let context: ManagedObjectContext
    var notes: [Note] = []
    var folders: [Folder] = []
    var tags: [Tag] = []
    private var count = 0

    init(context: ManagedObjectContext) { self.context = context }

    private func living<Object: ManagedObject>(_ objects: [Object]) -> [Object] {
        objects.filter { !$0.isDeleted }
    }

    /// One change.
    mutating func step(_ random: inout SeededGenerator) {
        count += 1
        let note = living(notes).randomElement(using: &random)
        let folder = living(folders).randomElement(using: &random)
        let tag = living(tags).randomElement(using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            notes.append(context.insert(Note.self))
            notes.last?.title = "n\(count)"
        case 2: folders.append(context.insert(Folder.self))
        case 3:
            tags.append(context.insert(Tag.self))
            tags.last?.name = "t\(count)"
        case 4: note?.title = "c\(count)"
        case 5: note?.rating = Int.random(in: 0..<5, using: &random)
        case 6: note?.folder = folder
        case 7: note?.folder = nil
        case 8: if let note, let tag { tag.notes.insert(note) }
        case 9: if let note, let tag { note.tags.remove(tag) }
        case 10: if let folder, Bool.random(using: &random) { context.delete(folder) }
        default: if let note, Bool.random(using: &random) { context.delete(note) }
        }
    }

    /// What there is, in words that are equal if it is equal.
    var state: [String] {
        var lines: [String] = []
        func name(_ object: ManagedObject?) -> String {
            guard let object, !object.isDeleted else { return "-" }
            if let place = notes.firstIndex(where: { $0 === object }) { return "n\(place)" }
            if let place = folders.firstIndex(where: { $0 === object }) { return "f\(place)" }
            return tags.firstIndex { $0 === object }.map { "t\($0)" } ?? "?"
        }
        for note in notes where !note.isDeleted {
            let tags = note.tags.map { name($0) }.sorted()
            lines.append(
                "\(name(note)) \(note.title) \(note.rating) \(name(note.folder)) \(tags)")
        }
        for folder in folders where !folder.isDeleted {
            lines.append("\(name(folder)) \(folder.notes.map { name($0) }.sorted())")
        }
        for tag in tags where !tag.isDeleted {
            lines.append("\(name(tag)) \(tag.name ?? "") \(tag.notes.map { name($0) }.sorted())")
        }
        return lines
    }
}
