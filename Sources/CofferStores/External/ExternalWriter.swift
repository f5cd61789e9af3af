internal import CofferLinux
internal import CofferSQLite
internal import CofferWire
internal import FoundationEssentials

/// Writes values that are too large for their rows into files, which come and go with the rows.
///
/// Confined to the writer. A value is written where values wait. Before COMMIT those whose rows are there get
/// their second name, where readers look; after it they lose the first. So a row that is committed has its
/// file, whenever the service dies; and what waits when the store is opened is all that may belong to no row.
/// Files that rows do not name any more are noted in the transaction that drops them, by triggers of this
/// connection, and go after it.
final class ExternalWriter {
    /// How many values waited, to go back to.
    struct Mark {
        fileprivate let count: Int
    }

    private struct Staged {
        var name: String
        var column: SQLExternalColumn
        var key: Int64
    }

    private let files: ExternalFiles
    private let reads: ExternalReads
    private let missingValues: MissingValues?
    private let connection: SQLiteConnection
    private let makeUUID: @Sendable () -> UUID
    private let dropped: SQLiteStatement
    private let lastNote: SQLiteStatement
    private var staged: [Staged] = []
    /// Those of `staged` that have both names.
    private var published: [String] = []
    /// Files of a failed commit; until the next commit it is unknown whether that commit comes back after a
    /// crash.
    private var doubtful: [String] = []
    /// The last note about a dropped file that was read; and after the open transaction, with what it drops.
    private var lastRead: Int64 = 0
    private var coming: (lastRead: Int64, dropped: [ExternalReads.Dropped], settled: [Int64]) = (0, [], [])
    #if DEBUG
    var onStep: ((ExternalStep) -> Void)?
    #endif

    /// A writer for the columns of `file` that allow it; `nil` if there are none.
    init?(_ file: StoreFile, on connection: SQLiteConnection) throws(SQLiteError) {
        guard let reads = file.externalReads else { return nil }
        files = ExternalFiles(of: file.fileName, in: file.folder)
        self.reads = reads
        missingValues = file.missingValues
        self.connection = connection
        makeUUID = file.environment.makeUUID
        for (number, column) in file.schema.externalColumns.enumerated() {
            for statement in Self.triggers(on: column, number: number) { try connection.execute(statement) }
        }
        dropped = try connection.prepare("SELECT id, name FROM COFFER_EXTERNAL WHERE id > ?1 ORDER BY id")
        lastNote = try connection.prepare("SELECT max(id) FROM COFFER_EXTERNAL")
        lastRead = try readLastNote()
    }

    private static func triggers(on column: SQLExternalColumn, number: Int) -> [String] {
        let (table, name) = (column.table, column.name)
        let note =
            "BEGIN INSERT INTO COFFER_EXTERNAL(name) VALUES(\(ExternalData.name(in: "OLD.\(name)"))); END"
        return [
            "CREATE TEMP TRIGGER COFFER_REPLACED_\(number) AFTER UPDATE OF \(name) ON main.\(table) "
                + "WHEN \(ExternalData.isFile("OLD.\(name)")) AND OLD.\(name) IS NOT NEW.\(name) \(note)",
            "CREATE TEMP TRIGGER COFFER_DELETED_\(number) AFTER DELETE ON main.\(table) "
                + "WHEN \(ExternalData.isFile("OLD.\(name)")) \(note)",
        ]
    }

    private func readLastNote() throws(SQLiteError) -> Int64 {
        defer { lastNote.reset() }
        return try lastNote.step() ? lastNote.int64(0) : 0
    }
}

extension ExternalWriter {
    /// What stands in the row of a value: the value itself, or the name of the file that it is written to.
    ///
    /// - Throws: `full` and `io` as SQLite has them, if it cannot be written.
    func stored(
        _ bytes: [UInt8], _ range: Range<Int>, in column: SQLExternalColumn, key: Int64
    ) throws(SQLiteError) -> [UInt8] {
        if range.count <= Limits.inlineValueBytes { return ExternalData.inlineMark + bytes[range] }
        let name = makeUUID().uuidString
        do throws(LinuxError) {
            try files.stage(bytes, range, named: name)
        } catch {
            throw SQLiteError(error, path: files.storePath)
        }
        staged.append(Staged(name: name, column: column, key: key))
        step(.staged)
        return ExternalData.stored(inFile: name)
    }

    /// The content of a file that a row names, committed or not; `nil` if it is missing.
    func bytes(named name: String) throws(StoreError) -> [UInt8]? {
        try files.bytesEvenPending(named: name)
    }

