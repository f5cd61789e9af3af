package import CofferFormats
package import CofferLinux
package import CofferModel
package import CofferSQLite
package import FoundationEssentials
internal import Synchronization

/// One store file, open in this process.
///
/// Shared: all it holds is fixed when it opens; connections are made from it, each confined to its user. It
/// owns the file for writing, by the lock file beside it, until it goes; connections must go before it.
package final class StoreFile: Sendable {
    /// The folder of the file; open as long as the store is.
    package let folder: Folder
    /// The file's name in its folder.
    package let fileName: String
    /// Where it is, for people.
    package let path: String
    /// Names the store in ids and tokens.
    package let uuid: UUID
    /// The model it was opened with, or keeps; Core Data's stores keep one, too.
    package let model: StoreModel
    /// The model's configuration that it keeps.
    package let configuration: String
    /// Tables and columns.
    package let schema: SQLSchema
    /// What it stands for, where it is the database of a store of another type.
    let backing: StoreBacking?
    /// Whether it did not exist before.
    package let isCreated: Bool
    /// Whether nothing is ever written.
    package let isReadOnly: Bool
    /// Whether it was opened so, and is not only left alone for what its schema may do.
    package let isOpenedReadOnly: Bool
    /// What it takes to write into it, where Coffer did not make it and it is only read.
    package let adoption: Adoption?
    /// Which file it is, by device and inode.
    package let identity: FileFacts
    /// Whether it still has its name.
    package let place: StorePlace
    /// Whether it has Core Data's tables of history.
    package let hasHistory: Bool
    /// Whether that history is of a form that cannot be read.
    let hasUnknownHistory: Bool
    /// Whether its history keeps names as keys of a table of strings; else they stand in the transactions, as
    /// Core Data 851 has them.
    let hasHistoryStrings: Bool
    /// Whether it says where the changes of a transaction of ours begin.
    let hasHistoryPlaces: Bool
    /// Whether it has the tables that only our stores have, `COFFER_DECIMAL` among them.
    package let hasOwnTables: Bool
    /// Whether it has triggers, be they those of derived attributes.
    let hasTriggers: Bool
    /// What its own SQL may do.
    let trust: SchemaTrust
    /// Whether its schema is trusted, since it has triggers that keep r-trees and none that is not known.
    let trustsSchema: Bool
    /// The number of the last transaction when it was opened.
    package let openingNumber: UInt64
    /// Clock and randomness.
    package let environment: StoreEnvironment

    /// Who is told of the SQL that runs, where anybody is.
    package let sqlDebug: SQLDebug?
    /// Whether answers go to other processes.
    package let sendsAnswers: Bool
    let derivedObjects: Int
    /// How long a statement may run that carries out SQL of the file's own.
    let foreignSQLTime: Duration
    let byteLimit: Int?

    /// Which sort keys it keeps.
    package let sortKeys = SortKeyBook()

    /// Who still reads rows whose values are in files beside the store; `nil` where the model allows none, or
    /// nothing is written.
    package let externalReads: ExternalReads?

    let pragmas: StorePragmas
    /// How strictly it is written by now.
    let strictness: Mutex<StoreStrictness>
    let sqlitePath: String
    package let vfs: SQLiteVFS
    private let lock: LockFile?
    private let ending = Atomic<Bool>(false)

    init(
        _ opening: StoreOpening, _ finding: StoreOpening.Finding, identity: FileFacts
    ) {
        let (facts, schema) = (finding.facts, finding.schema)
        folder = opening.folder
        fileName = opening.fileName
        path = opening.path
        sqlitePath = opening.sqlitePath
        uuid = facts.uuid
        openingNumber = facts.lastTransaction
        hasUnknownHistory = finding.adoption?.hasUnknownHistory ?? false
        hasHistory = !opening.isReadOnly || facts.tables.contains("ACHANGE") && !hasUnknownHistory
        hasHistoryStrings = facts.hasHistoryStrings
        hasHistoryPlaces = facts.tables.contains(FixedTables.transactionTable) || !opening.isReadOnly
        hasOwnTables = facts.tables.contains("COFFER_STATE") || !opening.isReadOnly
        hasTriggers = !facts.schema.triggers.isEmpty
        trust = facts.schema.trust(of: schema)
        trustsSchema = facts.schema.hasRTrees && trust == .known
        model = finding.model
        adoption = opening.isReadOnly ? finding.adoption : nil
        configuration = opening.configuration
        self.schema = schema
        backing = opening.options.backing
        isCreated = opening.isCreated
        isReadOnly = opening.isReadOnly
        isOpenedReadOnly = opening.options.isReadOnly
        self.identity = identity
        place = StorePlace(opening.folder, opening.fileName, path: opening.path, identity: identity)
        environment = opening.options.environment
        sqlDebug = opening.options.sqlDebug
        sendsAnswers = opening.options.sendsAnswers
        derivedObjects = opening.options.derivedObjects
        foreignSQLTime = opening.options.foreignSQLTime
        byteLimit = opening.options.byteLimit
        externalReads =
            opening.isReadOnly || schema.externalColumns.isEmpty
            ? nil : ExternalReads(ExternalFiles(of: opening.fileName, in: opening.folder))
        pragmas = opening.pragmas
        strictness = Mutex(opening.pragmas.strictness)
        vfs = opening.vfs
        lock = opening.lock
    }

    /// Opens a store of any type, or makes one where there is none.
    ///
    /// - Parameters:
    ///   - folder: Where it is.
    ///   - fileName: One component, checked by the caller.
    ///   - model: The application's model; `nil` to use the one that the store keeps.
    ///   - configuration: The model's configuration that the store keeps.
    ///   - options: How.
    ///   - lock: The lock beside it, where the caller holds that already.
    /// - Throws: `notFound`, `notAStore` and `damaged` for what stands there, which is left as it was;
    ///   `incompatible` where it was made with another model; `unknownModel` where none was given and it
    ///   keeps none; `lockedByOther`; `pragmaRefused`; `notAdopted` and `unadoptable` for a file that Coffer
    ///   did not make, as `options.foreignFiles` has it; `unfinishedWrite`; `unmigratable` where it is to be
    ///   migrated and cannot be.
    /// - Returns: The store, owned by this process unless it is read only.
    package static func open(
        in folder: Folder, fileName: String, model: StoreModel?,
        configuration: String = ManagedObjectModel.defaultConfiguration,
        options: StoreOptions = StoreOptions(), lockedBy lock: LockFile? = nil
    ) throws(StoreError) -> StoreFile {
        let other = options.type ?? StoreType(ofFile: fileName)
        let type: StoreType
        do throws(StoreError) {
            if other ?? .sqlite == .sqlite {
                return try openDatabase(
                    in: folder, fileName: fileName, model: model, configuration: configuration,
                    options: options, lockedBy: lock)
            }
            type = other ?? .sqlite
        } catch {
            // Only what is not SQLite's may be looked into, see `StoreOpening.look`.
            guard case .notAStore = error, other == nil,
                let found = try StoreType(ofContent: fileName, in: folder)
            else { throw error }
            type = found
        }
        return try BackedOpening(
            type: type, folder: folder, fileName: fileName, model: model, configuration: configuration,
            options: options
        ).run()
    }

    /// Opens a file of SQLite, or makes one where there is none.
    static func openDatabase(
        in folder: Folder, fileName: String, model: StoreModel?, configuration: String,
        options: StoreOptions, lockedBy lock: LockFile? = nil
    ) throws(StoreError) -> StoreFile {
        var opening = try StoreOpening(
            folder, fileName, configuration: configuration, options: options, lock: lock)
        guard let model, options.migration != nil, !options.isReadOnly, lock == nil else {
            return try opening.run(model: model)
        }
        do throws(StoreError) {
            return try opening.run(model: model)
        } catch {
            guard case .incompatible = error else { throw error }
            opening.releaseLock()
            var anew = try StoreOpening(
                folder, fileName, configuration: configuration, options: options, lock: nil)
            do throws(StoreError) {
                let outcome = try StoreMigration(
                    of: fileName, in: folder, to: model, configuration: configuration, options: options
                ).run()
                if outcome.number == nil, outcome.plan.isReturn { throw error }
            } catch .notAdopted, .unadoptable, .unknownModel {
                throw error  // Nobody agreed to change what another program made, or nobody knows of what.
            }
            return try anew.run(model: model)
        }
    }
}

