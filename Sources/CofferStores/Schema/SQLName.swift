internal import CofferModel

/// Names in SQL.
enum SQLName {
    /// The name as it may stand in SQL: in quotes where it has other characters than letters, digits and `_`.
    static func quoted(_ name: String) -> String {
        if name.isPlainName { return name }
        return "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            + "\""
    }
}

/// Gives out names, each once: the second of one kind gets the digit 1, the next 2.
struct UniqueNames {
    private var taken: Set<String> = []

    mutating func name(_ wanted: String) -> String {
        var name = wanted
        var number = 0
        while !taken.insert(name).inserted {
            number += 1
            name = wanted + String(number)
        }
        return name
    }
}
