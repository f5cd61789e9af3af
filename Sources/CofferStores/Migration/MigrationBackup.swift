internal import CofferLinux
package import CofferSQLite

/// How a store is migrated.
package struct MigrationOptions: Sendable, Equatable {
    /// Whether a copy of the store is kept beside it where objects, values or references are lost.
    package var keepsBackup: Bool

    /// A copy is kept, unless it is said otherwise.
    package init(keepsBackup: Bool = true) { self.keepsBackup = keepsBackup }
}

/// The copy of a store that a migration keeps beside it, where it drops something.
///
/// It is one file, with the values that were in files of their own, and has the store's name with `.backup-`
/// and the number of the last transaction behind it. The store notes it, and removes it when it is opened
/// after `Limits.migrationBackupDays`.
struct MigrationBackup {
    private static let notePrefix = "backup:"
    private static let middle = ".backup-"

    /// Its name, in the folder of the store.
    let name: String

    /// Copies a store as it is now; one of this state that is there already stays.
    init(of file: StoreFile) throws(StoreError) {
        name = "\(file.fileName)\(Self.middle)\(file.openingNumber)"
        var options = StoreBackup.Options()
        options.isOneFile = true
        options.replaces = true
        _ = try StoreBackup(of: file, in: file.folder, as: name, options: options).run()
    }

    /// Notes the copy in the store, inside the transaction.
    func note(on connection: SQLiteConnection, today: Int64) throws(SQLiteError) {
        let statement = try connection.prepare(
            "INSERT OR REPLACE INTO COFFER_STATE(name, value) VALUES(?1, ?2)")
        try statement.bind(Self.notePrefix + name, at: 1)
        try statement.bind(today, at: 2)
        try statement.run()
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

    /// Removes the copies of a store that are old enough, and the notes of those that are gone.
    static func removeOld(
        of fileName: String, in folder: Folder, on connection: SQLiteConnection, today: Int64
    ) throws(StoreError) {
        let old = try translating { () throws(SQLiteError) in
            try notes(on: connection, until: today - Limits.migrationBackupDays)
        }
        for name in old {
            // What a file says of others is not trusted: nothing goes but what has such a name.
            let number =
                name.hasPrefix(fileName + middle) ? name.dropFirst(fileName.count + middle.count) : ""
            if !number.isEmpty, number.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
                try translatingSystem { () throws(LinuxError) in _ = try folder.unlink(name) }
            }
            try translating { () throws(SQLiteError) in
                let forget = try connection.prepare("DELETE FROM COFFER_STATE WHERE name = ?1")
                try forget.bind(notePrefix + name, at: 1)
                try forget.run()
            }
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
