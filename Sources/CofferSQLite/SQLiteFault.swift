internal import CSQLiteVFS

/// What shall break in a `SQLiteVFS`: the same calls in the same order break at the same place.
package struct SQLiteFault: Sendable {
    /// Calls that SQLite makes of a VFS.
    package struct Operations: OptionSet, Sendable {
        package let rawValue: Int32

        package init(rawValue: Int32) { self.rawValue = rawValue }

        package static let open = Self(rawValue: 1)
        package static let read = Self(rawValue: 2)
        package static let write = Self(rawValue: 4)
        package static let sync = Self(rawValue: 8)
        package static let truncate = Self(rawValue: 16)
        package static let delete = Self(rawValue: 32)
        /// Mapping of the shared index of the WAL, counted on the database.
        package static let sharedMemoryMap = Self(rawValue: 64)
        /// Writes to the WAL as the kernel gets them: many of SQLite's `write` in one.
        package static let gatheredWrite = Self(rawValue: 128)
        package static let all = Self(rawValue: 255)

        var bits: [Int32] { (0..<8).map { 1 << $0 }.filter { rawValue & $0 != 0 } }
    }

    /// The files of a store.
    package struct Files: OptionSet, Sendable {
        package let rawValue: Int32

        package init(rawValue: Int32) { self.rawValue = rawValue }

        package static let database = Self(rawValue: 1)
        package static let wal = Self(rawValue: 2)
        package static let journal = Self(rawValue: 4)
        /// SQLite's scratch files.
        package static let other = Self(rawValue: 8)
        package static let all = Self(rawValue: 15)

        var bits: [Int32] { (0..<4).map { 1 << $0 }.filter { rawValue & $0 != 0 } }
    }

    /// What the broken call does.
    package enum Effect: Int32, Sendable {
        /// Nothing, and reports an error of the file system.
        case ioError = 0
        /// Nothing, and reports that no space is left.
        case full = 1
        /// Half of a write, and reports an error of the file system; other calls as `ioError`.
        case shortWrite = 2
        /// Nothing, and reports that no memory is left.
        case outOfMemory = 3
        /// Nothing, and reports what a statement does that is interrupted.
        case interrupt = 4
        /// Its work, but waits before until another fault is injected or this one cleared: as a disk that
        /// takes its time.
        case hold = 5
    }

    /// Calls that count and break.
    package var operations: Operations
    /// Files on which they do.
    package var files: Files
    /// What the broken call does.
    package var effect: Effect
    /// Matching calls that succeed first.
    package var skipping: Int
    /// Whether all matching calls after the first broken one break too, until `clearFault()`.
    package var repeats: Bool

    package init(
        _ effect: Effect, at operations: Operations, on files: Files = .all, skipping: Int = 0,
        repeats: Bool = false
    ) {
        self.operations = operations
        self.files = files
        self.effect = effect
        self.skipping = skipping
        self.repeats = repeats
    }
}
