internal import CofferLinux
internal import CofferSQLite
internal import FoundationEssentials

/// Moves values between rows and files beside a store while it is migrated.
///
/// Confined with the connection. A new file waits where the writer's do until the transaction is committed,
/// and one that no row names any more is noted in the transaction and goes after it. So whatever dies, the
/// next opening puts the files right.
final class MigrationExternal {
    private let files: ExternalFiles
    private let file: StoreFile
    private var staged: [String] = []
    private var isPublished = false
    private var failure: StoreError?

    init(_ file: StoreFile) {
        self.file = file
        files = ExternalFiles(of: file.fileName, in: file.folder)
    }

    /// Makes the functions callable that move values.
    func register(on connection: SQLiteConnection) throws(SQLiteError) {
        try connection.registerFunction(
            name: MigrationSQL.toRow, arguments: 1, isDeterministic: false, isInnocuous: false
        ) { [weak self] arguments in
            guard let self, !arguments.isNull(0) else { return .null }
            return self.guarded { () throws(StoreError) in
                let value = try ExternalData.value(arguments.blob(0)) { name throws(StoreError) in
                    try self.files.bytes(named: name)
                }
                return value ?? []
            }
        }
        try connection.registerFunction(
            name: MigrationSQL.toFile, arguments: 1, isDeterministic: false, isInnocuous: false
        ) { [weak self] arguments in
            guard let self, !arguments.isNull(0) else { return .null }
            let bytes = arguments.blob(0)
            return self.guarded { () throws(StoreError) in try self.stored(bytes) }
        }
    }

    private func guarded(_ body: () throws(StoreError) -> [UInt8]) -> SQLiteFunctionResult {
        do throws(StoreError) {
            return .blob(try body())
        } catch {
            failure = error
            return .failure("a value cannot be moved")
        }
    }

    private func stored(_ bytes: [UInt8]) throws(StoreError) -> [UInt8] {
        if bytes.count <= Limits.inlineValueBytes { return ExternalData.inlineMark + bytes }
        let name = file.environment.makeUUID().uuidString
        try translatingSystem { () throws(LinuxError) in
            try files.stage(bytes, 0..<bytes.count, named: name)
        }
        staged.append(name)
        return ExternalData.stored(inFile: name)
    }

    /// The error that a function failed with, if `error` comes from there.
    func explained(_ error: StoreError) -> StoreError { failure ?? error }

    /// Makes the new files durable; last before COMMIT.
    func publish() throws(StoreError) {
        if staged.isEmpty { return }
        isPublished = true
        try translatingSystem { () throws(LinuxError) in try files.publish(staged) }
    }

    /// Takes note that COMMIT has returned.
    func settle() {
        // What cannot be removed now is found where it waits when the store is opened the next time.
        for name in staged { try? files.unstage(name) }
        staged = []
    }

    /// Takes the new files back.
    ///
    /// It is unknown whether a failed commit comes back after a crash. After such a commit the files wait,
    /// and the next opening decides by the rows.
    func undo() {
        if !isPublished { settle() }
    }
}

extension MigrationRun {
    /// Notes the files that no row names any more once tables have changed.
    func noteDroppedFiles() throws(SQLiteError) {
        var sources: [String] = []
        for column in layout.source.externalColumns {
            let entities = layout.source.entities.compactMap { $0 }.filter { $0.table == column.table }
            let kept = entities.map(\.number).filter { keeps(column, of: $0) }
            sources.append(
                "SELECT \(ExternalData.name(in: column.name)) FROM main.\(column.table) "
                    + "WHERE \(ExternalData.isFile(column.name)) AND Z_ENT NOT IN (\(SQLName.list(kept)))")
        }
        if sources.isEmpty { return }
        try connection.execute(FixedTables.external)
        for source in sources { try connection.execute("INSERT INTO COFFER_EXTERNAL(name) \(source)") }
    }

    /// Whether rows with a number go on naming the files in a column.
    private func keeps(_ column: SQLExternalColumn, of number: Int) -> Bool {
        layout.tables.contains { table in
            table.columns.contains { candidate in
                candidate.rules.contains {
                    $0.number == number && $0.rule.home == column.name && !$0.rule.isTakenIn
                }
            }
        }
    }
}

extension ColumnRule {
    /// Whether what was in files is in rows from now on.
    var isTakenIn: Bool { value.sql().contains(MigrationSQL.toRow) }
}
