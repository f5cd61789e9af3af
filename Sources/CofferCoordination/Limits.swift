/// Bounds on what a caller can make this module hold or do, with reasons.
enum Limits {
    /// Rows of before that are kept while what another program wrote cannot be looked into.
    static let unresolvedRows = 200_000
    /// Saves in one commit: more add little to the speed, and much to the work lost when one of them ends the
    /// transaction.
    static let batch = 64
    /// Batches between two looks for history that is not needed any more.
    static let batchesPerPurge = 4_096
    /// Nanoseconds between them, if fewer come: history ages by a day at a time at most.
    static let betweenPurges: UInt64 = 6 * 3_600 * 1_000_000_000
    /// How often free pages are given back after a checkpoint, as long as nothing waits: each takes some
    /// milliseconds, and the thread of an application may be the one that commits.
    static let releases = 8
    /// How often they are when a store is closed: 128 MiB, which take about a second.
    static let releasesAtClose = 64
    /// Idle readers a store keeps: as many as there are workers; each holds a page cache and prepared
    /// statements.
    static let readers = 8
    /// How often a copy of a store is begun again, since a value's file went meanwhile, before commits wait
    /// for it.
    static let backupAttempts = 3
    /// States of a store that may be pinned at once: each is a connection with a page cache, and keeps the
    /// log from beginning again.
    static let generations = 4
    /// How many times what may be written while one state is pinned the log takes, until all that are pinned
    /// are given up.
    static let pinnedLogs = 4
    /// How long a pinned state is kept before it gives way to another one.
    static let generationTime = Duration.seconds(60)
    /// Bytes that the row cache of one store takes: several hundred thousand rows of ordinary size.
    static let cachedBytes = 64 << 20
    /// Bytes of one answer whose rows are kept: one larger would push everything else out.
    static let cachedBatchBytes = 16 << 20
    /// Rows that wait to be found in the cache, since they were not asked for yet.
    static let unindexedRows = 65_536
    /// Blocks that wait so: more than single rows that clients fetch, drop, and release together, which are
    /// then never found a place.
    static let unindexedBlocks = 1_024
    /// Rows up to which a block costs more than its rows, and is joined with others.
    static let smallBlock = 16
    /// Small blocks of one entity before they are joined: about 80 KB.
    static let smallBlocks = 64
    /// Transactions whose changes wait until the cache is looked into: their rows then make one block.
    static let waitingTransactions = 64
    /// Rows of those, past which they do not wait.
    static let waitingRows = 1_024
    /// Bytes of their values, past which they do not wait.
    static let waitingBytes = 1 << 20
    /// Rows of one saved group that are changed in the cache; of a larger one they are forgotten.
    static let patchedRows = 256
    /// Changed rows that are remembered, for reads that began before their commit and end after it.
    static let recentChanges = 1_024
    /// Pages of rows of which a session says that it holds them; past it all count as held.
    static let heldPages = 4_096
    /// How often a leader looks again, if another program writes into the file all the time.
    static let foreignRounds = 4
    /// Nanoseconds after a failed look at another program's work until a reader tries again: a lock may be
    /// there for long.
    static let betweenForeignChecks: UInt64 = 1_000_000_000
    /// Rows of one transaction that are looked up one by one.
    static let fewRows = 16
}
