#if DEBUG
internal import CofferLinux
internal import CofferSQLite
internal import CofferStores

/// Moments of a save at which a debug build stops itself when told to, so that a test can end it just there.
///
/// `COFFER_TEST_STOP_AT` names a folder. A file with a point's name in it arms that point, once: the thread
/// that passes it takes the file away, writes the name into the pipe `reached` of the folder, and stops the
/// process.
package enum CrashPoint: String, Sendable, CaseIterable {
    /// A large value is in a file, where it waits for its row.
    case externalStaged = "external-staged"
    /// The files of a commit's large values are durable and in their place, and COMMIT not called.
    case externalPublished = "external-published"
    /// The commit is durable, and its large values still wait as well.
    case externalCommitted = "external-committed"
    /// Everything is written, and COMMIT not called.
    case beforeCommit = "before-commit"
    /// The commit is durable, and nothing was told of it.
    case afterCommit = "after-commit"
    /// The first client has been sent its answers and pushes, the others not.
    case afterFirstSend = "after-first-send"
    /// All clients have been sent theirs.
    case afterSends = "after-sends"
    /// The log is about to be moved into the file.
    case beforeCheckpoint = "before-checkpoint"
    /// Some pages of the log have been moved into the file, and half of another.
    case duringCheckpoint = "during-checkpoint"
    /// The log has been moved into the file.
    case afterCheckpoint = "after-checkpoint"
    /// The store whose file is about to be exchanged is not used any more.
    case beforeExchange = "before-exchange"
    /// Another file is in a store's place, and nothing was told of it.
    case afterExchange = "after-exchange"
    /// Some of a store's pages have been copied.
    case duringBackup = "during-backup"
    /// A copy of a store is whole, and has no name yet.
    case afterBackup = "after-backup"
    /// Some of a store's objects have been copied into a new one.
    case duringCopy = "during-copy"
    /// A new store with a store's objects is whole, and has no name yet.
    case afterCopy = "after-copy"
    /// Some of a store's objects are in the store that is to take its place.
    case duringMove = "during-move"
    /// A store that is to take another's place is whole, and has no name yet.
    case beforeSwitch = "before-switch"
    /// It has its name, and the other one is still there.
    case afterSwitch = "after-switch"
    /// A part of a file that is made smaller is in another one.
    case duringVacuum = "during-vacuum"
    /// A part of the smaller one is in the log.
    case endingVacuum = "ending-vacuum"
    /// Some objects of a store that an application comes with have been joined.
    case duringSeed = "during-seed"
    /// A migration is in one of its steps.
    case migrationChecking = "migration-checking"
    case migrationRows = "migration-rows"
    case migrationIndexes = "migration-indexes"
    case migrationHistory = "migration-history"

    /// The points that a save passes, or the checkpoint after it.
    package static let ofSave = allCases.filter { point in
        !ofLargeValue.contains(point) && !ofOtherWork.contains(point)
    }
    private static let ofOtherWork: [CrashPoint] = [
        .beforeExchange, .afterExchange, .duringBackup, .afterBackup, .duringCopy, .afterCopy,
        .duringMove, .beforeSwitch, .afterSwitch, .duringVacuum, .endingVacuum, .duringSeed,
        .migrationChecking, .migrationRows, .migrationIndexes, .migrationHistory,
    ]
    /// The points that a save with a value in a file of its own passes besides.
    package static let ofLargeValue: [CrashPoint] = [
        .externalStaged, .externalPublished, .externalCommitted,
    ]

    private static let folder: Folder? = {
        guard let path = CurrentProcess.environment["COFFER_TEST_STOP_AT"] else { return nil }
        // For tests alone, which see that the service does not stop.
        return try? Folder(at: path)
    }()

    /// Lets a writer pass the points of large values.
    static func watchLargeValues(of writer: StoreWriter) {
        guard folder != nil else { return }
        writer.onExternalStep { step in
            switch step {
            case .staged: CrashPoint.externalStaged.pass()
            case .published: CrashPoint.externalPublished.pass()
            case .committed: CrashPoint.externalCommitted.pass()
            }
        }
    }

    /// Makes the second page that `writer` moves into its file break off in its middle, if the point is
    /// armed.
    func breakWrites(of writer: StoreWriter) {
        guard let folder = Self.folder, let isArmed = try? folder.exists(rawValue), isArmed else { return }
        writer.file.vfs.inject(SQLiteFault(.shortWrite, at: .write, on: .database, skipping: 1))
    }

    /// Stops the process if the point is armed.
    package func pass() {
        guard let folder = Self.folder else { return }
        do throws(LinuxError) {
            guard try folder.unlink(rawValue) else { return }
            try folder.openBeneath("reached", [.writeOnly, .nonBlocking]).writeAll(
                Array("\(rawValue)\n".utf8))
            // For this thread, which then goes no step further; a signal for the process may reach another
            // first.
            try ThreadSignal.raise(.stop)
        } catch {
            preconditionFailure("the point \(rawValue) cannot be told: \(error)")
        }
    }
}
#endif
