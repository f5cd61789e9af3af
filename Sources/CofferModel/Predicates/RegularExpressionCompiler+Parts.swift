/// Literals, groups, and what a backslash begins.
extension RegularExpressionCompiler {
    /// States for letters in a row, folded as texts are.
    func text(_ literals: [Unicode.Scalar]) -> Code {
        var scalars = literals
        if options.contains(.diacriticInsensitive) {
            scalars = literals.flatMap {
                TextFolding.fold(String(Character($0)), options: .diacriticInsensitive).unicodeScalars
            }
        }
        guard flags.ignoresCase else { return scalars.map { .scalar($0) } }
        let folded = scalars.flatMap(CaseFolding.fold)
        return folded.enumerated().map { .folded($1, continues: $0 + 1 < folded.count) }
    }

    /// What is not a literal.
    mutating func part() throws(QueryError) -> Part {
        guard let scalar = raw() else { return Part(code: []) }
        position += 1
        switch scalar {
        case "(": return try group()
        case "[": return Part(code: [.set(try set())])
        case ".": return Part(code: flags.dotTakesLineEnds ? Self.pairOr(.all) : [.anythingInLine])
        case "^": return Part(code: [.anchor(flags.anchorsMatchLines ? .lineStart : .textStart)])
        case "$": return Part(code: [.anchor(flags.anchorsMatchLines ? .lineEnd : .lastLineEnd)])
        case "\\": return try escape()
        case "}": throw failure("a '}' has no '{': write \\}")
        default: throw failure("a quantifier has nothing before it")
        }
    }

    /// `\r\n` as one, or one scalar of a set.
    private static func pairOr(_ set: RegularExpressionSet) -> Code {
        either([.unpaired(set)], or: [.scalar("\r"), .scalar("\n")])
    }

    private mutating func group() throws(QueryError) -> Part {
        let outer = flags
        if raw() == "?" {
            position += 1
            if let part = try special() { return part }
        }
        let code = try alternatives()
        guard skip(")") else { throw failure("a '(' has no ')'") }
        flags = outer
        return Part(code: code)
    }

    /// What follows `(?`; `nil` if the rest is a group's alternatives.
    private mutating func special() throws(QueryError) -> Part? {
        switch raw() {
        case ":":
            position += 1
            return nil
        case "#":
            while let scalar = raw(), scalar != ")" { position += 1 }
            guard raw() != nil else { throw failure("a comment has no ')'") }
            position += 1
            return Part(code: [], canRepeat: false)
        case "=", "!": throw failure("look-ahead, as in (?=…) and (?!…), is not supported")
        case ">": throw failure("groups that never give back, (?>…), are not supported")
        case "<":
            if raw(1) == "=" || raw(1) == "!" { throw failure("look-behind is not supported") }
            try skipName()
            return nil
        default: return try readFlags() ? Part(code: [], canRepeat: false) : nil
        }
    }

    private mutating func skipName() throws(QueryError) {
        let start = position + 1
        position = start
        while let scalar = raw(), scalar.isASCII,
            scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        {
            position += 1
        }
        guard position > start, raw() == ">" else { throw failure("a group's name is not complete") }
        position += 1
    }

    /// Reads flags up to `)` or `:`; whether it was the former, so that they hold for what follows.
    private mutating func readFlags() throws(QueryError) -> Bool {
        var value = true
        while let scalar = raw() {
            position += 1
            switch scalar {
            case "i": flags.ignoresCase = value
            case "m": flags.anchorsMatchLines = value
            case "s": flags.dotTakesLineEnds = value
            case "x": flags.isSpaced = value
            case "-": value = false
            case ")": return true
            case ":": return false
            default: throw failure("of flags only (?imsx) are supported, and '\(scalar)' is not one")
            }
        }
        throw failure("a '(?' is not complete")
    }
}

// MARK: - Backslashes

extension RegularExpressionCompiler {
    private mutating func escape() throws(QueryError) -> Part {
        let anchor: RegularExpressionText.Anchor? =
            switch raw() {
            case "b": .wordBoundary(true)
            case "B": .wordBoundary(false)
            case "A": .textStart
            case "z": .textEnd
            case "Z": .lastLineEnd
            default: nil
            }
        if let anchor {
            position += 1
            return Part(code: [.anchor(anchor)], canRepeat: false)
        }
        if raw() == "R" {
            position += 1
            return Part(code: Self.pairOr(.lineEnds))
        }
        return Part(code: [.set(RegularExpressionSet(try escapedMember()))])
    }

    /// The scalar that a backslash and what follows it stand for; `nil`, and nothing is read, if it is
    /// another thing.
    mutating func escapedScalar() throws(QueryError) -> Unicode.Scalar? {
        guard let scalar = raw(1) else { throw failure("nothing follows the last backslash") }
        let start = position
        position += 2
        switch scalar {
        case "a": return "\u{7}"
        case "e": return "\u{1b}"
        case "f": return "\u{c}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u": return try code(digits: 4...4)
        case "U": return try code(digits: 8...8)
        case "x":
            guard raw() == "{" else { return try code(digits: 1...2) }
            position += 1
            let value = try code(digits: 1...6)
            guard raw() == "}" else { throw failure("an escape is not complete") }
            position += 1
            return value
        case _ where scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)):
            position = start
            return nil
        default: return scalar
        }
    }

    /// The class that the letter after a backslash stands for, within brackets or outside.
    mutating func escapedMember() throws(QueryError) -> RegularExpressionSet.Member {
        guard let scalar = raw() else { throw failure("nothing follows the last backslash") }
        position += 1
        let isInverted = scalar.properties.isUppercase
        switch scalar {
        case "d", "D": return .nested(RegularExpressionSet(.named(.digit), isInverted: isInverted))
        case "w", "W": return .nested(RegularExpressionSet(.named(.word), isInverted: isInverted))
        case "s", "S": return .nested(RegularExpressionSet(.named(.space), isInverted: isInverted))
        case "h", "H": return .nested(RegularExpressionSet(.named(.blank), isInverted: isInverted))
        case "v", "V":
            var set = RegularExpressionSet.lineEnds
            set.isInverted = isInverted
            return .nested(set)
        case "p", "P":
            guard raw() == "{" else { throw failure("'\\p' needs a category such as {L}") }
            position += 1
            return .nested(try property(until: "}", isInverted: isInverted))
        case "1"..."9", "k": throw failure("back references are not supported")
        default: throw failure("'\\\(scalar)' is not supported")
        }
    }

    private mutating func code(digits: ClosedRange<Int>) throws(QueryError) -> Unicode.Scalar {
        var text = ""
        while text.count < digits.upperBound, let scalar = raw(), scalar.properties.isASCIIHexDigit {
            text.unicodeScalars.append(scalar)
            position += 1
        }
        guard text.count >= digits.lowerBound else { throw failure("an escape is not complete") }
        guard let value = UInt32(text, radix: 16), let scalar = Unicode.Scalar(value) else {
            throw failure("an escape is not a character")
        }
        return scalar
    }
}
