/// Finds out what kinds of values stand in a statement, by reading it beside its own text with the values
/// filled in.
///
/// SQLite tells what was bound in no other way; noting it when it is bound would cost every save.
struct BindingReader {
    private let sql: [UInt8]
    private let filled: [UInt8]
    private var place = 0
    private var filledPlace = 0

    private init(sql: String, filled: String) {
        self.sql = Array(sql.utf8)
        self.filled = Array(filled.utf8)
    }

    /// What was bound, each parameter once, in the order in which they stand; `nil` where the texts do not
    /// fit together.
    static func bindings(of sql: String, filled: String) -> [SQLiteBinding]? {
        var reader = BindingReader(sql: sql, filled: filled)
        return reader.read()
    }

    private mutating func read() -> [SQLiteBinding]? {
        var bindings: [SQLiteBinding] = []
        var seen: Set<String> = []
        while place < sql.count {
            switch sql[place] {
            case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): skipQuoted(sql[place])
            case UInt8(ascii: "["): skipQuoted(UInt8(ascii: "]"))
            case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"):
                let name = takeParameter()
                guard let kind = takeLiteral() else { return nil }
                if seen.insert(name).inserted { bindings.append(SQLiteBinding(parameter: name, kind: kind)) }
            case UInt8(ascii: "-") where sql[place...].starts(with: "--".utf8): skipComment(until: "\n")
            case UInt8(ascii: "/") where sql[place...].starts(with: "/*".utf8): skipComment(until: "*/")
            default: skip(1)
            }
        }
        return filledPlace == filled.count ? bindings : nil
    }

    private mutating func skip(_ count: Int) {
        place += count
        filledPlace += count
    }

    /// Both texts stand at the same quoted name or text.
    private mutating func skipQuoted(_ end: UInt8) {
        skip(1)
        while place < sql.count, sql[place] != end { skip(1) }
        skip(1)
    }

    /// Both texts stand at the same comment.
    private mutating func skipComment(until end: String) {
        skip(2)
        while place < sql.count, !sql[place...].starts(with: end.utf8) { skip(1) }
    }

    private mutating func takeParameter() -> String {
        let begin = place
        place += 1
        while place < sql.count, Self.isNamePart(sql[place]) { place += 1 }
        return String(decoding: sql[begin..<place], as: UTF8.self)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private mutating func takeLiteral() -> SQLiteBinding.Kind? {
        guard filledPlace < filled.count else { return nil }
        switch filled[filledPlace] {
        case UInt8(ascii: "N"): return take("NULL") ? .null : nil
        case UInt8(ascii: "z"): return takeZeros()
        case UInt8(ascii: "x"):
            filledPlace += 1
            return takeQuotedCount().map { .blob(byteCount: $0 / 2) }
        case UInt8(ascii: "'"): return takeQuotedCount().map { .text(byteCount: $0) }
        default: return takeNumber()
        }
    }

    private mutating func take(_ word: String) -> Bool {
        guard filled[filledPlace...].starts(with: word.utf8) else { return false }
        filledPlace += word.utf8.count
        return true
    }

    /// `zeroblob(n)`.
    private mutating func takeZeros() -> SQLiteBinding.Kind? {
        guard take("zeroblob("), let end = filled[filledPlace...].firstIndex(of: UInt8(ascii: ")")),
            let count = Int(String(decoding: filled[filledPlace..<end], as: UTF8.self))
        else { return nil }
        filledPlace = end + 1
        return .blob(byteCount: count)
    }

    /// How many bytes stand between quotes, a doubled quote being one.
    private mutating func takeQuotedCount() -> Int? {
        let quote = UInt8(ascii: "'")
        guard filledPlace < filled.count, filled[filledPlace] == quote else { return nil }
        filledPlace += 1
        var count = 0
        while filledPlace < filled.count {
            if filled[filledPlace] == quote {
                filledPlace += 1
                guard filledPlace < filled.count, filled[filledPlace] == quote else { return count }
            }
            filledPlace += 1
            count += 1
        }
        return nil
    }

    private mutating func takeNumber() -> SQLiteBinding.Kind? {
        let begin = filledPlace
        let marks = Array("+-.eEInfa".utf8)
        while filledPlace < filled.count,
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(filled[filledPlace])
                || marks.contains(filled[filledPlace])
        { filledPlace += 1 }
        let text = filled[begin..<filledPlace]
        guard !text.isEmpty else { return nil }
        let isWhole = text.allSatisfy {
            $0 == UInt8(ascii: "-") || $0 < UInt8(ascii: ":") && $0 >= UInt8(ascii: "0")
        }
        return isWhole ? .integer : .real
    }
}
