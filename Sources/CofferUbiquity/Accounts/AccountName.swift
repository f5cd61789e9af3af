/// What a person calls an account.
enum AccountName {
    /// Checks that an account can be called that.
    ///
    /// - Throws: `AccountError.unfitName`.
    static func check(_ name: String) throws(AccountError) {
        if name.isEmpty { throw .unfitName(name, reason: "it is empty") }
        if name.utf8.count > Limits.nameByteCount {
            throw .unfitName(name, reason: "it has more than \(Limits.nameByteCount) bytes")
        }
        if name.unicodeScalars.contains(where: \.properties.isHidden) {
            throw .unfitName(name, reason: "it has control characters or line breaks")
        }
    }
}

extension Unicode.Scalar.Properties {
    /// Whether terminals would not show the scalar as what it is.
    fileprivate var isHidden: Bool {
        switch generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
