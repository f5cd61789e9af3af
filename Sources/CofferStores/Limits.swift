/// Bounds on what a caller can make this module hold or do, with reasons.
package enum Limits {
    /// Milliseconds to wait for a lock that a foreign tool holds on the file.
    static let busyMilliseconds = 2_000
    /// Milliseconds to wait for any lock of a store without a log.
    ///
    /// There each commit of our own holds off readers until it is on the disk, which takes some disks seconds
    /// while much else is written to them.
    static let busyMillisecondsWithoutLog = 10_000
    /// Answers that the file of an atomic store keeps, and their bytes: more saves than one commit has.
    static let atomicReplies = 256
    static let atomicReplyBytes = 256 << 10
    /// Bytes of a file that is read and written as a whole.
    static let atomicFileBytes = 256 << 20
    /// Bytes of a database in memory: it takes them from all clients, whichever client fills it.
    static let memoryBytes = 1 << 30
    /// How long a statement may run that carries out SQL of the file's own, which is not ours: far longer
    /// than a trigger of Core Data's takes, and shorter than the service takes to end.
    package static let foreignSQLTime = Duration.seconds(10)
    /// Bytes of a value in a file whose schema may compute any: more than texts and pictures in rows have.
    static let unknownValueBytes = 64 << 20
    /// Ranges of one r-tree: SQLite has room for as many.
    static let treeDimensions = 5
    /// Things of a kind that are told one by one of a file that is looked at; more are only counted.
    static let toldItems = 100
    /// Objects that a relationship leads through that may not lead round in a circle: each save follows it.
    static let chainLength = 1_000
    /// Bytes of a dump that are written at a time, and what the last object has beyond them.
    static let dumpPieceBytes = 64 << 10
    /// Names that the description of an error lists.
    static let describedNames = 10
    /// Keys that are tried to find the next row that can be read in a damaged file.
    static let triedKeys = 100_000
    /// The longest step between two keys that are tried: a page has more rows than that only if they are
    /// tiny.
    static let longestKeyStep: Int64 = 256
    /// Objects that are named as an example of what is in the way of a migration, or changes in one.
    static let migrationExamples = 3
    /// Names that are tried for the copy that a migration keeps, if other files have the names before.
    static let migrationBackupNames = 100
    /// Models that a file written as a whole was taken on from, and that it keeps: each save writes them.
    static let formerModels = 16
    /// Rows of a table whose migration is tried to tell how long all take.
    static let migrationSample = 2_000
    /// How many times as long as trying rows it takes to write them, and each of their indexes.
    static let migrationTimes = (row: 2.0, index: 1.0)
    /// Bytes that a usual disk takes in a second, all that SQLite does with them included.
    static let migrationBytesPerSecond = 60_000_000.0
    /// Pages of the schema, of the model and of what else each migration writes.
    static let migrationPages = 48
    /// Bytes that the log has before each page.
    static let frameHeaderBytes = 24
    /// Bytes that a value of an index takes, as far as nothing else is known of it.
    static let indexedValueBytes = 12
    /// Instructions of SQLite between two questions whether a migration is to go on: some milliseconds.
    static let migrationInstructions = 200_000
    /// Days that a backup from before a migration is kept for: long enough to notice what is missing.
    package static let migrationBackupDays: Int64 = 30
    /// Characters of a value that is shown as an example.
    static let shownValue = 80
    /// Bytes of SQL that an expression takes which stands in another one.
    static let operandBytes = 128 << 10
    /// Pages in the WAL after which the writer checkpoints: the time to note a frame grows with how often its
    /// page is there already.
    package static let checkpointPages = 1_000
    /// Bytes of a page of a file that we make; those of others differ little.
    static let pageByteCount = 4_096
    /// Free pages that a file keeps whatever its size, since new objects need some soon: 4 MiB.
    static let keptFreePages = 1_024
    /// Of how many pages one may be free before pages are given back to the file system.
    static let pagesPerFreePage = 4
    /// Free pages that are given back at a time, while saves wait: some milliseconds.
    static let releasedPages = 512
    /// Bytes that one connection's cache of pages may be made, and so what its sorts keep in memory: four
    /// times what SQLite gives.
    static let cacheBytes = 8 << 20
    /// Pages in the WAL that an application may let gather before the writer checkpoints.
    static let mostCheckpointPages = 16_384
    /// Bytes that an application may let a WAL keep when it starts again.
    static let longestJournalBytes = 256 << 20
    /// Bytes to which a WAL that was longer is cut when it starts again: many times the above, so that this
    /// is seldom.
    static let journalBytes = 64 * 1_024 * 1_024
    /// Statements kept compiled for each entity and kind; beyond this number they are compiled again.
    static let statementsPerEntity = 64
    /// Failures, conflicts or objects in one outcome that forbids a save; a client shows a few and mends its
    /// data.
    static let outcomeItems = 10_000
    /// Versions by which an object that is brought back is past the one that its client knew, at least: more
    /// than others may have written meanwhile.
    static let versionsPastDeletion: UInt32 = 4_096
    /// Columns of the stored rows of all conflicts in one outcome: each is a message within it.
    static let conflictColumns = 250_000
    /// Conflicts over uniqueness that come with the stored object's values.
    static let shownConflicts = 1_000
    /// Objects whose derived values come with the answer to a save; of more it says only which they are.
    static let derivedRows = 10_000
    /// Objects that triggers may change in one save, those of batch updates not counted: as many as a message
    /// can insert, about.
    static let derivedObjects = 2_000_000
    /// Keys that one request may reserve: far more than a save can insert, and so few that no client reaches
    /// the last key by asking.
    static let reservedKeys = 10_000_000
    /// Rows that a batch update reads, computes and writes at a time.
    static let batchPiece = 1_000
    /// Attempts at a save that meets uniqueness constraints: each but the last learns of at least one, most
    /// learn of all.
    static let constraintRounds = 8
    /// Objects that delete rules may delete or change in one save.
    static let deleteRuleObjects = 1_000_000
    /// Characters of a text that is looked for in a full-text index: what is found is compared with all of
    /// it.
    static let indexedPhrase = 100
    /// How deep arrays and dictionaries may be in one another in what is set in a store's metadata: below
    /// what the readers of all forms take.
    static let metadataDepth = 64
    /// Bytes of a store's metadata.
    static let metadataBytes = 1_024 * 1_024
    /// What a counter of history in a file may have come to: far above what anybody writes, and far below
    /// overflow.
    static let historyNumber: Int64 = 1 << 62
    /// Transactions in one answer about history, if the caller names no number.
    package static let historyTransactions = 1_000
    /// Changes in one answer about history: about 4 MB of message; a single larger transaction is never
    /// split.
    static let historyChanges = 200_000
    /// Seconds that a consumer of history is waited for: 14 days.
    package static let consumerLease = 14.0 * 86_400
    /// Seconds that history is kept at least: 7 days.
    package static let historyAge = 7.0 * 86_400
    /// Seconds by which history and leases age at once, whatever the calendar says: a day, after which it is
    /// looked again.
    static let retentionStep = 86_400.0
    /// Seconds after which it is noted how far history has come: what is deleted is older than it has to be
    /// by so much at most.
    static let retentionMark = 6.0 * 3_600
    /// Bytes of a reply that the row of its transaction holds; longer ones have a row of their own.
    static let replyInTransaction = 512
    /// Requests of a client whose replies are kept, unless it acknowledges them: more than it may have under
    /// way.
    static let requestsPerClient = 4_096
    /// Bytes of replies with rows of their own that stay when history goes, the last first: those of some
    /// million new objects.
    static let keptReplyBytes = 256 << 20
    /// Clients whose requests are remembered, about 100 bytes each that acknowledges them; beyond it the file
    /// is asked.
    static let requestingClients = 1_024
    /// Replies with a row of their own after which those that were acknowledged are deleted.
    static let repliesPerSweep = 16
    /// Last transactions in which a request that is sent again is looked for: far more than were under way
    /// when a service ended.
    static let earlierTransactions: Int64 = 100_000
    /// How long the lock of a store that is no longer in use is waited for: the process that used it last is
    /// about to let go.
    package static let replacementLock = Duration.seconds(5)
    /// The number from which history goes on in a store that replaces an unreadable one: above any number
    /// that the old history can have reached.
    static let unreadableHistory: UInt64 = 1 << 40
    /// Bytes of a value up to which it stays in its row, if its attribute allows files: as Core Data has it.
    package static let inlineValueBytes = 100 * 1_024
    /// Files of values that a check names as missing; after so many the store is to be restored.
    static let fileProblems = 100
    /// Notes about files that are gone which wait for a commit that has files of its own to flush.
    static let settledFiles = 64
    /// Pages of a store that are copied at a time, after which it is looked whether anybody still wants the
    /// copy: 4 MiB.
    static let backupPages = 1_024
    /// Bytes of a file that takes a store's place: a file with holes costs its giver nothing, and is copied
    /// in full here.
    static let replacementBytes = 1 << 40
    /// Bytes that such a copy leaves free on the disk, for the stores that are there.
    static let spareBytes = 64 << 20
    /// Bytes of values that go into the rows of such a copy in one transaction.
    static let movedBytes = 64 << 20
    /// Bytes of a file that are copied at a time.
    static let copyPiece = 1 << 20
    /// Rows and bytes of them that a copy of a store is given at a time.
    static let copiedRows = 10_000
    static let copiedBytes = 16 << 20
    /// How often a whole file is read that saves put another in the place of meanwhile.
    static let wholeFileAttempts = 100
    /// Numbers that the file's counters of history run ahead of what was given out, so that few saves write
    /// them.
    static let reservedTransactions: Int64 = 256
    static let reservedChanges: Int64 = 4_096
    /// Consumers of history that a store remembers.
    static let consumers = 1_000
    /// Names that are remembered for history; beyond it they are looked up again.
    static let internedNames = 1_000
    /// Rows of a table from which on sort keys are kept for it: of fewer, keys are made within a millisecond
    /// or two.
    static let sortedRows = 1_000
    /// Rows up to which a list is read along its keys: each is looked up by itself, which does not pay for
    /// all of them.
    static let sortedWindow = 5_000
    /// Orders that one file keeps keys for: each makes saves write more.
    static let sortLists = 8
    /// Days that such an order's list may stay unused before it is removed when the file is opened; a later
    /// query has it made again.
    static let unusedDays: Int64 = 30
    /// Days after which it goes for another that is wanted: not so few that two of them take turns all the
    /// time.
    static let idleDays: Int64 = 2
    /// Orders whose misses are counted.
    static let sortMisses = 100
    /// Rows whose keys one save brings in, some milliseconds; of more the rest waits, and queries make keys
    /// themselves meanwhile.
    static let sortKeysOfSave = 1_000
    /// Rows whose keys are made between two saves.
    static let sortKeysOfPiece = 2_000
    /// Transactions in which each save can be taken back alone, after one was refused that had written
    /// something.
    static let cautiousTransactions = 64
    /// The last changes of history in which a save looks for what gave an object a newer version, some ten
    /// milliseconds; what is older is a conflict.
    static let changesForVersions = 100_000
}
