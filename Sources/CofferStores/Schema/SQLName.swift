internal import CofferModel

/// Names in SQL.
enum SQLName {
    /// The name as it may stand in SQL: in quotes if it has other characters than letters, digits and `_`.
    static func quoted(_ name: String) -> String {
        if name.isPlainName { return name }
        return inQuotes(name)
    }

    /// The name as it may stand in SQL: in quotes if SQLite does not accept it bare, as it does letters of
    /// every script.
    static func bareOrQuoted(_ name: String) -> String {
        let isBare = name.utf8.enumerated().allSatisfy { offset, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "_"), 0x80...0xFF:
                true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): offset > 0
            default: false
            }
        }
        return isBare && !name.isEmpty ? name : inQuotes(name)
    }

    /// A name that may be in quotes already, as `quoted` puts it.
    static func ready(_ name: String) -> String { name.hasPrefix("\"") ? name : quoted(name) }

    /// The name of the index that a statement makes.
    static func ofIndex(_ statement: String) -> String {
        let starts = ["CREATE INDEX ", "CREATE UNIQUE INDEX "]
        guard let start = starts.first(where: statement.hasPrefix) else { return "" }
        let rest = statement.dropFirst(start.count)
        guard rest.first == "\"" else { return String(rest.prefix { $0 != " " }) }
        var name = ""
        var isHalf = false  // Whether a quote came, which a second one makes one of the name.
        for character in rest.dropFirst() {
            if character != "\"" {
                if isHalf { break }
                name.append(character)
            } else {
                if isHalf { name.append(character) }
                isHalf.toggle()
            }
        }
        return name
    }

    /// The name in quotes.
    static func inQuotes(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            + "\""
    }
}

/// Gives out names, each once; like SQLite, it ignores the case of ASCII letters.
///
/// The second name of a kind gets the digit 1, the next one 2.
struct UniqueNames {
    private var taken: Set<String> = []

    mutating func name(_ wanted: String) -> String {
        var name = wanted
        var number = 0
        while !taken.insert(Self.folded(name)).inserted {
            number += 1
            name = wanted + String(number)
        }
        return name
    }

    private static func folded(_ name: String) -> String {
        String(
            decoding: name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 },
            as: UTF8.self)
    }
}
