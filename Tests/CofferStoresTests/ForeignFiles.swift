import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import TestSupport
import Testing

/// A store that looks as if Coffer had never seen it, in a folder of its own.
struct ForeignStore {
    static let name = "Foreign.sqlite"
    /// The folder.
    let folder: String

    /// Lends one with `tags` tags, to which `sql` was added, in the journal mode `mode`; if `keepsLog`,
    /// with rows that only the log has.
    static func lend(
        tags: Int = 3, adding sql: String = "", mode: String = "delete", keepsLog: Bool = false,
        _ body: (ForeignStore) throws -> Void
    ) throws {
        try withTemporaryFolder { path in
            do {
                let file = try StoreFile.open(
                    in: Folder(at: path), fileName: name, model: StoreModel(Library.model()))
                let bench = try Bench(file)
                try bench.save(inserts: [bench.insert("Tag", count: tags)])
                try bench.writer.checkpointFully()
            }
            do {
                let connection = try SQLiteConnection(path: "\(path)/\(name)", mode: .readWrite)
                _ = try connection.pragma("journal_mode", mode)
                for table in ["STATE", "MODEL", "REQUEST", "CONSUMER", "DECIMAL", "RESERVED", "TRANSACTION"] {
                    try connection.execute("DROP TABLE COFFER_\(table)")
                }
                for table in ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"] {
                    try connection.execute("DROP TABLE \(table)")
                }
                try connection.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 16000")
                try connection.setTrustsSchema(true)
                if !sql.isEmpty { try connection.execute(sql) }
                if keepsLog {
                    _ = try connection.pragma("wal_checkpoint", "truncate")
                    try connection.execute("UPDATE ZTAG SET ZNAME = 'in the log' WHERE Z_PK = 1")
                    try connection.disableCheckpointOnClose()
                }
            }
            let folder = try Folder(at: path)
            for suffix in [".lock", "-shm"] { try folder.unlink(name + suffix) }
            try body(ForeignStore(folder: path))
        }
    }

    /// Opens it.
    func open(
        _ foreignFiles: ForeignFiles, vfs: SQLiteVFS? = nil, _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> StoreFile {
        var options = StoreOptions()
        options.mustExist = true
        options.foreignFiles = foreignFiles
        options.vfs = vfs
        change(&options)
        return try StoreFile.open(
            in: Folder(at: folder), fileName: Self.name, model: StoreModel(Library.model()), options: options)
    }

    func snapshot() throws -> FolderSnapshot { try FolderSnapshot(of: folder) }

    /// Rows of a query, by SQLite alone, on a copy: the file stays as it is.
    func query(_ sql: String) throws -> [String] {
        try withTemporaryFolder { path in
            let (source, target) = (try Folder(at: folder), try Folder(at: path))
            for suffix in ["", "-wal", "-journal"] where try source.exists(Self.name + suffix) {
                try target.replace(
                    Self.name + suffix, with: source.read(Self.name + suffix, limit: 1 << 30))
            }
            let connection = try SQLiteConnection(path: "\(path)/\(Self.name)", mode: .readWrite)
            try connection.setTrustsSchema(true)
            let statement = try connection.prepare(sql)
            var rows: [String] = []
            while try statement.step() { rows.append(statement.text(0)) }
            return rows
        }
    }
}
