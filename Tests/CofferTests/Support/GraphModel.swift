/// Notes in folders, with tags, by name: all that a context shows.
struct Graph: Equatable {
    struct Note: Equatable {
        var title: String
        var folder: String?
        var tags: Set<String> = []
    }

    var notes: [String: Note] = [:]
    var folders: Set<String> = []
    var tags: Set<String> = []

    /// What differs, in words.
    func difference(from other: Graph) -> [String] {
        func name(_ note: Note?) -> String {
            note.map { "'\($0.title)' in \($0.folder ?? "-") with \($0.tags.sorted())" } ?? "missing"
        }
        var lines: [String] = []
        for key in Set(notes.keys).union(other.notes.keys).sorted() where notes[key] != other.notes[key] {
            lines.append("\(key) is \(name(notes[key])), not \(name(other.notes[key]))")
        }
        let sides = [(folders, other.folders), (tags, other.tags)]
        for (own, wanted) in sides where own != wanted {
            lines.append("there are also \(own.subtracting(wanted)), not \(wanted.subtracting(own))")
        }
        return lines
    }
}

/// What one context changed and did not save, in the plainest words: names are never used twice, so that
/// later words win.
struct GraphChanges {
    struct Pair: Hashable {
        var note: String
        var tag: String
    }

    var bornNotes: Set<String> = []
    var bornFolders: Set<String> = []
    var bornTags: Set<String> = []
    var gone: Set<String> = []
    var titles: [String: String] = [:]
    var folders: [String: String?] = [:]
    var pairs: [Pair: Bool] = [:]

    /// Lets later changes follow these.
    mutating func merge(_ later: GraphChanges) {
        bornNotes.formUnion(later.bornNotes)
        bornFolders.formUnion(later.bornFolders)
        bornTags.formUnion(later.bornTags)
        gone.formUnion(later.gone)
        titles.merge(later.titles) { $1 }
        folders.merge(later.folders) { $1 }
        pairs.merge(later.pairs) { $1 }
    }

    /// What a graph becomes by them.
    func applied(to graph: Graph) -> Graph {
        var result = graph
        for name in bornNotes { result.notes[name] = Graph.Note(title: "") }
        result.folders.formUnion(bornFolders)
        result.tags.formUnion(bornTags)
        for (name, title) in titles { result.notes[name]?.title = title }
        for (name, folder) in folders { result.notes[name]?.folder = folder }
        for (pair, isIn) in pairs {
            if isIn {
                result.notes[pair.note]?.tags.insert(pair.tag)
            } else {
                result.notes[pair.note]?.tags.remove(pair.tag)
            }
        }
        for name in gone { result.notes[name] = nil }
        result.folders.subtract(gone)
        result.tags.subtract(gone)
        for name in result.notes.keys { result.notes[name]?.tags.subtract(gone) }
        return result
    }

    /// Whether they say something of an object.
    func mention(_ name: String) -> Bool {
        gone.contains(name) || titles[name] != nil || folders[name] != nil
            || folders.values.contains { $0 == name }
            || pairs.keys.contains { $0.note == name || $0.tag == name }
    }

    var isEmpty: Bool {
        bornNotes.isEmpty && bornFolders.isEmpty && bornTags.isEmpty && gone.isEmpty && titles.isEmpty
            && folders.isEmpty && pairs.isEmpty
    }
}
