internal import CofferLinux
internal import CofferSQLite
internal import FoundationEssentials

/// Brings the files of values in order with their rows when a store is opened for writing.
///
/// What a service that died has left is known from the place where values wait and from the store's notes;
/// no other file is looked at.
struct ExternalRecovery {
    /// The note that the files beside a store are those of another, whose place it has taken.
    private static let staleNote = "foreign external files"

    private let files: ExternalFiles
    private let schema: SQLSchema
    private let connection: SQLiteConnection

    init(of fileName: String, in folder: Folder, _ schema: SQLSchema, on connection: SQLiteConnection) {
        files = ExternalFiles(of: fileName, in: folder)
        self.schema = schema
        self.connection = connection
    }

    /// Removes files that belong to no row; the store must not be open elsewhere.
    func run() throws(StoreError) {
        // A store whose model allows none any more may have had them before it was migrated.
        if schema.externalColumns.isEmpty, try !hasNotes() { return }
        try removeStale()
        try finishPending()
        try removeDropped()
    }

    /// Whether there is a table of files that went.
    private func hasNotes() throws(StoreError) -> Bool {
        try translating { () throws(SQLiteError) in
            try connection.hasTable("COFFER_EXTERNAL")
        }
    }

    /// Notes in a store that is to take another's place that the files beside are not its own.
    static func noteStale(_ schema: SQLSchema, on connection: SQLiteConnection) throws(SQLiteError) {
        if schema.externalColumns.isEmpty { return }
        let statement = try connection.cached(
            "INSERT OR REPLACE INTO COFFER_STATE(name, value) VALUES(?1, 1)")
        try statement.bind(staleNote, at: 1)
        try statement.run()
        try connection.execute("DELETE FROM COFFER_EXTERNAL")
    }

    private func removeStale() throws(StoreError) {
        let isStale = try translating { () throws(SQLiteError) in
            let statement = try connection.prepare("SELECT 1 FROM COFFER_STATE WHERE name = ?1")
            try statement.bind(Self.staleNote, at: 1)
            return try statement.step()
        }
        guard isStale else { return }
        try translatingSystem { () throws(LinuxError) in
            try ExternalFiles.removeAll(of: fileName, in: files.folder)
            try files.folder.synchronize()
        }
        try translating { () throws(SQLiteError) in
            let statement = try connection.prepare("DELETE FROM COFFER_STATE WHERE name = ?1")
            try statement.bind(Self.staleNote, at: 1)
            try statement.run()
        }
    }

    private var fileName: String { String(files.storePath.dropFirst(files.folder.path.count + 1)) }

    /// Decides about values that waited: those that rows name stay, the others go.
    private func finishPending() throws(StoreError) {
        let waiting = try translatingSystem { () throws(LinuxError) in
            Set(try files.pendingNames().filter { UUID(uuidString: $0) != nil })
        }
        if waiting.isEmpty { return }
        let named = try translating { () throws(SQLiteError) in try self.named(of: waiting) }
        try translatingSystem { () throws(LinuxError) in
            for name in waiting {
                if !named.contains(name) {
                    try files.remove(name)
                } else {
                    if try !files.folder.exists("\(files.place)/\(name)") { try files.publish([name]) }
                    try files.unstage(name)
                }
            }
            try files.synchronize()
        }
    }

    private func named(of names: Set<String>) throws(SQLiteError) -> Set<String> {
        var named: Set<String> = []
        for column in schema.externalColumns {
            let statement = try connection.prepare(
                "SELECT \(ExternalData.name(in: column.name)) FROM \(column.table) "
                    + "WHERE \(ExternalData.isFile(column.name))")
            while try statement.step() {
                let name = statement.text(0)
                if names.contains(name) { named.insert(name) }
            }
        }
        return named
    }

    /// Removes the files that transactions have dropped.
    private func removeDropped() throws(StoreError) {
        let names = try translating { () throws(SQLiteError) in
            let statement = try connection.prepare("SELECT name FROM COFFER_EXTERNAL")
            var names: [String] = []
            while try statement.step() { names.append(statement.text(0)) }
            return names
        }
        if names.isEmpty { return }
        try translatingSystem { () throws(LinuxError) in
            for name in names where UUID(uuidString: name) != nil { try files.remove(name) }
            try files.synchronize()
        }
        try translating { () throws(SQLiteError) in try connection.execute("DELETE FROM COFFER_EXTERNAL") }
    }
}
