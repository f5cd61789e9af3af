/// A pattern of `LIKE`: `?` is one Unicode scalar, `*` any run of them, `\` takes the next one as it is.
package struct LikePattern: Sendable, Hashable {
    private enum Part: Sendable, Hashable {
        case scalar(Unicode.Scalar)
        case one
        case run
    }

    private let parts: [Part]
    private let options: QueryComparison.Options

    /// Reads a pattern, folded by `[c]` and `[d]` as the texts will be.
    ///
    /// - Throws: `QueryError.tooComplex` if it is longer than `Limits.pattern`.
    package init(_ pattern: String, options: QueryComparison.Options = []) throws(QueryError) {
        guard pattern.utf8.count <= Limits.pattern else {
            throw .tooComplex(
                "a pattern of LIKE has \(pattern.utf8.count) bytes, \(Limits.pattern) are allowed")
        }
        self.options = options
        var parts: [Part] = []
        var isEscaped = false
        for scalar in TextFolding.fold(pattern, options: options).unicodeScalars {
            switch scalar {
            case _ where isEscaped:
                parts.append(.scalar(scalar))
                isEscaped = false
            case "\\": isEscaped = true
            case "?": parts.append(.one)
            case "*": if parts.last != .run { parts.append(.run) }
            default: parts.append(.scalar(scalar))
            }
        }
        if isEscaped { parts.append(.scalar("\\")) }
        self.parts = parts
    }

    /// Whether the whole text fits.
    ///
    /// - Complexity: O(text · pattern): only the last `*` is ever tried again.
    package func matches(_ text: String) -> Bool {
        let scalars = Array(TextFolding.fold(text, options: options).unicodeScalars)
        var place = 0
        var part = 0
        var retry: (part: Int, place: Int)?
        while place < scalars.count {
            if part < parts.count, parts[part] == .run {
                retry = (part + 1, place)
                part += 1
            } else if part < parts.count, parts[part] == .one || parts[part] == .scalar(scalars[place]) {
                part += 1
                place += 1
            } else if let last = retry {
                retry = (last.part, last.place + 1)
                part = last.part
                place = last.place + 1
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy { $0 == .run }
    }
}
