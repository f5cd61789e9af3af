/// How SQLite makes the commits of a store whole, by the values of `PRAGMA journal_mode` that a store may
/// have.
package enum StoreJournal: PragmaWord {
    /// A log beside the file, which readers read with it: reads and saves go on side by side.
    case wal
    /// What a commit overwrites is in a file beside the store for as long as that commit takes: between saves
    /// the store is one file, a save waits for reads that have begun, and no state can be pinned.
    case delete

    /// The word, in the lower case in which SQLite answers it.
    package var pragma: String { "\(self)" }
}
