import CofferFormats
import CofferLinux
import CofferModel
import CofferSQLite
import CofferStores
import Foundation
import TestSupport
import Testing

/// A store that is taken from one model to another.
struct MigrationHarness {
    static let name = "Test.sqlite"
    let path: String
    let source: ManagedObjectModel
    let destination: ManagedObjectModel
    /// What becomes of the objects; `nil` if the models tell that.
    var mapping: MappingModel?

    /// What the models, or the mapping model, say.
    func resolved() throws -> InferredMapping {
        guard let mapping else { return try InferredMapping(from: source, to: destination) }
        return try InferredMapping(from: source, to: destination, by: mapping)
    }

    func folder() throws -> Folder { try Folder(at: path) }

    func open(_ model: ManagedObjectModel?, as name: String = name) throws -> StoreFile {
        try StoreFile.open(
            in: Folder(at: path), fileName: name, model: model.map { try StoreModel($0) })
    }

    /// Makes the store of the first model, and fills it.
    func fill(_ body: (Bench) throws -> Void) throws {
        let bench = try Bench(open(source))
        try body(bench)
    }

    func migration(vfs: SQLiteVFS? = nil) throws -> StoreMigration {
        var options = StoreOptions()
        options.vfs = vfs
        options.migration = MigrationOptions(mapping: mapping)
        return try StoreMigration(
            of: Self.name, in: Folder(at: path), to: StoreModel(destination), options: options)
    }

    /// Migrates the store, looks whether it is one of the new model to the last name, and opens it.
    func migrate() throws -> Bench {
        _ = try migration().run()
        try check()
        return try Bench(open(destination))
    }

    /// Looks whether the store has what a new one of the same model has.
    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let fresh = ".fresh.sqlite"
        for suffix in ["", "-wal", "-shm", ".lock"] {
            try? FileManager.default.removeItem(atPath: path + "/" + fresh + suffix)
        }
        let wanted = try Self.layout(of: open(destination, as: fresh))
        let file = try open(destination)
        let found = try Self.layout(of: file)
        let missing = wanted.subtracting(found).sorted()
        let extra = found.subtracting(wanted).sorted()
        #expect(missing == [] && extra == [], sourceLocation: sourceLocation)
        let problems = try file.integrityCheck(on: file.makeReader())
        #expect(problems == [], sourceLocation: sourceLocation)
    }

    /// Names and columns of all that is in the schema, the numbers of entities, and the hashes.
    ///
    /// History never loses a column, nor a store the table of files that went.
    static func layout(of file: StoreFile) throws -> Set<String> {
        let reader = try file.makeReader()
        var lines: Set<String> = []
        for sql in [
            "SELECT type || ' ' || name || ' on ' || tbl_name FROM sqlite_master "
                + "WHERE name NOT GLOB 'sqlite_*' AND name <> 'COFFER_EXTERNAL'",
            "SELECT m.name || '.' || c.name || ' ' || c.type || ' ' || c.pk FROM sqlite_master m, "
                + "pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name <> 'COFFER_EXTERNAL' AND c.name NOT GLOB 'ZTOMBSTONE*'",
            "SELECT m.name || ' has ' || c.seqno || ifnull(c.name, '') || c.desc || ' ' || m.sql FROM sqlite_master m, "
                + "pragma_index_xinfo(m.name) c WHERE m.type = 'index' AND m.sql NOT NULL",
            "SELECT 'trigger ' || sql FROM sqlite_master WHERE type = 'trigger'",
            "SELECT Z_ENT || Z_NAME || Z_SUPER FROM Z_PRIMARYKEY",
            "SELECT 'cache ' || hex(Z_CONTENT) FROM Z_MODELCACHE",
            "SELECT 'model ' || hex(value) FROM COFFER_STATE WHERE name = 'model'",
        ] {
            let statement = try reader.prepare(sql)
            while try statement.step() {
                lines.insert(statement.text(0))
            }
        }
        let metadata = try file.metadata(on: reader)
        lines.insert("digest \(metadata.digest ?? "none")")
        for (name, hash) in metadata.versionHashes { lines.insert("hash \(name) \(hash)") }
        return lines
    }
}

/// Lends what takes a new store from one model to another.
func withMigration(
    from source: [EntityDefinition], to destination: [EntityDefinition],
    _ body: (MigrationHarness) throws -> Void
) throws {
    try withTemporaryFolder { path in
        try body(
            MigrationHarness(
                path: path, source: ManagedObjectModel(entities: source),
                destination: ManagedObjectModel(entities: destination)))
    }
}
