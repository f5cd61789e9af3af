/// Reads a regular expression and writes the states that follow it.
struct RegularExpressionCompiler {
    private typealias Code = [RegularExpression.Instruction]

    private let pattern: String
    private let options: QueryComparison.Options
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var nesting = 0

    init(_ pattern: String, options: QueryComparison.Options) {
        self.pattern = pattern
        self.options = options
        scalars = Array(TextFolding.compose(pattern, options: options).unicodeScalars)
    }

    mutating func program() throws(QueryError) -> [RegularExpression.Instruction] {
        let code = try alternatives()
        guard position == scalars.count else { throw failure("a ')' has no '('") }
        return code + [.accept]
    }

    private func failure(_ reason: String) -> QueryError { .invalidPattern(pattern, reason: reason) }

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard peek() == scalar else { return false }
        position += 1
        return true
    }

    private func checked(_ code: Code) throws(QueryError) -> Code {
        guard code.count < Limits.patternStates else { throw failure("it needs too many states") }
        return code
    }
}

// MARK: - Structure

extension RegularExpressionCompiler {
    private mutating func alternatives() throws(QueryError) -> Code {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Limits.predicateDepth else { throw failure("its groups are nested too deep") }
        var branches = [try sequence()]
        while skip("|") { branches.append(try sequence()) }
        var code = branches.removeLast()
        for branch in branches.reversed() {
            let start = branch.count + 2
            let head: Code = [.split(1, start)] + branch.moved(by: 1) + [.jump(start + code.count)]
            code = try checked(head + code.moved(by: start))
        }
        return code
    }

    private mutating func sequence() throws(QueryError) -> Code {
        var code: Code = []
        while let scalar = peek(), scalar != "|", scalar != ")" {
            let part = try repeated(try atom())
            code += part.moved(by: code.count)
            code = try checked(code)
        }
        return code
    }

    private mutating func repeated(_ atom: Code) throws(QueryError) -> Code {
        var code = atom
        var hasQuantifier = false
        while let (low, high) = try quantifier() {
            guard !hasQuantifier else { throw failure("two quantifiers follow each other") }
            hasQuantifier = true
            code = try repeating(atom, low, high)
            _ = skip("?") || skip("+")  // Lazy or possessive: a whole match is the same.
        }
        return code
    }

    private mutating func quantifier() throws(QueryError) -> (low: Int, high: Int?)? {
        if skip("*") { return (0, nil) }
        if skip("+") { return (1, nil) }
        if skip("?") { return (0, 1) }
        guard skip("{") else { return nil }
        guard let low = number() else { throw failure("a '{' has no number") }
        var high: Int? = low
        if skip(",") { high = peek() == "}" ? nil : number() ?? -1 }
        guard skip("}"), high.map({ $0 >= low }) ?? true else { throw failure("a '{m,n}' is not complete") }
        return (low, high)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let scalar = peek(), let digit = Int(String(scalar)), (value ?? 0) < Limits.patternStates {
            value = (value ?? 0) * 10 + digit
            position += 1
        }
        return value
    }

    private func repeating(_ atom: Code, _ low: Int, _ high: Int?) throws(QueryError) -> Code {
        let copies = high ?? low + 1
        guard (atom.count + 2) * max(copies, 1) < Limits.patternStates else {
            throw failure("it needs too many states")
        }
        var code: Code = []
        for _ in 0..<low { code += atom.moved(by: code.count) }
        guard let high else {
            let start = code.count
            code.append(.split(start + 1, start + atom.count + 2))
            code += atom.moved(by: start + 1)
            code.append(.jump(start))
            return code
        }
        let end = code.count + (high - low) * (atom.count + 1)
        for _ in low..<high {
            code.append(.split(code.count + 1, end))
            code += atom.moved(by: code.count)
        }
        return code
    }
}

extension [RegularExpression.Instruction] {
    /// The states with their targets further on by `distance`.
    fileprivate func moved(by distance: Int) -> Self {
        map { instruction in
            switch instruction {
            case .split(let first, let second): .split(first + distance, second + distance)
            case .jump(let target): .jump(target + distance)
            case .scalar, .set, .anything, .start, .end, .wordBoundary, .accept: instruction
            }
        }
    }
}

// MARK: - Atoms

extension RegularExpressionCompiler {
    private mutating func atom() throws(QueryError) -> Code {
        guard let scalar = peek() else { return [] }
        position += 1
        switch scalar {
        case "(": return try group()
        case "[": return [.set(try set())]
        case ".": return [.anything]
        case "^": return [.start]
        case "$": return [.end]
        case "*", "+", "?", "{": throw failure("a quantifier has nothing before it")
        case "\\": return try escape()
        default: return literal(scalar)
        }
    }

    /// A scalar folded as texts are, which may make more than one of it, or none.
    private func literal(_ scalar: Unicode.Scalar) -> Code {
        TextFolding.fold(String(Character(scalar)), options: options).unicodeScalars.map { .scalar($0) }
    }

