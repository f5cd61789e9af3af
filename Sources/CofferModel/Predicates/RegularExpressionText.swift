/// A text as a regular expression reads it: its scalars, and what stands between them.
struct RegularExpressionText {
    /// What holds between two scalars and takes none.
    enum Anchor: Sendable {
        case textStart
        case textEnd
        /// At the end, or before the line end that is the last of the text: `$`.
        case lastLineEnd
        case lineStart
        case lineEnd
        case wordBoundary(Bool)
    }

    let scalars: [Unicode.Scalar]
    /// Whether the letter that ends before each place, with its marks, belongs to a word; empty until it
    /// is needed.
    private var endsWord: [Bool] = []

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    var count: Int { scalars.count }

    /// Whether a scalar ends a line; `\r` and `\n` in a row end one together.
    static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xa...0xd, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Whether `\r` and `\n` follow.
    func isPair(at place: Int) -> Bool {
        place + 1 < count && scalars[place] == "\r" && scalars[place + 1] == "\n"
    }

    /// Whether an anchor holds before the scalar at a place.
    mutating func holds(_ anchor: Anchor, at place: Int) -> Bool {
        switch anchor {
        case .textStart: place == 0
        case .textEnd: place == count
        case .lastLineEnd:
            place == count || place == count - 1 && isLineEnd(at: place)
                || place == count - 2 && isPair(at: place)
        case .lineStart: place == 0 || place < count && Self.isLineEnd(scalars[place - 1])
        case .lineEnd: place == count || isLineEnd(at: place)
        case .wordBoundary(let wanted): isWordBoundary(at: place) == wanted
        }
    }

    /// Whether a line ends at a place, which it does not between `\r` and `\n`.
    private func isLineEnd(at place: Int) -> Bool {
        Self.isLineEnd(scalars[place]) && !(place > 0 && isPair(at: place - 1))
    }

    private mutating func isWordBoundary(at place: Int) -> Bool {
        if endsWord.isEmpty { readWords() }
        guard place < count else { return endsWord[place] }
        let scalar = scalars[place]
        if Self.isMark(scalar) { return false }
        return RegularExpressionSet.isWord(scalar) != endsWord[place]
    }

    private mutating func readWords() {
        endsWord = [false]
        endsWord.reserveCapacity(count + 1)
        var state = false
        for scalar in scalars {
            if !Self.isMark(scalar) { state = RegularExpressionSet.isWord(scalar) }
            endsWord.append(state)
        }
    }

    /// Whether a scalar belongs to the letter before it.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0x7f
            && (scalar.properties.isGraphemeExtend || scalar.properties.generalCategory == .format)
    }
}
