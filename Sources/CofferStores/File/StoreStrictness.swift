internal import CofferSQLite

/// How durable and how thorough the writes of a store are, as its options ask.
///
/// It belongs to the one connection that writes, and so to all who have the store open: the strictest of them
/// decides.
struct StoreStrictness: Sendable, Equatable {
    /// What of a commit has reached the disk when it is answered, by the values of `PRAGMA synchronous`; the
    /// strictest last.
    enum Synchronous: PragmaWord {
        case normal, full, extra
    }

    /// What becomes of bytes that are no longer needed, by the values of `PRAGMA secure_delete`; the
    /// strictest last.
    enum SecureDelete: PragmaWord {
        case off, fast, on
    }

    /// Who says nothing wants an acknowledged save on the disk.
    var synchronous = Synchronous.full
    /// Who says nothing has it as SQLite was built: Debian's overwrites.
    var secureDelete = SecureDelete.usual

    /// What holds for both of those who ask for this and for `other`.
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
    /// What connections have that are told nothing.
    static let usual: Self =
        SQLiteLibrary.isBuilt(with: "SECURE_DELETE")
        ? .on : SQLiteLibrary.isBuilt(with: "FAST_SECURE_DELETE") ? .fast : .off
}

/// A value of a pragma that is a word, as its case is called.
protocol PragmaWord: CaseIterable, Comparable, Sendable {}

extension PragmaWord {
    /// The value that a word means, in whatever case its letters are.
    init?(word: String) {
        guard let value = Self.allCases.first(where: { $0.word == word.uppercased() }) else { return nil }
        self = value
    }

    /// The word.
    var word: String { "\(self)".uppercased() }
}
