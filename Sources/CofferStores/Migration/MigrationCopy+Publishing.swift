internal import CofferFormats
internal import CofferLinux
internal import CofferSQLite
internal import FoundationEssentials

extension MigrationCopy {
    /// What became of the store.
    package struct Outcome: Sendable {
        /// The number of the first transaction in its history from now on.
        package let number: UInt64
        /// The name of the copy of before, beside the store; `nil` if none was kept.
        package let backup: String?
    }

    /// Gives the new file the place of the old one, with all that it says of itself but its UUID: objects
    /// have other keys now.
    ///
    /// - Parameter keepsBackup: Whether a copy of the store of before is kept beside it.
    /// - Returns: What became of it.
    /// - Throws: `malformedRequest` if contexts over the files are still there; `full`, `io`, `damaged`;
    ///   then the store is as it was, and the copy is gone.
    package func publish(keepingBackup keepsBackup: Bool) throws(StoreError) -> Outcome {
        guard let held else { throw .malformedRequest("a migrated copy takes its place once") }
        var notes: SQLiteConnection? = try writable(held)
        var backup: MigrationBackup?
        var values = MovedValues(to: ExternalFiles(of: fileName, in: folder))
        var isInPlace = false
        do throws(StoreError) {
            let number = try notes.map { notes throws(StoreError) in
                if keepsBackup { backup = try MigrationBackup(of: held, on: notes) }
                let number = try complete(from: notes)
                try close()
                try check()
                try drain(notes)
                return number
            }
            // Nothing has the old file open when it loses its name.
            notes = nil
            try values.move(from: ExternalFiles(of: copyName, in: folder))
            try takePlace(&isInPlace)
            values.settle()
            self.held = nil
            finish()
            return Outcome(number: number ?? 0, backup: backup?.name)
        } catch {
            // From there on it is unknown whether a crash leaves the old file or the new one, and the new
            // one is whole.
            if isInPlace { throw error }
            values.undo()
            // The first error is the one to tell; a copy that stays noted goes with those that are old.
            if let backup, let notes = try? notes ?? writable(held) { backup.discard(on: notes) }
            notes = nil
            abandon()
            throw error
        }
    }

    private func writable(_ file: StoreFile) throws(StoreError) -> SQLiteConnection {
        try translating { () throws(SQLiteError) in
            let connection = try SQLiteConnection(
                path: file.sqlitePath, name: file.path, keeping: file.folder, mode: .readWrite, vfs: file.vfs)
            try file.pragmas.applyForWriting(to: connection, keepsFiles: true)
            return connection
        }
    }

    /// Writes what the new file has besides its objects.
    private func complete(from old: SQLiteConnection) throws(StoreError) -> UInt64 {
        guard let copy = destination else {
            throw .malformedRequest("a migrated copy takes its place once")
        }
        let facts = try StoreFacts(reading: old, path: folder.path(of: fileName))
        let writer = try copy.makeWriter()
        let now = options.environment.now()
        let number = try writer.transaction { () throws(StoreError) in
            try translating { () throws(SQLiteError) in try writer.texts?.drain() }
            var metadata = try copy.metadata(on: writer.connection)
            metadata.carry(from: facts.metadata)
            try metadata.write(to: writer.connection)
            try translating { () throws(SQLiteError) in
                try BackupNotes.keep(BackupNotes.all(on: old), on: writer.connection)
                try keepFormerModels(from: old, on: writer.connection)
                try noteFormerValues(on: writer.connection, from: old)
            }
            return try writer.beginHistoryAnew(after: facts.lastTransaction, now: now)
        }
        try writer.checkpointFully()
        return number
    }

