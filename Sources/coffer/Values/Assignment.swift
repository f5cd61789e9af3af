import ArgumentParser

/// `key=value` on the command line.
struct Assignment {
    /// What becomes of what was there.
    enum Operation {
        /// `key=value`: it gives way.
        case set
        /// `key+=value`: the object is joined to a to-many relationship.
        case add
        /// `key-=value`: the object is taken from a to-many relationship.
        case remove
    }

    private(set) var key: String
    private(set) var operation = Operation.set
    /// What stands behind the first equals sign; `nil` if that is nothing, or `null`.
    ///
    /// Text in double quotes is taken without them, so that `""` and `"null"` can be said.
    let value: String?

    init(parsing argument: String) throws {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else {
            throw ValidationError("It must have the form 'key=value'.")
        }
        key = String(argument[..<equals])
        let text = String(argument[argument.index(after: equals)...])
        if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
            value = String(text.dropFirst().dropLast())
        } else {
            value = text.isEmpty || text == "null" ? nil : text
        }
    }

    /// `property=value`, `relationship+=value` or `relationship-=value`.
    static func ofProperty(_ argument: String) throws -> Assignment {
        var assignment = try Assignment(parsing: argument)
        // No name of a property ends so.
        switch assignment.key.last {
        case "+": assignment.operation = .add
        case "-": assignment.operation = .remove
        default: return assignment
        }
        assignment.key.removeLast()
        if assignment.key.isEmpty || assignment.value == nil {
            throw ValidationError("It must have the form 'relationship+=object' or 'relationship-=object'.")
        }
        return assignment
    }

    /// What stands in the help of all commands that take assignments.
    static let help: ArgumentHelp = """
        Values by the types of their attributes: numbers, true or false, dates as 2026-01-31T12:00:00Z, bytes in base 64. \
        'key=' and 'key=null' set null, 'key=""' in single quotes the empty text. A relationship takes 'attribute:text', \
        which names the object whose attribute has that value, or 'Entity/p12'. A to-many one is given several times: \
        'key=' sets all of it, so objects that were in it before leave it; 'key+=' adds an object, and 'key-=' takes one away.
        """
}
