/// A regular expression of `MATCHES` or of an attribute's validation, matched against whole texts.
///
/// The syntax is ICU's without what needs backtracking: alternatives, groups, `* + ? {m,n}`, classes with ranges and `^`, `.`, `^`, `$`,
/// `\d \w \s \b` and their opposites, `\p{L}` and the other general categories, `\uhhhh`, `(?i)`. Back references and look-around are
/// refused. Whoever writes the expression cannot make it slow: all ways are followed at the same time.
package struct RegularExpression: Sendable {
    /// One state: what is demanded, and which states follow.
    enum Instruction: Sendable {
        case scalar(Unicode.Scalar)
        case set(RegularExpressionSet)
        case anything
        case split(Int, Int)
        case jump(Int)
        case start
        case end
        case wordBoundary(Bool)
        case accept
    }

    private let program: [Instruction]
    private let options: QueryComparison.Options

    /// Reads an expression; `[c]` and `[d]` fold it and the texts alike.
    ///
    /// - Throws: `QueryError.invalidPattern` where it cannot be read or is not supported, `.tooComplex` where it is too large.
    package init(_ pattern: String, options: QueryComparison.Options = []) throws(QueryError) {
        guard pattern.utf8.count <= Limits.pattern else {
            throw .tooComplex(
                "a regular expression has \(pattern.utf8.count) bytes, \(Limits.pattern) are allowed")
        }
        var options = options
        var rest = pattern
        if rest.hasPrefix("(?i)") {
            rest.removeFirst(4)
            options.insert(.caseInsensitive)
        }
        self.options = options
        var compiler = RegularExpressionCompiler(rest, options: options)
        program = try compiler.program()
    }

    /// Whether the whole text fits.
    ///
    /// - Complexity: O(text · expression).
    package func matches(_ text: String) -> Bool {
        let scalars = Array(TextFolding.fold(text, options: options).unicodeScalars)
        var current = StateSet(capacity: program.count)
        var next = StateSet(capacity: program.count)
        add(0, to: &current, at: 0, in: scalars)
        for place in scalars.indices {
            if current.states.isEmpty { return false }
            next.removeAll()
            for state in current.states where accepts(program[state], scalars[place]) {
                add(state + 1, to: &next, at: place + 1, in: scalars)
            }
            swap(&current, &next)
        }
        return current.states.contains { if case .accept = program[$0] { true } else { false } }
    }

    private func accepts(_ instruction: Instruction, _ scalar: Unicode.Scalar) -> Bool {
        switch instruction {
        case .scalar(let wanted): wanted == scalar
        case .set(let set): set.contains(scalar)
        case .anything: scalar != "\n" && scalar != "\r" && scalar != "\u{85}" && scalar != "\u{2028}" && scalar != "\u{2029}"
        case .split, .jump, .start, .end, .wordBoundary, .accept: false
        }
    }

    /// Adds a state and all that are reached from it without a scalar.
    private func add(_ state: Int, to set: inout StateSet, at place: Int, in text: [Unicode.Scalar]) {
        var waiting = [state]
        while let state = waiting.popLast() {
            guard set.insert(state) else { continue }
            switch program[state] {
            case .split(let first, let second): waiting += [second, first]
            case .jump(let target): waiting.append(target)
            case .start: if place == 0 { waiting.append(state + 1) }
            case .end: if place == text.count { waiting.append(state + 1) }
            case .wordBoundary(let wanted):
                let before = place > 0 && RegularExpressionSet.isWord(text[place - 1])
                let after = place < text.count && RegularExpressionSet.isWord(text[place])
                if (before != after) == wanted { waiting.append(state + 1) }
            case .scalar, .set, .anything, .accept: break
            }
        }
    }

    /// States in the order they were added; emptied in constant time for each.
    private struct StateSet {
        var states: [Int] = []
        private var isMember: [Bool]

        init(capacity: Int) { isMember = Array(repeating: false, count: capacity) }

        mutating func insert(_ state: Int) -> Bool {
            if isMember[state] { return false }
            isMember[state] = true
            states.append(state)
            return true
        }

        mutating func removeAll() {
            for state in states { isMember[state] = false }
            states.removeAll(keepingCapacity: true)
        }
    }
}
