/// Reads a regular expression and writes the states that follow it.
struct RegularExpressionCompiler {
    typealias Code = [RegularExpression.Instruction]

    /// What `(?imsx)` turns on, until the group ends in which it stands.
    struct Flags {
        var ignoresCase = false
        var anchorsMatchLines = false
        var dotTakesLineEnds = false
        var isSpaced = false
    }

    /// States, and whether a quantifier may follow what they were written for.
    struct Part {
        var code: Code
        var canRepeat = true
    }

    private let pattern: String
    let options: QueryComparison.Options
    let scalars: [Unicode.Scalar]
    var position = 0
    var nesting = 0
    var flags = Flags()
    /// Whether the position is between `\Q` and `\E`.
    private var isQuoted = false

    init(_ pattern: String, options: QueryComparison.Options) {
        self.pattern = pattern
        self.options = options
        scalars = Array(TextFolding.compose(pattern, options: options).unicodeScalars)
        flags.ignoresCase = options.contains(.caseInsensitive)
    }

    mutating func program() throws(QueryError) -> [RegularExpression.Instruction] {
        let code = try alternatives()
        guard position == scalars.count else { throw failure("a ')' has no '('") }
        return code + [.accept]
    }

    func failure(_ reason: String) -> QueryError { .invalidPattern(pattern, reason: reason) }

    private func checked(_ code: Code) throws(QueryError) -> Code {
        guard code.count < Limits.patternStates else { throw failure("it needs too many states") }
        return code
    }
}

// MARK: - Reading

extension RegularExpressionCompiler {
    /// The scalar at a distance, whatever it means there.
    func raw(_ distance: Int = 0) -> Unicode.Scalar? {
        position + distance < scalars.count ? scalars[position + distance] : nil
    }

    /// The next scalar that means something: with the flag `x`, spaces and what follows `#` in a line do not.
    mutating func peek() -> Unicode.Scalar? {
        while flags.isSpaced, let scalar = raw() {
            if scalar == "#" {
                while let comment = raw(), !"\n\r\u{85}\u{2028}".unicodeScalars.contains(comment) {
                    position += 1
                }
            } else if scalar.properties.isPatternWhitespace {
                position += 1
            } else {
                return scalar
            }
        }
        return raw()
    }

    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard !isQuoted, peek() == scalar else { return false }
        position += 1
        return true
    }

    /// The next character outside of classes; `\Q` and `\E` may stand before it.
    private mutating func peekPart() -> Unicode.Scalar? {
        while true {
            let scalar = isQuoted ? raw() : peek()
            guard scalar == "\\", raw(1) == (isQuoted ? "E" : "Q") else { return scalar }
            position += 2
            isQuoted.toggle()
        }
    }

    mutating func nested<Result>(
        _ what: String, _ body: (inout Self) throws(QueryError) -> Result
    ) throws(QueryError) -> Result {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Limits.predicateDepth else { throw failure("its \(what) are nested too deep") }
        return try body(&self)
    }
}

// MARK: - Structure

extension RegularExpressionCompiler {
    mutating func alternatives() throws(QueryError) -> Code {
        try nested("groups") { (self) throws(QueryError) in
            var branches = [try self.sequence()]
            while self.skip("|") { branches.append(try self.sequence()) }
            var code = branches.removeLast()
            for branch in branches.reversed() {
                code = try self.checked(Self.either(branch, or: code))
            }
            return code
        }
    }

    static func either(_ first: Code, or second: Code) -> Code {
        let start = first.count + 2
        let head: Code = [.split(1, start)] + first.moved(by: 1)
        return head + [.jump(start + second.count)] + second.moved(by: start)
    }

    private mutating func sequence() throws(QueryError) -> Code {
        var code: Code = []
        var literals: [Unicode.Scalar] = []
        while let scalar = peekPart(), isQuoted || (scalar != "|" && scalar != ")") {
            // Letters in a row are folded together, so that `ss` finds `ß`.
            let literal = try literal()
            if let literal, !isRepeated() {
                literals.append(literal)
                continue
            }
            // Before flags change, which are not for them.
            code += text(literals)
            literals = []
            let part = if let literal { Part(code: text([literal])) } else { try part() }
            code += try repeated(part).moved(by: code.count)
            code = try checked(code)
        }
        return try checked(code + text(literals))
    }

    /// The next scalar if it stands for itself.
    private mutating func literal() throws(QueryError) -> Unicode.Scalar? {
        guard let scalar = raw() else { return nil }
        if isQuoted || !"*?+[(){}^$|\\.".unicodeScalars.contains(scalar) {
            position += 1
            return scalar
        }
        return scalar == "\\" ? try escapedScalar() : nil
    }

    private mutating func isRepeated() -> Bool {
        guard let next = peekPart(), !isQuoted else { return false }
        return "*+?{".unicodeScalars.contains(next)
    }

    private mutating func repeated(_ part: Part) throws(QueryError) -> Code {
        guard isRepeated(), let (low, high) = try quantifier() else { return part.code }
        guard part.canRepeat else { throw failure("a quantifier follows what cannot be repeated") }
        // A lazy quantifier matches the whole text alike; a possessive one may not.
        if !skip("?"), skip("+") { throw failure("possessive quantifiers are not supported") }
        guard !isRepeated() else { throw failure("two quantifiers follow each other") }
        return try repeating(part.code, from: low, to: high)
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

    private func repeating(_ atom: Code, from low: Int, to high: Int?) throws(QueryError) -> Code {
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
    func moved(by distance: Int) -> Self {
        map { instruction in
            switch instruction {
            case .split(let first, let second): .split(first + distance, second + distance)
            case .jump(let target): .jump(target + distance)
            case .scalar, .folded, .set, .unpaired, .anythingInLine, .anchor, .accept: instruction
            }
        }
    }
}
