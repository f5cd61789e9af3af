/// A file name that belongs to what is kept beside a store's file, be there one or not.
///
/// SQLite's logs, the lock, the folder of large values, and the names under which copies and replacements are
/// made.
package struct CompanionName: Sendable, Equatable {
    /// What SQLite and Coffer put behind a store's name, in lower case.
    private static let endings = ["-wal", "-shm", "-journal", ".lock"]
    /// What is put behind the name with a dot before it, in lower case.
    private static let hiddenEndings = ["_support", ".new", ".part", ".copy", ".move"]

    /// The file of a store that the name would belong to, without its ending if the name tells only the stem.
    package let owner: String

    /// What `name` would belong to; `nil` if it can be any file's.
    ///
    /// Case counts for nothing, as on some file systems.
    package init?(_ name: String) {
        let folded = name.lowercased()
        if let ending = Self.endings.first(where: { folded.hasSuffix($0) && folded != $0 }) {
            owner = String(name.dropLast(ending.count))
        } else if folded.hasPrefix("."), let ending = Self.hiddenEndings.first(where: folded.hasSuffix) {
            owner = String(name.dropFirst().dropLast(ending.count))
        } else {
            return nil
        }
    }

    /// Why nothing else may have the name, for a message.
    package var reason: String {
        "the name belongs to what is kept beside the store '\(owner)': choose another one"
    }
}
