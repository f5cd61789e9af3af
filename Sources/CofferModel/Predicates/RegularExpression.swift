/// A regular expression of `MATCHES` or of an attribute's validation, matched against whole texts.
///
/// It answers as ICU's do without options, as Core Data has them, and has their syntax without what needs
/// backtracking: alternatives, groups, `* + ? {m,n}` and their lazy forms, classes with ranges, `^`, `&&`
/// and `--`, `.`, `^`, `$`, `\A \z \Z \b \B`, `\d \w \s \h \v \R` and their opposites, `\p{…}` of general
/// categories, `[:alpha:]` and its like, `\uhhhh`, `\Q…\E`, and the flags `(?imsx)` for a group or its
/// rest. Possessive quantifiers, back references, look-around and the rest are refused by name. The author
/// of an expression cannot make it slow: all ways are followed at the same time.
///
/// A line ends at U+000A to U+000D, U+0085, U+2028, U+2029, or at `\r\n`, which is one end. `.` takes none of
/// them without `s`, `$` holds before the last one of the text, and with `m` before each.
package struct RegularExpression: Sendable {
    /// One state: what is demanded, and which states follow.
    enum Instruction: Sendable {
        case scalar(Unicode.Scalar)
        /// A scalar of a folded text; `continues` if the next state is the next of the same text.
        case folded(Unicode.Scalar, continues: Bool)
        case set(RegularExpressionSet)
        /// What a set takes, but not `\r` before `\n`.
        case unpaired(RegularExpressionSet)
        case anythingInLine
        case split(Int, Int)
        case jump(Int)
        case anchor(RegularExpressionText.Anchor)
        case accept
    }

    private let program: [Instruction]
    private let options: QueryComparison.Options

    /// Reads an expression; `[c]` and `[d]` fold it and the texts alike.
    ///
    /// - Throws: `QueryError.invalidPattern` if it cannot be read or is not supported, `.tooComplex` if
    ///   it is too large.
    package init(_ pattern: String, options: QueryComparison.Options = []) throws(QueryError) {
        guard pattern.utf8.count <= Limits.pattern else {
            throw .tooComplex(
                "a regular expression has \(pattern.utf8.count) bytes, \(Limits.pattern) are allowed")
        }
        self.options = options
        var compiler = RegularExpressionCompiler(pattern, options: options)
        program = try compiler.program()
    }

    /// What is wrong with the value of an attribute that has the expression, for people; it goes on after the
    /// attribute's name.
    package func fault(in value: String) -> String? {
        let limit = Limits.matchSteps / program.count
        guard value.utf8.count <= limit else {
            return "is too long for its expression: it has \(value.utf8.count) bytes, \(limit) are matched"
        }
        return matches(value) ? nil : "does not match its expression"
    }

    /// Whether the whole text fits.
    ///
    /// - Complexity: O(text · expression).
    package func matches(_ text: String) -> Bool {
        // Case is folded letter by letter, in the parts for which the expression says so.
        let isFolded = options.contains(.diacriticInsensitive)
        var text = RegularExpressionText(
            isFolded
                ? TextFolding.fold(text, options: .diacriticInsensitive)
                : TextFolding.compose(text, options: options))
        var places = Places(capacity: program.count)
        add(0, to: &places.now, at: 0, in: &text)
        for place in text.scalars.indices {
            if places.areEmpty { return false }
            for state in places.now.states { step(state, at: place, in: &text, &places) }
            places.advance()
        }
        return places.now.states.contains { if case .accept = program[$0] { true } else { false } }
    }

    /// Takes the scalar at a place if a state demands it.
    private func step(
        _ state: Int, at place: Int, in text: inout RegularExpressionText, _ places: inout Places
    ) {
        let scalar = text.scalars[place]
        let isTaken =
            switch program[state] {
            case .scalar(let wanted): wanted == scalar
            case .folded(let wanted, _) where scalar.isASCII: CaseFolding.lowercase(scalar) == wanted
            case .folded: takes(scalar, from: state, at: place, in: &text, &places)
            case .set(let set): set.contains(scalar)
            case .unpaired(let set): !text.isPair(at: place) && set.contains(scalar)
            case .anythingInLine: !RegularExpressionText.isLineEnd(scalar)
            case .split, .jump, .anchor, .accept: false
            }
        if isTaken { add(state + 1, to: &places.next, at: place + 1, in: &text) }
    }

    /// Whether one folded state takes a scalar; what folds to several scalars goes over as many states
    /// itself.
    private func takes(
        _ scalar: Unicode.Scalar, from state: Int, at place: Int, in text: inout RegularExpressionText,
        _ places: inout Places
    ) -> Bool {
        let folded = CaseFolding.fold(scalar)
        for (offset, part) in folded.enumerated() {
            guard case .folded(let wanted, let continues) = program[state + offset], wanted == part,
                continues || offset == folded.count - 1
            else { return false }
        }
        if folded.count == 1 { return true }
        add(state + folded.count, to: &places.next, at: place + 1, in: &text)
        return false
    }

    /// Adds a state and all that are reached from it without a scalar.
    private func add(
        _ state: Int, to set: inout StateSet, at place: Int, in text: inout RegularExpressionText
    ) {
        var waiting = [state]
        while let state = waiting.popLast() {
            guard set.insert(state) else { continue }
            switch program[state] {
            case .split(let first, let second): waiting += [second, first]
            case .jump(let target): waiting.append(target)
            case .anchor(let anchor): if text.holds(anchor, at: place) { waiting.append(state + 1) }
            case .scalar, .folded, .set, .unpaired, .anythingInLine, .accept: break
            }
        }
    }

    /// The states before a scalar, and those behind it.
    private struct Places {
        var now: StateSet
        var next: StateSet

        init(capacity: Int) {
            now = StateSet(capacity: capacity)
            next = StateSet(capacity: capacity)
        }

        var areEmpty: Bool { now.states.isEmpty }

        mutating func advance() {
            swap(&now, &next)
            next.removeAll()
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
