internal import CofferFormats
internal import CofferLinux
package import CofferModel
package import CofferSQLite

/// How a store is migrated.
package struct MigrationOptions: Sendable, Equatable {
    /// Whether a copy of the store is kept beside it if objects, values or references are lost.
    package var keepsBackup: Bool

    /// Whether it was asked for only by opening the store.
    ///
    /// Then the store does not go back to a model from which it was migrated.
    package var isAutomatic: Bool

    /// What becomes of the objects; `nil` if the two models tell it.
    package var mapping: MappingModel?

    /// The model that the store was made with, for one that keeps none; not asked for any other.
    package var source: StoreModel?

    /// By default a copy is kept, the migration was asked for, and the models tell what becomes of the
    /// objects.
    package init(
        keepsBackup: Bool = true, isAutomatic: Bool = false, mapping: MappingModel? = nil,
        source: StoreModel? = nil
    ) {
        (self.mapping, self.source) = (mapping, source)
        self.keepsBackup = keepsBackup
        self.isAutomatic = isAutomatic
    }
}

/// The copy of a store that a migration keeps beside it, if it drops something.
///
/// It is one file, with the values that were in files of their own, and has the store's name with `.backup-`
/// and the number of the last transaction behind it. The store notes it before it is there, so that none is
/// left of a migration that was killed, and removes it when it is opened after `Limits.migrationBackupDays`.
struct MigrationBackup {
    /// Its name, in the folder of the store.
    let name: String
    private let folder: Folder

    /// Copies a store as it is now; one of this state that is there already gives way.
    ///
    /// - Throws: What copying does; then there is no copy.
    init(of file: StoreFile, on connection: SQLiteConnection) throws(StoreError) {
        folder = file.folder
        name = try Self.freeName(of: file, on: connection)
        try translating { () throws(SQLiteError) in
            try BackupNotes.keep([name: file.environment.today], on: connection)
        }
        var options = StoreBackup.Options()
        options.isOneFile = true
        options.replaces = true
        do throws(StoreError) {
            _ = try StoreBackup(of: file, in: folder, as: name, options: options).run()
        } catch {
            discard(on: connection)
            throw error
        }
    }

    /// A name that nothing has but a copy of the store's own.
    private static func freeName(of file: StoreFile, on connection: SQLiteConnection) throws(StoreError)
        -> String
    {
        let own = try translating { () throws(SQLiteError) in try BackupNotes.all(on: connection) }
        for name in BackupNotes.candidates(ofCopyOf: file.fileName, number: file.openingNumber) {
            if own[name] != nil { return name }
            let isTaken = try translatingSystem { () throws(LinuxError) in try file.folder.exists(name) }
            if !isTaken { return name }
        }
        throw .alreadyExists(
            path: file.folder.path(
                of: BackupNotes.name(ofCopyOf: file.fileName, number: file.openingNumber)))
    }

    /// Removes the copy of a migration that did not come about.
    func discard(on connection: SQLiteConnection) {
        // What is left of it stays noted, and goes with those that are old.
        do throws(LinuxError) { _ = try folder.unlink(name) } catch { if !error.isNotFound { return } }
        try? BackupNotes.forget(name, on: connection)
    }

    /// The copies that are noted in a store that is about to be removed; none if it cannot be read any
    /// more.
    static func copies(of fileName: String, in folder: Folder) -> [String] {
        let notes = (try? wholeFileNotes(of: fileName, in: folder)) ?? databaseNotes(of: fileName, in: folder)
        return notes.keys.filter { BackupNotes.isCopy($0, of: fileName) }
    }

    private static func databaseNotes(of fileName: String, in folder: Folder) -> [String: Int64] {
        let path = folder.path(of: fileName)
        // A damaged file goes too, and its copies stay.
        guard let place = try? folder.procPath(fileName), let vfs = try? SQLiteVFS(isSealed: true),
            // As above.
            let connection = try? SQLiteConnection(
                path: place, name: path, keeping: folder, mode: .readOnly, vfs: vfs)
        else { return [:] }
        // As above.
        return (try? BackupNotes.all(on: connection)) ?? [:]
    }

    /// Those of a store whose file is written as a whole; `nil` for others.
    private static func wholeFileNotes(
        of fileName: String, in folder: Folder
    ) throws(StoreError) -> [String: Int64]? {
        guard let type = try StoreType.ofWholeFile(fileName, in: folder) else { return nil }
        let bytes = try translatingSystem { () throws(LinuxError) in
            try folder.read(fileName, limit: Limits.atomicFileBytes)
        }
        let path = folder.path(of: fileName)
        return try AtomicMetadata(type.format.content(of: bytes, path: path).metadata, path: path).backups
    }

    /// Removes the copies of a store that are old enough, and the notes of those that are gone.
    static func removeOld(
        of fileName: String, in folder: Folder, on connection: SQLiteConnection, today: Int64
    ) throws(StoreError) {
        let notes = try translating { () throws(SQLiteError) in try BackupNotes.all(on: connection) }
        let kept = try BackupNotes.removingOld(notes, of: fileName, in: folder, today: today)
        try translating { () throws(SQLiteError) in
            for name in notes.keys where kept[name] == nil { try BackupNotes.forget(name, on: connection) }
        }
    }
}

extension StoreFile {
    /// The names of the copies of the store that migrations have kept beside it.
    package func migrationBackups(on connection: SQLiteConnection) throws(StoreError) -> [String] {
        guard hasOwnTables else { return [] }
        return try translating { () throws(SQLiteError) in
            try BackupNotes.all(on: connection).keys.sorted()
        }
    }
}
