import ArgumentParser

/// `--relate RELATIONSHIP=ATTRIBUTE:TEMPLATE`: to which object a row is related.
struct RelationRule {
    /// A piece of a template.
    private enum Piece {
        case literal(String)
        /// A field, or some of its characters, counted from 0.
        case field(String, Range<Int>)
    }

    let relationship: String
    let attribute: String
    private let pieces: [Piece]

    init(parsing argument: String) throws {
        guard let match = argument.wholeMatch(of: /(\w+)=(\w+):(.+)/), let pieces = Self.pieces(match.3)
        else {
            throw ValidationError(
                "It must have the form RELATIONSHIP=ATTRIBUTE:TEMPLATE, such as 'country=alpha_2:{code~1-2}'."
            )
        }
        relationship = String(match.1)
        attribute = String(match.2)
        self.pieces = pieces
    }

    /// The fields that the template names.
    var fields: [String] {
        pieces.compactMap { if case .field(let name, _) = $0 { name } else { nil } }
    }

    /// Whether a row has all the fields that the template names, be they null.
    func isGiven(in row: ImportFile.Row) -> Bool {
        fields.allSatisfy { name in
            switch row.fields[name] {
            case nil, .object?: false
            default: true
            }
        }
    }

    /// What the attribute of the object must be: nothing if the row lacks a field, several if a field is a
    /// list.
    func texts(for row: ImportFile.Row) -> [String] {
        var texts = [""]
        for piece in pieces {
            switch piece {
            case .literal(let text): texts = texts.map { $0 + text }
            case .field(let name, let range):
                let values = Self.texts(of: row.fields[name]).compactMap { Self.part(of: $0, range) }
                texts = texts.flatMap { start in values.map { start + $0 } }
            }
        }
        return texts
    }

    private static func texts(of value: JSONValue?) -> [String] {
        switch value {
        case .list(let values)?: values.compactMap(\.scalarText)
        case let value?: value.scalarText.map { [$0] } ?? []
        case nil: []
        }
    }

    private static func part(of text: String, _ range: Range<Int>) -> String? {
        if range == 0..<Int.max { return text }
        let part = text.dropFirst(range.lowerBound).prefix(range.upperBound - range.lowerBound)
        return part.isEmpty ? nil : String(part)
    }

    private static func pieces(_ template: Substring) -> [Piece]? {
        var pieces: [Piece] = []
        var rest = template
        while !rest.isEmpty {
            if let match = rest.prefixMatch(of: /\{(\w+)(?:~(\d+)(-(\d*))?)?\}/) {
                guard let range = range(first: match.2, dash: match.3, last: match.4) else { return nil }
                pieces.append(.field(String(match.1), range))
                rest = rest[match.range.upperBound...]
            } else if let match = rest.prefixMatch(of: /[^{}]+/) {
                pieces.append(.literal(String(match.output)))
                rest = rest[match.range.upperBound...]
            } else {
                return nil
            }
        }
        return pieces
    }

    /// `~2`, `~1-2` or `~4-`, which count from 1 and include their ends.
    private static func range(first: Substring?, dash: Substring?, last: Substring??) -> Range<Int>? {
        guard let first else { return 0..<Int.max }
        guard let first = Int(first), first > 0, first < 1 << 30 else { return nil }
        if dash == nil { return first - 1..<first }
        guard case let last?? = last, !last.isEmpty else { return first - 1..<Int.max }
        guard let last = Int(last), last >= first else { return nil }
        return first - 1..<last
    }
}
