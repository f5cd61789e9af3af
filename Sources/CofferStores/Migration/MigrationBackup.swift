internal import CofferLinux
package import CofferModel
package import CofferSQLite

/// How a store is migrated.
package struct MigrationOptions: Sendable, Equatable {
    /// Whether a copy of the store is kept beside it where objects, values or references are lost.
    package var keepsBackup: Bool

    /// Whether nobody asked for it but by opening the store: then it does not go back to a model that it was
    /// taken on from.
    package var isAutomatic: Bool

    /// What becomes of the objects; `nil` where the two models tell.
    package var mapping: MappingModel?

    /// A copy is kept, somebody asks for it, and the models tell, unless it is said otherwise.
    package init(keepsBackup: Bool = true, isAutomatic: Bool = false, mapping: MappingModel? = nil) {
        self.mapping = mapping
        self.keepsBackup = keepsBackup
        self.isAutomatic = isAutomatic
    }
}

/// The copy of a store that a migration keeps beside it, where it drops something.
///
/// It is one file, with the values that were in files of their own, and has the store's name with `.backup-`
/// and the number of the last transaction behind it. The store notes it before it is there, so that none is
/// left of a migration that was killed, and removes it when it is opened after `Limits.migrationBackupDays`.
struct MigrationBackup {
    private static let notePrefix = "backup:"
    private static let middle = ".backup-"

    /// Its name, in the folder of the store.
    let name: String
    private let folder: Folder

    /// Copies a store as it is now; one of this state that is there already gives way.
    ///
    /// - Throws: What copying does; then there is no copy.
    init(of file: StoreFile, on connection: SQLiteConnection) throws(StoreError) {
        folder = file.folder
        let today = file.environment.today
        name = try Self.freeName(of: file, on: connection)
        try note(on: connection, today: today)
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
        let own = Set(try translating { () throws(SQLiteError) in try names(on: connection) })
        let name = "\(file.fileName)\(middle)\(file.openingNumber)"
        for candidate in [name] + (2...Limits.migrationBackupNames).map({ "\(name)-\($0)" }) {
            if own.contains(candidate) { return candidate }
            let isTaken = try translatingSystem { () throws(LinuxError) in try file.folder.exists(candidate) }
            if !isTaken { return candidate }
        }
        throw .alreadyExists(path: file.folder.path(of: name))
    }

    private func note(on connection: SQLiteConnection, today: Int64) throws(StoreError) {
        try translating { () throws(SQLiteError) in
            let statement = try connection.prepare(
                "INSERT OR REPLACE INTO COFFER_STATE(name, value) VALUES(?1, ?2)")
            try statement.bind(Self.notePrefix + name, at: 1)
            try statement.bind(today, at: 2)
            try statement.run()
        }
    }

    private static func forget(_ name: String, on connection: SQLiteConnection) throws(SQLiteError) {
        let forget = try connection.prepare("DELETE FROM COFFER_STATE WHERE name = ?1")
        try forget.bind(notePrefix + name, at: 1)
        try forget.run()
    }

    /// Removes the copy of a migration that did not come about.
    func discard(on connection: SQLiteConnection) {
        // What is left of it stays noted, and goes with those that are old.
        do throws(LinuxError) { _ = try folder.unlink(name) } catch { if !error.isNotFound { return } }
        try? Self.forget(name, on: connection)
    }

    /// Lets a file that is to take a store's place note the copies that the store notes.
    static func copyNotes(
        from store: SQLiteConnection, to connection: SQLiteConnection
    ) throws(SQLiteError) {
        let notes = try store.prepare("SELECT name, value FROM COFFER_STATE WHERE name GLOB '\(notePrefix)*'")
        let insertion = try connection.prepare(
            "INSERT OR REPLACE INTO COFFER_STATE(name, value) VALUES(?1, ?2)")
        while try notes.step() {
            try insertion.bind(notes.text(0), at: 1)
            try insertion.bind(notes.int64(1), at: 2)
            try insertion.run()
        }
    }

    /// The names of the copies that a store notes, in the order of their names.
    static func names(on connection: SQLiteConnection) throws(SQLiteError) -> [String] {
        try notes(on: connection, until: .max)
    }

    private static func notes(
        on connection: SQLiteConnection, until day: Int64
    ) throws(SQLiteError) -> [String] {
        let statement = try connection.prepare(
            "SELECT name FROM COFFER_STATE WHERE name GLOB '\(notePrefix)*' AND value <= ?1 ORDER BY name")
        try statement.bind(day, at: 1)
        var names: [String] = []
        while try statement.step() { names.append(String(statement.text(0).dropFirst(notePrefix.count))) }
        return names
    }

    /// Whether a name is that of a copy: what a file says of others is not trusted.
    private static func isOne(_ name: String, of fileName: String) -> Bool {
        guard name.hasPrefix(fileName + middle) else { return false }
        let number = name.dropFirst(fileName.count + middle.count)
        return !number.isEmpty && number.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D }
    }

    /// The copies that a store notes which is about to be removed; none where it cannot be read any more.
    static func copies(of fileName: String, in folder: Folder) -> [String] {
        let path = folder.path(of: fileName)
        guard let place = try? folder.procPath(fileName), let vfs = try? SQLiteVFS(isSealed: true),
            let connection = try? SQLiteConnection(path: place, name: path, mode: .readOnly, vfs: vfs),
            let names = try? names(on: connection)
        else { return [] }
        return names.filter { isOne($0, of: fileName) }
    }

    /// Removes the copies of a store that are old enough, and the notes of those that are gone.
    static func removeOld(
        of fileName: String, in folder: Folder, on connection: SQLiteConnection, today: Int64
    ) throws(StoreError) {
        let old = try translating { () throws(SQLiteError) in
            try notes(on: connection, until: today - Limits.migrationBackupDays)
        }
        for name in old {
            if isOne(name, of: fileName) {
                try translatingSystem { () throws(LinuxError) in _ = try folder.unlink(name) }
            }
            try translating { () throws(SQLiteError) in try forget(name, on: connection) }
        }
    }
}

extension StoreFile {
    /// The names of the copies of the store that migrations have kept beside it.
    package func migrationBackups(on connection: SQLiteConnection) throws(StoreError) -> [String] {
        guard hasOwnTables else { return [] }
        return try translating { () throws(SQLiteError) in try MigrationBackup.names(on: connection) }
    }
}
