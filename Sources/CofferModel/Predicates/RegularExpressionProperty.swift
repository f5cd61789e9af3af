/// What `\d`, `\p{…}` and `[:…:]` take.
enum RegularExpressionProperty: Sendable, Equatable {
    case digit
    case word
    case space
    case blank
    case alphabetic
    case uppercase
    case lowercase
    case alphanumeric
    case casedLetter
    /// The beginning of a general category's abbreviation, `L` or `Lu`.
    case category(String)

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return switch self {
        case .digit: properties.generalCategory == .decimalNumber
        case .word: Self.isWord(scalar, properties)
        case .space: properties.isWhitespace
        case .blank: scalar == "\t" || properties.generalCategory == .spaceSeparator
        case .alphabetic: properties.isAlphabetic
        case .uppercase: properties.isUppercase
        case .lowercase: properties.isLowercase
        case .alphanumeric: properties.isAlphabetic || properties.generalCategory == .decimalNumber
        case .casedLetter:
            switch properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter: true
            default: false
            }
        case .category(let name): Self.abbreviation(properties.generalCategory).hasPrefix(name)
        }
    }

    private static func isWord(_ scalar: Unicode.Scalar, _ properties: Unicode.Scalar.Properties) -> Bool {
        switch properties.generalCategory {
        case .decimalNumber, .nonspacingMark, .spacingMark, .enclosingMark, .connectorPunctuation: true
        default: properties.isAlphabetic || scalar == "\u{200c}" || scalar == "\u{200d}"
        }
    }

    /// What a name stands for, whatever its case, spaces, `-` and `_`; `nil` if it is not known.
    init?(name: String) {
        let name = name.lowercased().filter { !" -_".contains($0) }
        if let known = Self.names[name] {
            self = known
            return
        }
        let category = name.prefix(1).uppercased() + name.dropFirst()
        guard Self.abbreviations.contains(where: { $0.hasPrefix(category) }), !category.isEmpty else {
            return nil
        }
        self = .category(category)
    }

    private static let names: [String: Self] = [
        "alphabetic": .alphabetic, "alpha": .alphabetic, "uppercase": .uppercase, "upper": .uppercase,
        "lowercase": .lowercase, "lower": .lowercase, "whitespace": .space, "space": .space, "blank": .blank,
        "alnum": .alphanumeric, "lc": .casedLetter, "digit": .digit, "letter": .category("L"),
        "mark": .category("M"), "number": .category("N"), "punctuation": .category("P"),
        "punct": .category("P"), "symbol": .category("S"), "separator": .category("Z"),
        "other": .category("C"), "control": .category("Cc"), "cntrl": .category("Cc"),
    ]

    /// The two letters that Unicode gives its categories.
    private static let abbreviations = [
        "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf",
        "Po", "Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
    ]

    private static func abbreviation(_ category: Unicode.GeneralCategory) -> String {
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
