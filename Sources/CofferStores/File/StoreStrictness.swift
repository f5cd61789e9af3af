internal import CofferSQLite

/// How durable and how thorough the writes of a store are, as its options ask.
///
/// It belongs to the one connection that writes, and so to all clients that have the store open: the
/// strictest request decides.
struct StoreStrictness: Sendable, Equatable {
    /// How much of a commit has reached the disk when it is acknowledged, by the values of `PRAGMA
    /// synchronous`; the strictest last.
    enum Synchronous: PragmaWord {
        case normal, full, extra
    }

    /// What is done with bytes that are no longer needed, by the values of `PRAGMA secure_delete`; the
    /// strictest last.
    enum SecureDelete: PragmaWord {
        case off, fast, on
    }

    /// By default an acknowledged save is on the disk.
    var synchronous = Synchronous.full
    /// By default as SQLite was built: Debian's overwrites.
    var secureDelete = SecureDelete.usual

    /// The stricter of this and `other` in each respect.
    func joined(with other: StoreStrictness) -> StoreStrictness {
        StoreStrictness(
            synchronous: max(synchronous, other.synchronous),
            secureDelete: max(secureDelete, other.secureDelete))
    }

    /// The pragmas that set it.
    var pragmas: [(name: String, value: String)] {
        [("synchronous", synchronous.word), ("secure_delete", secureDelete.word)]
    }
}

extension StoreStrictness.SecureDelete {
    /// The settings of a connection that is told nothing.
    static let usual: Self =
        SQLiteLibrary.isBuilt(with: "SECURE_DELETE")
        ? .on : SQLiteLibrary.isBuilt(with: "FAST_SECURE_DELETE") ? .fast : .off
}

/// A value of a pragma that is a word, named as its case is.
protocol PragmaWord: CaseIterable, Comparable, Sendable {}

extension PragmaWord {
    /// The value that a word stands for, whatever the case of its letters.
    init?(word: String) {
        guard let value = Self.allCases.first(where: { $0.word == word.uppercased() }) else { return nil }
        self = value
    }

    /// The word.
    var word: String { "\(self)".uppercased() }
}
