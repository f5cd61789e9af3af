/// The scalars that a class such as `[a-z\d]` takes.
struct RegularExpressionSet: Sendable {
    /// One member of a class.
    enum Member: Sendable {
        case range(ClosedRange<UInt32>)
        case digit(Bool)
        case word(Bool)
        case space(Bool)
        /// The beginning of a general category's abbreviation, `L` or `Lu`, and whether it is wanted.
        case category(String, Bool)
        case nested(RegularExpressionSet)
    }

    var members: [Member] = []
    var isInverted = false

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        members.contains { Self.matches($0, scalar) } != isInverted
    }

    private static func matches(_ member: Member, _ scalar: Unicode.Scalar) -> Bool {
        switch member {
        case .range(let range): range.contains(scalar.value)
        case .digit(let wanted): (scalar.properties.generalCategory == .decimalNumber) == wanted
        case .word(let wanted): isWord(scalar) == wanted
        case .space(let wanted): scalar.properties.isWhitespace == wanted
        case .category(let name, let wanted):
            abbreviation(scalar.properties.generalCategory).hasPrefix(name) == wanted
        case .nested(let set): set.contains(scalar)
        }
    }

    /// Letters, digits, marks and connectors such as `_`.
    static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return switch properties.generalCategory {
        case .decimalNumber, .nonspacingMark, .spacingMark, .enclosingMark, .connectorPunctuation: true
        default: properties.isAlphabetic
        }
    }

    /// The two letters that Unicode gives a category.
    static func abbreviation(_ category: Unicode.GeneralCategory) -> String {
        switch category {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter: "Lt"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .nonspacingMark: "Mn"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .openPunctuation: "Ps"
        case .closePunctuation: "Pe"
        case .initialPunctuation: "Pi"
        case .finalPunctuation: "Pf"
        case .otherPunctuation: "Po"
        case .mathSymbol: "Sm"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .otherSymbol: "So"
        case .spaceSeparator: "Zs"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .control: "Cc"
        case .format: "Cf"
        case .surrogate: "Cs"
        case .privateUse: "Co"
        case .unassigned: "Cn"
        @unknown default: "Cn"
        }
    }
}
