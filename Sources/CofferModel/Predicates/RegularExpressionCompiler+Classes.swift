/// Classes, from `[` to `]`.
extension RegularExpressionCompiler {
    /// A class, from behind its opening bracket on.
    mutating func set() throws(QueryError) -> RegularExpressionSet {
        try nested("classes") { (self) throws(QueryError) in
            var result = RegularExpressionSet()
            result.ignoresCase = self.flags.ignoresCase
            result.isInverted = self.skip("^")
            result.members = try self.members(canBeginWithBracket: true)
            while let scalar = self.peek(), scalar != "]" {
                // Nothing else ends the members.
                self.position += 2
                let members = try self.members(canBeginWithBracket: false)
                result.operations.append(scalar == "&" ? .and(members) : .without(members))
            }
            guard self.skip("]") else { throw self.failure("a '[' has no ']'") }
            return result
        }
    }

    /// The members up to `]`, `&&` or `--`.
    private mutating func members(
        canBeginWithBracket: Bool
    ) throws(QueryError) -> [RegularExpressionSet.Member] {
        var members: [RegularExpressionSet.Member] = []
        while let scalar = peek(), scalar != "]" || (members.isEmpty && canBeginWithBracket) {
            if scalar == "&" || scalar == "-", raw(1) == scalar { break }
            if scalar == "&" || scalar == "-", raw(1) == "[" {
                throw failure("'\(scalar)[' in a class is not supported: write '\(scalar)\(scalar)['")
            }
            if scalar == "[" {
                position += 1
                members.append(.nested(try bracketed()))
            } else if let low = try classScalar() {
                members.append(try range(from: low))
            } else {
                position += 1
                members.append(try escapedMember())
            }
        }
        guard !members.isEmpty else { throw failure("a class, or a side of '&&' or '--', has no members") }
        return members.flatMap(folded)
    }

    private mutating func bracketed() throws(QueryError) -> RegularExpressionSet {
        guard raw() == ":" else { return try set() }
        position += 1
        let isInverted = raw() == "^"
        if isInverted { position += 1 }
        let set = try property(until: ":", isInverted: isInverted)
        guard raw() == "]" else { throw failure("a '[:' has no ':]'") }
        position += 1
        return set
    }

    /// What the name of a category or property takes, up to what ends it.
    mutating func property(
        until end: Unicode.Scalar, isInverted: Bool
    ) throws(QueryError) -> RegularExpressionSet {
        var name = ""
        while let scalar = raw(), scalar != end {
            name.unicodeScalars.append(scalar)
            position += 1
        }
        guard raw() != nil, let property = RegularExpressionProperty(name: name) else {
            throw failure("the category '\(name)' is not known")
        }
        position += 1
        var set = RegularExpressionSet(.named(property), isInverted: isInverted)
        set.ignoresCase = flags.ignoresCase
        return set
    }

    /// The next scalar of a class if it stands for itself.
    private mutating func classScalar() throws(QueryError) -> Unicode.Scalar? {
        guard let scalar = raw() else { return nil }
        if scalar == "\\" { return try escapedScalar() }
        position += 1
        return scalar
    }

    private mutating func range(
        from low: Unicode.Scalar
    ) throws(QueryError) -> RegularExpressionSet.Member {
        guard peek() == "-", let after = raw(1), after != "]", after != "-" else {
            return .range(low.value...low.value)
        }
        guard after != "[" else { throw failure("'-[' in a class is not supported: write '--['") }
        position += 1
        _ = peek()
        guard let high = try classScalar(), low.value <= high.value else {
            throw failure("a range in a class runs backwards, or does not end with a character")
        }
        return .range(low.value...high.value)
    }

    /// A member, and the folded forms of its scalars if texts lose their marks before they are matched.
    private func folded(_ member: RegularExpressionSet.Member) -> [RegularExpressionSet.Member] {
        guard options.contains(.diacriticInsensitive), case .range(let range) = member, range.count <= 512
        else { return [member] }
        var members = [member]
        for value in range {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let folded = TextFolding.fold(String(Character(scalar)), options: .diacriticInsensitive)
                .unicodeScalars
            if folded.count == 1, let only = folded.first, only != scalar {
                members.append(.range(only.value...only.value))
            }
        }
        return members
    }
}
