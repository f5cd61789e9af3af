/// How a value is kept of an attribute that may have it in a file beside the store.
enum ExternalData {
    /// Stands before data that is in the row itself.
    static let inlineMark: [UInt8] = [1]
    /// Stands before the name of a file, which a zero follows.
    private static let fileMark: UInt8 = 2

    /// What stands in the row of a value that is in the file of this name, 36 characters.
    static func stored(inFile name: String) -> [UInt8] { [fileMark] + name.utf8 + [0] }

    /// Stands for files whose place is unknown.
    static let unreachable: @Sendable (String) throws(StoreError) -> [UInt8]? = { name throws(StoreError) in
        throw .damaged(path: name, detail: "the file of an external value cannot be reached")
    }

    /// Whether `stored` has the name of a file.
    static func isFile(_ stored: [UInt8]) -> Bool { stored.count == 38 && stored[0] == fileMark }

    /// SQL that says whether `column` has the name of a file.
    static func isFile(_ column: String) -> String {
        // The length first: of a long value it needs no page but that of its row.
        "(length(\(column)) = 38 AND substr(\(column), 1, 1) = x'02')"
    }

    /// SQL for the name of the file in `column`.
    static func name(in column: String) -> String { "CAST(substr(\(column), 2, 36) AS TEXT)" }

    /// The value that stands for `stored`; `file` gives the content of the file that it names, `nil` if
    /// that is missing.
    static func value<Failure>(
        _ stored: [UInt8], file: (String) throws(Failure) -> [UInt8]?
    ) throws(Failure) -> [UInt8]? {
        switch stored.first {
        case inlineMark[0]: return Array(stored.dropFirst())
        case fileMark:
            return try file(String(decoding: stored.dropFirst().prefix { $0 != 0 }, as: UTF8.self))
        default: return stored
        }
    }
}
