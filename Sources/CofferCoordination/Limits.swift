/// Bounds on what a caller can make this module hold or do, with reasons.
enum Limits {
    /// Saves in one commit: more add little to the speed, and much to the work lost when one of them ends the transaction.
    static let batch = 64
    /// Batches between two looks for history that nobody needs any more.
    static let batchesPerPurge = 4_096
    /// Idle readers a store keeps: as many as there are workers; each holds a page cache and prepared statements.
    static let readers = 8
}
