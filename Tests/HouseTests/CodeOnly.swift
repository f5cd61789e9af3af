/// Leaves out of Swift what comments and string literals hold; lines keep their numbers.
///
/// Code inside interpolations stays. Literals of regular expressions are not known to it.
struct CodeOnly {
    private enum Place {
        /// Code; how many parentheses are open since an interpolation began, or `nil` outside of one.
        case code(open: Int?)
        case string(hashes: Int, isMultiline: Bool)
        case lineComment
        case blockComment(depth: Int)
    }

    /// What can begin or end a place.
    private static let marks = Array("/*\"#()\\".utf8)

    private let bytes: [UInt8]
    private var at = 0
    private var places: [Place] = [.code(open: nil)]
    private var result: [UInt8] = []

    /// `bytes` without the text of comments and literals.
    static func filter(_ bytes: [UInt8]) -> [UInt8] {
        var filter = CodeOnly(bytes: bytes)
        filter.result.reserveCapacity(bytes.count)
        while filter.at < bytes.count { filter.step() }
        return filter.result
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func step() {
        if bytes[at] == UInt8(ascii: "\n") {
            if case .lineComment = places[places.count - 1] { places.removeLast() }
            return keep()
        }
        if !Self.marks.contains(bytes[at]) {
            // Most bytes mean nothing by themselves.
            if case .code = places[places.count - 1] { return keep() }
            at += 1
            return
        }
        switch places[places.count - 1] {
        case .code(let open): stepCode(open: open)
        case .string(let hashes, let isMultiline): stepString(hashes: hashes, isMultiline: isMultiline)
        case .lineComment: at += 1
        case .blockComment(let depth): stepComment(depth: depth)
        }
    }

    private mutating func stepCode(open: Int?) {
        if starts("//") {
            places.append(.lineComment)
            at += 2
        } else if starts("/*") {
            places.append(.blockComment(depth: 1))
            at += 2
        } else if let hashes = hashesBeforeQuote() {
            at += hashes
            let isMultiline = starts("\"\"\"")
            places.append(.string(hashes: hashes, isMultiline: isMultiline))
            at += isMultiline ? 3 : 1
        } else {
            if let open, starts("(") { places[places.count - 1] = .code(open: open + 1) }
            if let open, starts(")") {
                places[places.count - 1] = .code(open: open - 1)
                if open == 1 { places.removeLast() }
            }
            keep()
        }
    }

    private mutating func stepString(hashes: Int, isMultiline: Bool) {
        let marks = String(repeating: "#", count: hashes)
        if starts("\\" + marks + "(") {
            at += hashes + 1
            places.append(.code(open: 1))
            keep()
        } else if hashes == 0, starts("\\") {
            // A line's end that is escaped ends it all the same.
            at += starts("\\\n") ? 1 : 2
        } else if starts((isMultiline ? "\"\"\"" : "\"") + marks) {
            at += (isMultiline ? 3 : 1) + hashes
            places.removeLast()
            // What is left of it keeps the words on both sides apart.
            result += "\"\"".utf8
        } else {
            at += 1
        }
    }

    private mutating func stepComment(depth: Int) {
        guard starts("/*") || starts("*/") else {
            at += 1
            return
        }
        let next = starts("/*") ? depth + 1 : depth - 1
        at += 2
        places.removeLast()
        if next > 0 { places.append(.blockComment(depth: next)) }
    }

    private mutating func keep() {
        result.append(bytes[at])
        at += 1
    }

    /// How many `#` stand here before a quote; `nil` where no literal begins.
    private func hashesBeforeQuote() -> Int? {
        var end = at
        while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
        return end < bytes.count && bytes[end] == UInt8(ascii: "\"") ? end - at : nil
    }

    private func starts(_ text: String) -> Bool {
        bytes[at...].starts(with: text.utf8)
    }
}