    /// Records the models of before, so that an automatic migration never goes back to one.
    ///
    /// A model that the store was taken back to on demand is not among them.
    private func keepFormerModels(
        from old: SQLiteConnection, on connection: SQLiteConnection
    ) throws(SQLiteError) {
        let isReturn = try old.prepare("SELECT 1 FROM COFFER_MODEL WHERE id = ?1")
        try isReturn.bind(model.id, at: 1)
        let isBack = try isReturn.step()
        isReturn.reset()
        let models = try old.prepare("SELECT id, model FROM COFFER_MODEL")
        let insertion = try connection.prepare("INSERT OR IGNORE INTO COFFER_MODEL(id, model) VALUES(?1, ?2)")
        while try models.step() {
            let id = models.blob(0)
            if isBack, id == held?.model.id { continue }
            try insertion.bind(id, at: 1)
            try insertion.bind(models.blob(1), at: 2)
            try insertion.run()
        }
    }

    /// Notes the files of values that only the old file names: they go when the store is opened.
    private func noteFormerValues(
        on connection: SQLiteConnection, from old: SQLiteConnection
    ) throws(SQLiteError) {
        guard let columns = held?.schema.externalColumns, !columns.isEmpty else { return }
        try connection.execute(FixedTables.external)
        let insertion = try connection.prepare("INSERT INTO COFFER_EXTERNAL(name) VALUES(?1)")
        for column in columns {
            let names = try old.prepare(
                "SELECT \(ExternalData.name(in: column.name)) FROM \(column.table) "
                    + "WHERE \(ExternalData.isFile(column.name))")
            while try names.step() {
                try insertion.bind(names.text(0), at: 1)
                try insertion.run()
            }
        }
    }

    /// Reads the whole new file, while nothing else uses it.
    private func check() throws(StoreError) {
        var reading = options
        reading.isReadOnly = true
        let file = try StoreFile.openDatabase(
            in: folder, fileName: copyName, model: model, configuration: configuration, options: reading)
        if let problem = try file.integrityCheck(on: file.makeReader()).first {
            throw .damaged(path: folder.path(of: fileName), detail: problem)
        }
    }

    /// Moves all that the old file's log has into the file, which has no log when its name is given away.
    private func drain(_ connection: SQLiteConnection) throws(StoreError) {
        let result = try translating { () throws(SQLiteError) in
            try connection.checkpoint(mode: .truncate)
        }
        guard result.checkpointedFrames == result.walFrames else {
            throw .busy(path: folder.path(of: fileName))
        }
    }

    private func takePlace(_ isInPlace: inout Bool) throws(StoreError) {
        try translatingSystem { () throws(LinuxError) in
            try folder.openFile(copyName).synchronize()
            // A log of the old file must not be taken for one of the new.
            try StoreFile.removeLogs(of: fileName, in: folder)
            try folder.rename(copyName, to: fileName)
            isInPlace = true
            try folder.synchronize()
        }
    }

    /// Removes what is not needed any more; what fails is done when the store is opened.
    private func finish() {
        try? StoreReplacement.removeCopy(of: fileName, in: folder)
        // Opening it is what removes the rest.
        _ = try? StoreFile.openDatabase(
            in: folder, fileName: fileName, model: nil, configuration: configuration, options: options,
            lockedBy: lock)
    }
}

/// Values in files on their way from a copy to where the store has them.
///
/// Each waits under a second name, as one that a save writes: after a crash those stay that rows name.
private struct MovedValues {
    private let target: ExternalFiles
    private var names: [String] = []

    init(to target: ExternalFiles) { self.target = target }

    mutating func move(from source: ExternalFiles) throws(StoreError) {
        do throws(LinuxError) {
            guard try source.folder.exists(source.place) else { return }
            let found = try source.folder.folder(source.place).names()
            _ = try target.folder.makeFolders(target.pendingPlace)
            for name in found where UUID(uuidString: name) != nil {
                try source.folder.rename(
                    "\(source.place)/\(name)", to: "\(target.pendingPlace)/\(name)", replacing: false)
                names.append(name)
            }
            try target.publish(names)
        } catch {
            throw StoreError(error)
        }
    }

    /// Removes them, if the copy did not take the store's place.
    func undo() {
        for name in names { try? target.remove(name) }
    }

    /// Takes away the names under which they waited.
    func settle() {
        for name in names { try? target.unstage(name) }
    }
}
