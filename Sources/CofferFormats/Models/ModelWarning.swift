/// What stands in a model file and has no effect, or another effect than a user who wrote it by hand may
/// expect.
package struct ModelWarning: Sendable, Equatable, CustomStringConvertible {
    /// The place in the model's file.
    package let place: TextLocation
    /// What is wrong, and what is meant perhaps.
    package let reason: String

    package var description: String { "\(place): \(reason)" + (reason.hasSuffix("?") ? "" : ".") }
}

/// Looks for what the reader of models passes over.
struct ModelWarnings {
    private let file: String
    private var found: [ModelWarning] = []

    /// All warnings about a document, in the order of their places.
    static func of(_ root: XMLElement, file: String) -> [ModelWarning] {
        var warnings = ModelWarnings(file: file)
        if root.children(named: "entity").isEmpty { warnings.add(root, "it has no entity") }
        warnings.check(root)
        return warnings.found
    }

    private init(file: String) { self.file = file }

    private mutating func check(_ element: XMLElement) {
        guard let known = ModelVocabulary.elements[element.name] else { return }
        for attribute in element.attributes where !known.attributes.contains(attribute.name) {
            // Names of other vocabularies, and what XML itself has.
            if attribute.name.contains(":") || attribute.name == "xmlns" { continue }
            add(element, unknown("attribute", attribute.name, among: known.attributes))
        }
        if element.name == "fetchIndexElement" { checkValues(of: element) }
        for child in element.children {
            if known.children.contains(child.name) {
                check(child)
            } else if !child.name.contains(":") {
                add(child, unknown("element", child.name, among: known.children))
            }
        }
    }

    /// Warns of unknown values of attributes for which the reader takes another value instead.
    private mutating func checkValues(of element: XMLElement) {
        for (name, values) in [("order", ["ascending", "descending"]), ("type", ["Binary", "RTree"])] {
            guard let value = element[name], !values.contains(value) else { continue }
            add(element, "'\(name)' is '\(value)', and is to be '\(values[0])' or '\(values[1])'")
        }
    }

    private func unknown(_ kind: String, _ name: String, among known: Set<String>) -> String {
        let text = "the \(kind) '\(name)' is not known here, and is passed over"
        return name.nearest(among: known).map { "\(text); did you mean '\($0)'?" } ?? text
    }

    private mutating func add(_ element: XMLElement, _ reason: String) {
        let place = TextLocation(
            file: file, line: element.line, column: element.column, element: element.label)
        found.append(ModelWarning(place: place, reason: reason))
    }
}

extension String {
    /// The one of `names` that this may be a slip of the pen for: at most a third of its letters are others,
    /// missing or too many.
    func nearest(among names: some Collection<String>) -> String? {
        let distances = names.map { (name: $0, distance: distance(to: $0)) }
        let best = distances.min { ($0.distance, $0.name) < ($1.distance, $1.name) }
        guard let best, best.distance <= max(1, min(count, best.name.count) / 3) else { return nil }
        return best.name
    }

    /// How many letters must be put in, taken away or exchanged to make `other` of it; case counts for
    /// nothing.
    private func distance(to other: String) -> Int {
        let (own, others) = (Array(lowercased()), Array(other.lowercased()))
        var row = Array(0...others.count)
        for (place, letter) in own.enumerated() {
            var diagonal = row[0]
            row[0] = place + 1
            for (column, candidate) in others.enumerated() {
                let above = row[column + 1]
                row[column + 1] =
                    letter == candidate ? diagonal : 1 + Swift.min(diagonal, above, row[column])
                diagonal = above
            }
        }
        return row[others.count]
    }
}