    private mutating func group() throws(QueryError) -> Code {
        if skip("?") {
            guard skip(":") else { throw failure("of groups only (…) and (?:…) are supported") }
        }
        let code = try alternatives()
        guard skip(")") else { throw failure("a '(' has no ')'") }
        return code
    }

    private mutating func escape() throws(QueryError) -> Code {
        switch peek() {
        case "b":
            position += 1
            return [.wordBoundary(true)]
        case "B":
            position += 1
            return [.wordBoundary(false)]
        case "A":
            position += 1
            return [.start]
        case "z", "Z":
            position += 1
            return [.end]
        default: break
        }
        switch try escapedMember() {
        case .range(let range) where range.count == 1:
            return Unicode.Scalar(range.lowerBound).map(literal) ?? []
        case let member: return [.set(RegularExpressionSet(members: [member]))]
        }
    }

    /// What follows a backslash, within a class or outside.
    private mutating func escapedMember() throws(QueryError) -> RegularExpressionSet.Member {
        guard let scalar = peek() else { throw failure("nothing follows the last backslash") }
        position += 1
        switch scalar {
        case "d", "D": return .digit(scalar == "d")
        case "w", "W": return .word(scalar == "w")
        case "s", "S": return .space(scalar == "s")
        case "p", "P": return .category(try categoryName(), scalar == "p")
        case "n": return .single("\n")
        case "t": return .single("\t")
        case "r": return .single("\r")
        case "f": return .single("\u{c}")
        case "u": return try code(digits: 4)
        case "x": return try code(digits: 2)
        case _ where scalar.properties.isAlphabetic || scalar.properties.numericType != nil:
            throw failure("'\\\(scalar)' is not supported")
        default: return .single(scalar)
        }
    }

    private mutating func categoryName() throws(QueryError) -> String {
        guard skip("{") else { throw failure("'\\p' needs a category such as {L}") }
        var name = ""
        while let scalar = peek(), scalar != "}" {
            name.unicodeScalars.append(scalar)
            position += 1
        }
        guard skip("}"), (1...2).contains(name.count), "LMNPSZC".contains(name.prefix(1)) else {
            throw failure("the category '\(name)' is not known")
        }
        return name
    }

    private mutating func code(digits: Int) throws(QueryError) -> RegularExpressionSet.Member {
        guard position + digits <= scalars.count else { throw failure("an escape is not complete") }
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars[position..<(position + digits)])
        position += digits
        guard let value = UInt32(text, radix: 16), let scalar = Unicode.Scalar(value) else {
            throw failure("an escape is no character")
        }
        return .single(scalar)
    }

    /// A class, from behind its opening bracket on.
    private mutating func set() throws(QueryError) -> RegularExpressionSet {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Limits.predicateDepth else { throw failure("its classes are nested too deep") }
        var result = RegularExpressionSet()
        result.isInverted = skip("^")
        var isFirst = true
        while let scalar = peek(), scalar != "]" || isFirst {
            isFirst = false
            position += 1
            if scalar == "[" {
                guard peek() != ":" else { throw failure("'[:' in a class is not supported: write \\p{…}") }
                result.members.append(.nested(try set()))
                continue
            }
            guard !(scalar == "&" && peek() == "&") else { throw failure("'&&' in a class is not supported") }
            guard !(scalar == "-" && peek() == "-") else { throw failure("'--' in a class is not supported") }
            let low: RegularExpressionSet.Member = scalar == "\\" ? try escapedMember() : .single(scalar)
            result.members.append(try range(from: low))
        }
        guard skip("]") else { throw failure("a '[' has no ']'") }
        return folded(result)
    }

    private mutating func range(
        from low: RegularExpressionSet.Member
    ) throws(QueryError) -> RegularExpressionSet.Member {
        guard case .range(let first) = low, peek() == "-", let after = peek(1), after != "]" else {
            return low
        }
        guard after != "-" else { throw failure("'--' in a class is not supported") }
        position += 2
        let high: RegularExpressionSet.Member = after == "\\" ? try escapedMember() : .single(after)
        guard case .range(let last) = high, first.lowerBound <= last.upperBound else {
            throw failure("a range in a class runs backwards")
        }
        return .range(first.lowerBound...last.upperBound)
    }

    /// Adds the folded forms of the members, since texts are folded before they are matched.
    private func folded(_ set: RegularExpressionSet) -> RegularExpressionSet {
        guard options.contains(.caseInsensitive) || options.contains(.diacriticInsensitive) else {
            return set
        }
        var set = set
        for case .range(let range) in set.members where range.count <= 512 {
            for value in range {
                guard let scalar = Unicode.Scalar(value) else { continue }
                let folded = TextFolding.fold(String(Character(scalar)), options: options).unicodeScalars
                if folded.count == 1, let only = folded.first, only != scalar {
                    set.members.append(.single(only))
                }
            }
        }
        return set
    }
}

extension RegularExpressionSet.Member {
    /// One scalar.
    fileprivate static func single(_ scalar: Unicode.Scalar) -> Self { .range(scalar.value...scalar.value) }
}
