/// The scalars that a class such as `[a-z\d]` takes.
struct RegularExpressionSet: Sendable {
    /// One member of a class.
    enum Member: Sendable {
        case range(ClosedRange<UInt32>)
        case named(RegularExpressionProperty)
        case nested(RegularExpressionSet)
    }

    /// `&&` and `--`, each with the members that follow it.
    enum Operation: Sendable {
        case and([Member])
        case without([Member])
    }

    var members: [Member] = []
    /// Carried out one after the other.
    var operations: [Operation] = []
    var isInverted = false
    /// Whether it takes also what is alike to a member but for its case.
    var ignoresCase = false

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let isMember =
            ignoresCase ? CaseFolding.variants(of: scalar).contains(where: has) : has(scalar)
        return isMember != isInverted
    }

    private func has(_ scalar: Unicode.Scalar) -> Bool {
        var result = Self.contains(scalar, members)
        for operation in operations {
            switch operation {
            case .and(let members): result = result && Self.contains(scalar, members)
            case .without(let members): result = result && !Self.contains(scalar, members)
            }
        }
        return result
    }

    private static func contains(_ scalar: Unicode.Scalar, _ members: [Member]) -> Bool {
        members.contains { member in
            switch member {
            case .range(let range): range.contains(scalar.value)
            case .named(let property): property.contains(scalar)
            case .nested(let set): set.contains(scalar)
            }
        }
    }

    /// Letters, digits, marks, connectors such as `_`, and what joins letters.
    static func isWord(_ scalar: Unicode.Scalar) -> Bool { RegularExpressionProperty.word.contains(scalar) }
}

extension RegularExpressionSet {
    /// One member, or all that are not it.
    init(_ member: Member, isInverted: Bool = false) {
        members = [member]
        self.isInverted = isInverted
    }

    /// What ends a line.
    static var lineEnds: Self {
        Self(members: [.range(0xa...0xd), .range(0x85...0x85), .range(0x2028...0x2029)])
    }

    /// Everything.
    static var all: Self { Self(isInverted: true) }
}
