/// Names in SQL.
enum SQLName {
    /// The name as it may stand in SQL: in quotes where it has other characters than letters, digits and `_`.
    static func quoted(_ name: String) -> String {
        if isPlain(name) { return name }
        return "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            + "\""
    }

    /// Whether a name has nothing but letters, digits and `_`: one that a file brings along is put into no SQL else.
    static func isPlain(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.enumerated().allSatisfy { offset, byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "_"):
                    true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): offset > 0
                default: false
                }
            }
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