extension StoreFile {
    /// Which file it is now: each save of an atomic store makes a new one.
    package var currentIdentity: FileFacts { backing?.file?.identity ?? identity }

    /// How it keeps its objects.
    package var type: StoreType { backing?.type ?? .sqlite }

    /// Whether it has triggers that are not known, and so may change rows that nobody is told of.
    package var hasForeignTriggers: Bool { trust != .known }

    /// The names of the files that must stay for what is written to be found.
    package var watchedNames: [String] { [fileName, fileName + "-wal"] }

    /// Whether reads are to stop, since nobody will wait for their answers.
    package var isEnding: Bool { ending.load(ordering: .relaxed) }

    /// Stops what reads, and all that will.
    package func endReading() { ending.store(true, ordering: .relaxed) }

    /// Why it cannot be written, where it cannot.
    package var readOnlyError: StoreError {
        if let item = trust.unknownItem { .unknownSQL(path: path, item: item) } else { .readOnly(path: path) }
    }

    /// What stops statements that run the file's own SQL for too long; `nil` where reading runs none.
    package func makeReadingClock() -> StatementClock? {
        trust.unknownItem.map { _ in StatementClock(limit: foreignSQLTime) }
    }

    /// A connection for reading: it writes nothing, and never checkpoints.
    ///
    /// Where the schema may do anything it is of use for `Limits.foreignSQLTime`, unless another clock takes
    /// over.
    package func makeReader() throws(StoreError) -> SQLiteConnection {
        let clock = makeReadingClock()
        return try translating { () throws(SQLiteError) in
            var options = SQLiteConnection.Options()
            if clock != nil { options.maximumValueBytes = Limits.unknownValueBytes }
            // A read-only connection could not make the shared index of the WAL where it comes first.
            let connection = try SQLiteConnection(
                path: sqlitePath, name: path, mode: isOpenedReadOnly ? .readOnly : .readWrite, vfs: vfs,
                options: options)
            try pragmas.applyForReading(to: connection)
            if let clock {
                clock.start()
                connection.follow(clock, isUnknown: true)
            }
            return connection
        }
    }

