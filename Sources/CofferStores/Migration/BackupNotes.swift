internal import CofferLinux
internal import CofferSQLite

/// The copies that migrations have kept beside a store, as the store notes them: name and the day of each.
///
/// What a file says of others is not trusted: only what is called as a copy of the store is taken for one.
enum BackupNotes {
    private static let prefix = "backup:"
    private static let middle = ".backup-"

    /// What a copy of a store is called whose last transaction has this number.
    static func name(ofCopyOf fileName: String, number: UInt64) -> String { "\(fileName)\(middle)\(number)" }

    /// The names that a copy may get, the best first.
    static func candidates(ofCopyOf fileName: String, number: UInt64) -> [String] {
        let name = name(ofCopyOf: fileName, number: number)
        return [name] + (2...Limits.migrationBackupNames).map { "\(name)-\($0)" }
    }

    /// Whether a name is that of a copy of the store.
    static func isCopy(_ name: String, of fileName: String) -> Bool {
        guard name.hasPrefix(fileName + middle) else { return false }
        let number = name.dropFirst(fileName.count + middle.count)
        return !number.isEmpty && number.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D }
    }

    /// Whether a copy of that day is old enough to go.
    static func isOld(_ day: Int64, today: Int64) -> Bool { day <= today - Limits.migrationBackupDays }
}

extension BackupNotes {
    /// The notes of a store: the day of each copy, by name.
    static func all(on connection: SQLiteConnection) throws(SQLiteError) -> [String: Int64] {
        let statement = try connection.prepare(
            "SELECT name, value FROM COFFER_STATE WHERE name GLOB '\(prefix)*'")
        var notes: [String: Int64] = [:]
        while try statement.step() {
            notes[String(statement.text(0).dropFirst(prefix.count))] = statement.int64(1)
        }
        return notes
    }

    /// Notes copies in a store.
    static func keep(_ notes: [String: Int64], on connection: SQLiteConnection) throws(SQLiteError) {
        if notes.isEmpty { return }
        let insertion = try connection.prepare(
            "INSERT OR REPLACE INTO COFFER_STATE(name, value) VALUES(?1, ?2)")
        for (name, day) in notes {
            try insertion.bind(prefix + name, at: 1)
            try insertion.bind(day, at: 2)
            try insertion.run()
        }
    }

    /// Takes the note of a copy away.
    static func forget(_ name: String, on connection: SQLiteConnection) throws(SQLiteError) {
        let statement = try connection.prepare("DELETE FROM COFFER_STATE WHERE name = ?1")
        try statement.bind(prefix + name, at: 1)
        try statement.run()
    }

    /// Removes the copies among `notes` that are old; the notes of the others.
    static func removingOld(
        _ notes: [String: Int64], of fileName: String, in folder: Folder, today: Int64
    ) throws(StoreError) -> [String: Int64] {
        let kept = notes.filter { !isOld($0.value, today: today) }
        for name in notes.keys where kept[name] == nil && isCopy(name, of: fileName) {
            try translatingSystem { () throws(LinuxError) in _ = try folder.unlink(name) }
        }
        return kept
    }
}
