internal import CofferSQLite

/// How durable and how thorough the writes of a store are, as its options ask.
///
/// It belongs to the one connection that writes, and so to all who have the store open: the strictest of them decides.
struct StoreStrictness: Sendable, Equatable {
    /// What of a commit has reached the disk when it is answered, by the values of `PRAGMA synchronous`.
    enum Synchronous: String, Sendable, Comparable {
        case normal = "NORMAL"
        case full = "FULL"
        case extra = "EXTRA"

        private var rank: Int {
            switch self {
            case .normal: 0
            case .full: 1
            case .extra: 2
            }
        }

        static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
    }

    /// What becomes of bytes that are no longer needed, by the values of `PRAGMA secure_delete`.
    enum SecureDelete: String, Sendable, Comparable {
        case off = "OFF"
        case fast = "FAST"
        case on = "ON"

        private var rank: Int {
            switch self {
            case .off: 0
            case .fast: 1
            case .on: 2
            }
        }

        static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
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
        [("synchronous", synchronous.rawValue), ("secure_delete", secureDelete.rawValue)]
    }
}

extension StoreStrictness.SecureDelete {
    /// What connections have that are told nothing.
    static let usual: Self =
        SQLiteLibrary.isBuilt(with: "SECURE_DELETE")
        ? .on : SQLiteLibrary.isBuilt(with: "FAST_SECURE_DELETE") ? .fast : .off
}
