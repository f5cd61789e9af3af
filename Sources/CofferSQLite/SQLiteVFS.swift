internal import CSQLite
internal import CSQLiteVFS
internal import Synchronization

/// Our way to files: opens paths as they are given, refuses links, and breaks on purpose for tests.
///
/// Shared: its C object is guarded by atomics and a lock of its own. A connection keeps its VFS alive. A path
/// may lead through `/proc/self/fd/N`: the connection keeps that descriptor open, since SQLite looks at the
/// path again before it writes, and when it removes a log.
@safe package final class SQLiteVFS: Sendable {
    private static let made = Atomic<Int>(0)

    /// The name under which SQLite knows it, of its own in this process.
    package let name: String
    // Guarded by the C code: atomics, and a mutex around the plan of a fault.
    private nonisolated(unsafe) let instance: OpaquePointer

    /// Registers a VFS.
    ///
    /// - Parameters:
    ///   - isSealed: Whether nothing is ever written, not even a `-shm` file: for files on read-only media
    ///     or in foreign folders, if nothing changes them while they are open.
    ///   - locks: How files are locked.
    /// - Throws: `outOfMemory`.
    package init(isSealed: Bool = false, locks: Locks = .ranges) throws(SQLiteError) {
        guard SQLiteLibrary.setUpCode == SQLITE_OK || SQLiteLibrary.setUpCode == SQLITE_MISUSE else {
            throw .outOfMemory
        }
        let number = Self.made.add(1, ordering: .relaxed).newValue
        name = "coffer-\(number)"
        guard let instance = unsafe coffer_vfs_create(name, isSealed, locks.code) else {
            throw .outOfMemory
        }
        unsafe self.instance = instance
    }

    deinit { unsafe coffer_vfs_destroy(instance) }

    /// How files are locked against others.
    package enum Locks: Sendable {
        /// On parts of them; as wholes, if the file system turns out to know no other locks.
        case ranges
        /// As wholes; then they are written without a log.
        case wholeFiles
        /// Not at all: other means make sure that nothing else has them open.
        case none

        fileprivate var code: Int32 {
            switch self {
            case .ranges: Int32(COFFER_VFS_RANGES)
            case .wholeFiles: Int32(COFFER_VFS_WHOLE_FILES)
            case .none: Int32(COFFER_VFS_UNLOCKED)
            }
        }
    }

    /// Arms `fault` in place of any other.
    package func inject(_ fault: SQLiteFault) {
        unsafe coffer_vfs_arm(
            instance, fault.operations.rawValue, fault.files.rawValue, UInt64(max(0, fault.skipping)),
            fault.effect.rawValue, fault.repeats)
    }

    /// Takes the fault away.
    package func clearFault() {
        unsafe coffer_vfs_disarm(instance)
    }

    /// Calls that a fault has met: that have failed by it, or wait or have waited.
    package var faultCount: Int { unsafe Int(coffer_vfs_fired(instance)) }

    /// Starts counting calls from zero.
    package func startCounting() {
        unsafe coffer_vfs_count(instance, true)
    }

    /// Stops counting; what was counted stays.
    package func stopCounting() {
        unsafe coffer_vfs_count(instance, false)
    }

    /// Calls since counting started, of each of `operations` on each of `files`.
    package func count(_ operations: SQLiteFault.Operations, on files: SQLiteFault.Files) -> Int {
        var sum: UInt64 = 0
        for operation in operations.bits {
            for file in files.bits { unsafe sum += coffer_vfs_counted(instance, operation, file) }
        }
        return Int(sum)
    }

    /// Tells `watch` of all writes of this thread during `body`, before they are made; `false` makes one fail
    /// as in a statement that is interrupted.
    package static func watchingWrites(
        _ watch: (_ file: SQLiteFault.Files, _ byteCount: Int) -> Bool,
        during body: () throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        let result = withoutActuallyEscaping(watch) { watch in
            let watcher = WriteWatcher(watch)
            unsafe coffer_vfs_watch_writing(
                { context, file, byteCount in
                    guard let context = unsafe context else { return true }
                    return unsafe Unmanaged<WriteWatcher>.fromOpaque(context).takeUnretainedValue()
                        .watch(SQLiteFault.Files(rawValue: file), Int(byteCount))
                }, Unmanaged.passUnretained(watcher).toOpaque())
            defer {
                coffer_vfs_watch_writing(nil, nil)
                withExtendedLifetime(watcher) {}
            }
            return Result { () throws(SQLiteError) in try body() }
        }
        try result.get()
    }

    /// Bytes written to `files` since counting started.
    package func bytesWritten(to files: SQLiteFault.Files) -> Int {
        var sum: UInt64 = 0
        for file in files.bits { unsafe sum += coffer_vfs_bytes_written(instance, file) }
        return Int(sum)
    }
}

/// What is told of a thread's writes.
private final class WriteWatcher {
    let watch: (SQLiteFault.Files, Int) -> Bool

    init(_ watch: @escaping (SQLiteFault.Files, Int) -> Bool) { self.watch = watch }
}