    /// Tells of a value that is taken for null, whose file is called so.
    func tell(_ value: MissingValue) {
        var value = value
        value.file = "\(files.place)/\(value.file)"
        missingValues?.tell(value)
    }

    func mark() -> Mark { Mark(count: staged.count) }

    /// Takes back what was written since `mark`, as the database has.
    func restore(_ mark: Mark) {
        for value in staged[min(mark.count, staged.count)...] { unstage(value.name) }
        staged.removeLast(max(0, staged.count - mark.count))
    }

    /// Makes the values of the open transaction durable, those whose rows are there; last before COMMIT.
    func prepareCommit() throws(StoreError) {
        coming = (lastRead, [], [])
        if !staged.isEmpty { try publish() }
        try translating { () throws(SQLiteError) in
            defer { dropped.reset() }
            try dropped.bind(lastRead, at: 1)
            while try dropped.step() {
                coming.dropped.append(.init(id: dropped.int64(0), name: dropped.text(1)))
            }
        }
        coming.lastRead = coming.dropped.last?.id ?? lastRead
        if reads.removedCount >= (published.isEmpty ? Limits.settledFiles : 1) { try deleteSettledNotes() }
    }

    /// Takes note that COMMIT has returned: the files are those of the rows.
    ///
    /// What a failed commit may have left in the log is overwritten only if this one has written into the
    /// log.
    func didCommit(hasWritten: Bool) {
        step(.committed)
        for name in published { unstage(name) }
        if hasWritten {
            for name in doubtful { remove(name) }
            doubtful = []
        }
        (staged, published) = ([], [])
        lastRead = coming.lastRead
        let dropped = coming.dropped
        coming = (lastRead, [], [])
        reads.drop(dropped)
    }

    /// Keeps the files of a commit that failed until the next has overwritten what it may have left in the
    /// log.
    func doubt() {
        doubtful += published
        let kept = Set(published)
        staged.removeAll { kept.contains($0.name) }
        published = []
    }

    /// Takes back what was written since the last commit.
    func didRollBack() {
        for name in published { remove(name) }
        for value in staged { unstage(value.name) }
        (staged, published) = ([], [])
        reads.giveBack(coming.settled)
        coming = (lastRead, [], [])
    }
}

extension ExternalWriter {
    private func publish() throws(StoreError) {
        var names: [String] = []
        for value in staged {
            // An update may have found no row to change, and what one save wrote another may have replaced.
            if try isNamed(value) { names.append(value.name) } else { unstage(value.name) }
        }
        let kept = Set(names)
        staged.removeAll { !kept.contains($0.name) }
        if names.isEmpty { return }
        published = names
        try translatingSystem { () throws(LinuxError) in try files.publish(names) }
        step(.published)
    }

    private func isNamed(_ value: Staged) throws(StoreError) -> Bool {
        try translating { () throws(SQLiteError) in
            let statement = try connection.cached(
                "SELECT 1 FROM \(value.column.table) WHERE Z_PK = ?1 AND \(value.column.name) = ?2")
            defer { statement.reset() }
            try statement.bind(value.key, at: 1)
            try statement.bind(ExternalData.stored(inFile: value.name), at: 2)
            return try statement.step()
        }
    }

    /// Deletes the notes about files that are gone, once the disk has that they are.
    private func deleteSettledNotes() throws(StoreError) {
        coming.settled = reads.takeRemoved()
        if published.isEmpty {
            try translatingSystem { () throws(LinuxError) in try files.synchronize() }
        }
        try translating { () throws(SQLiteError) in
            let statement = try connection.cached("DELETE FROM COFFER_EXTERNAL WHERE id = ?1")
            for id in coming.settled {
                try statement.bind(id, at: 1)
                try statement.run()
            }
            // Keys are given out behind the last that is there.
            coming.lastRead = try readLastNote()
        }
    }

    private func unstage(_ name: String) {
        // What cannot be removed now is found where it waits when the store is opened the next time.
        do throws(LinuxError) { try files.unstage(name) } catch { return }
    }

    private func remove(_ name: String) {
        do throws(LinuxError) { try files.remove(name) } catch { return }
    }

    private func step(_ step: ExternalStep) {
        #if DEBUG
        onStep?(step)
        #endif
    }
}

extension SQLiteError {
    /// A file beside the store could not be written, as if it were the store's own.
    fileprivate init(_ error: LinuxError, path: String) {
        let writing: Int32 = 10 | (3 << 8)  // SQLITE_IOERR_WRITE
        self =
            error.isFull
            ? .full(path: path)
            : .io(
                path: path, extendedCode: writing, systemError: error.errno ?? 0, message: error.description)
    }
}