    /// Whether who asks for `pragmas` wants stricter writes than those who have it open already.
    ///
    /// - Throws: `StoreError.pragmaRefused`.
    package func isLax(for pragmas: [String: String]) throws(StoreError) -> Bool {
        let wanted = try StorePragmas(pragmas).strictness
        let present = strictness.withLock { $0 }
        return present.joined(with: wanted) != present
    }

    /// The content of the file beside the store that a value names.
    ///
    /// - Throws: `damaged` where there is none, `tooLarge` where no message carries it.
    package func externalBytes(_ name: String) throws(StoreError) -> [UInt8] {
        try ExternalFiles(of: fileName, in: folder).bytes(named: name)
    }

    /// Reads the whole file, compares indexes with tables, and looks for the files that values are in;
    /// nothing where all is sound.
    package func integrityCheck(on connection: SQLiteConnection) throws(StoreError) -> [String] {
        // Of one state, whose files stay until it is read.
        let read = externalReads?.begin()
        defer { if let read { externalReads?.end(read) } }
        let problems = try translating { () throws(SQLiteError) in try connection.integrityCheck() }
        if schema.externalColumns.isEmpty || !problems.isEmpty { return problems }
        return try ExternalFiles(of: fileName, in: folder).problems(schema, on: connection)
    }

    /// The connection that writes; one for a store at a time.
    package func makeWriter() throws(StoreError) -> StoreWriter {
        guard !isReadOnly else { throw readOnlyError }
        return try StoreWriter(self)
    }

    /// Bytes that may be written into the WAL while somebody reads one state, who keeps it from beginning
    /// anew: 128 MB, and less where less than usual is checkpointed at a time.
    package var pinnedLogByteCount: Int {
        32 * min(pragmas.checkpointPages, Limits.checkpointPages) * Limits.pageByteCount
    }

    /// Bytes of the file and of its WAL.
    package func byteCounts() throws(StoreError) -> (file: Int, wal: Int) {
        try translatingSystem { () throws(LinuxError) in
            (
                file: try folder.facts(of: fileName)?.byteCount ?? 0,
                wal: try folder.facts(of: fileName + "-wal")?.byteCount ?? 0
            )
        }
    }

    /// What the store says of itself now.
    package func metadata(on connection: SQLiteConnection) throws(StoreError) -> StoreMetadata {
        try StoreFacts(reading: connection, path: path).metadata
    }

    /// What applications have noted in the store, by key.
    package func metadataEntries(on connection: SQLiteConnection) throws(StoreError) -> [String: String] {
        try metadata(on: connection).entries
    }
}
