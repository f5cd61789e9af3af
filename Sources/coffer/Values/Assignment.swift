import ArgumentParser

/// `key=value` on the command line.
struct Assignment {
    let key: String
    /// What stands behind the first equals sign; `nil` where that is nothing, or `null`.
    ///
    /// Text in double quotes is taken without them, so that `""` and `"null"` can be said.
    let value: String?

    init(parsing argument: String) throws {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else {
            throw ValidationError("It is to be 'key=value'.")
        }
        key = String(argument[..<equals])
        let text = String(argument[argument.index(after: equals)...])
        if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
            value = String(text.dropFirst().dropLast())
        } else {
            value = text.isEmpty || text == "null" ? nil : text
        }
    }

    /// What stands in the help of all commands that take assignments.
    static let help: ArgumentHelp = """
        Values by the types of their attributes: numbers, true or false, dates as 2026-01-31T12:00:00Z, bytes in base 64. \
        'key=' and 'key=null' set null, 'key=""' in single quotes the empty text. A relationship takes 'attribute:text', \
        which names the object whose attribute has that value, or 'Entity/p12'; a to-many one is given several times.
        """
}
