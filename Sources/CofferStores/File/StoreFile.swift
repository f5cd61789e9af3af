package import CofferFormats
package import CofferLinux
package import CofferModel
package import CofferSQLite
package import FoundationEssentials
internal import Synchronization

/// One store file, open in this process.
///
/// Shared: all it holds is fixed when it opens; connections are made from it, each confined to its user.
/// Until it is released it owns the file for writing, by the lock file beside it; its connections must be
/// released first.
package final class StoreFile: Sendable {
    /// The folder of the file, open as long as the store is.
    package let folder: Folder
    /// The file's name in its folder.
    package let fileName: String
    /// The path, for people.
    package let path: String
    /// Names the store in ids and tokens.
    package let uuid: UUID
    /// The model that it was opened with, or that it keeps; Core Data's stores keep one, too.
    package let model: StoreModel
    /// The name of the model's configuration that it keeps.
    package let configuration: String
    /// The version hashes that it had when it was opened, by entity.
    package let versionHashes: [String: [UInt8]]
    /// Tables and columns.
    package let schema: SQLSchema
    /// The store that it stands for, if it is the database behind a store of another type.
    let backing: StoreBacking?
    /// Whether it did not exist before.
    package let isCreated: Bool
    /// Whether nothing is ever written.
    package let isReadOnly: Bool
    /// Whether it was opened read-only, rather than left alone for what its schema may do.
    package let isOpenedReadOnly: Bool
    /// What would have to be added before it could be written, if Coffer did not make it and it is only
    /// read.
    package let adoption: Adoption?
    /// The identity of the file, by device and inode.
    package let identity: FileFacts
    /// Checks whether the file still has its name.
    package let place: StorePlace
    /// Whether it has Core Data's tables of history.
    package let hasHistory: Bool
    /// Whether that history is of a form that cannot be read.
    let hasUnknownHistory: Bool
    /// Whether names in its history are keys of a table of strings; otherwise they stand in the transactions,
    /// as Core Data 851 has them.
    let hasHistoryStrings: Bool
    /// Whether its history records where the changes of a transaction of ours begin.
    let hasHistoryPlaces: Bool
    /// Whether it has the tables that only our stores have, `COFFER_DECIMAL` among them.
    package let hasOwnTables: Bool
    /// Whether it has triggers, those of derived attributes included.
    let hasTriggers: Bool
    /// What the file's own SQL may do.
    let trust: SchemaTrust
    /// Whether its schema is trusted: it has triggers that keep r-trees, and no unknown ones.
    let trustsSchema: Bool
    /// The number of the last transaction when it was opened.
    package let openingNumber: UInt64
    /// Clock and randomness.
    package let environment: StoreEnvironment

    /// The observer of the SQL that runs, if any.
    package let sqlDebug: SQLDebug?
    /// Whether its model is guessed from what it has, since it keeps none and none was given.
    package let isModelGuessed: Bool
    /// The object that is told of values whose files are missing, if there is one.
    package let missingValues: MissingValues?
    /// Whether answers go to other processes.
    package let sendsAnswers: Bool
    /// Whether it is being filled, and no client knows it before it is whole.
    let isUnderConstruction: Bool
    let derivedObjects: Int
    /// How long a statement may run that executes SQL of the file's own.
    let foreignSQLTime: Duration
    let byteLimit: Int?

    /// Which sort keys it keeps.
    package let sortKeys = SortKeyBook()

    /// The readers that still need values kept in files beside the store; `nil` if the model allows none,
    /// or nothing is written.
    package let externalReads: ExternalReads?

    /// The kind of file system that it is on, if other machines may write there, too.
    package let sharedFileSystem: String?

    let pragmas: StorePragmas
    /// How strictly it is written at present.
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
        versionHashes = facts.metadata.versionHashes
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
        isModelGuessed = finding.isGuessed
        missingValues = opening.options.missingValues
        sendsAnswers = opening.options.sendsAnswers
        isUnderConstruction = opening.options.isUnderConstruction
        derivedObjects = opening.options.derivedObjects
        foreignSQLTime = opening.options.foreignSQLTime
        byteLimit = opening.options.byteLimit
        externalReads =
            opening.isReadOnly || schema.externalColumns.isEmpty
            ? nil : ExternalReads(ExternalFiles(of: opening.fileName, in: opening.folder))
        sharedFileSystem = opening.sharedFileSystem
        pragmas = opening.pragmas
        strictness = Mutex(opening.pragmas.strictness)
        vfs = opening.vfs
        lock = opening.lock
    }

    /// Opens a store of any type, or creates one if there is none.
    ///
    /// - Parameters:
    ///   - folder: Where it is.
    ///   - fileName: One component, checked by the caller.
    ///   - model: The application's model; `nil` to use the one that the store keeps.
    ///   - configuration: The model's configuration that the store keeps.
    ///   - options: How it is opened.
    ///   - lock: The lock file beside it, if the caller holds that already.
    /// - Throws: `notFound`, `notAStore` and `damaged` for what is found there, which is left as it was;
    ///   `incompatible` if it was made with another model; `unknownModel` if none was given and it keeps
    ///   none; `lockedByOther`; `pragmaRefused`; `notAdopted` and `unadoptable` for a file that Coffer did
    ///   not make, according to `options.foreignFiles`; `unfinishedWrite`; `unmigratable` if it needs a
    ///   migration that cannot be done.
    /// - Returns: The store, owned by this process unless it is read only.
    package static func open(
        in folder: Folder, fileName: String, model: StoreModel?,
        configuration: String = ManagedObjectModel.defaultConfiguration,
        options: StoreOptions = StoreOptions(), lockedBy lock: LockFile? = nil
    ) throws(StoreError) -> StoreFile {
        if options.format != nil || options.source != nil {
            return try BackedOpening(
                type: nil, folder: folder, fileName: fileName, model: model, configuration: configuration,
                options: options
            ).run()
        }
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
            // Only files that are not SQLite's may be opened here, see `StoreOpening.look`.
            guard case .notAStore = error, other == nil,
                let found = try StoreType(ofContent: fileName, in: folder)
            else { throw error }
            type = found
        }
        let opening = BackedOpening(
            type: type, folder: folder, fileName: fileName, model: model, configuration: configuration,
            options: options)
        guard let model, options.migration != nil, !options.isReadOnly else { return try opening.run() }
        do throws(StoreError) {
            return try opening.run()
        } catch {
            guard case .incompatible = error else { throw error }
            try migrate(
                fileName, in: folder, to: model, configuration: configuration, options: options,
                unless: error)
            return try opening.run()
        }
    }

    /// Takes a file that is there to another model.
    ///
    /// - Throws: `error` if that was not agreed to; why it cannot be done.
    private static func migrate(
        _ fileName: String, in folder: Folder, to model: StoreModel, configuration: String,
        options: StoreOptions, unless error: StoreError
    ) throws(StoreError) {
        do throws(StoreError) {
            let outcome = try StoreMigration(
                of: fileName, in: folder, to: model, configuration: configuration, options: options
            ).run()
            if outcome.number == nil, outcome.plan.isReturn { throw error }
        } catch .notAdopted, .unadoptable, .unknownModel {
            throw error  // It was not agreed to change what another program made, or its model is unknown.
        }
    }

    /// Opens a file of SQLite, or creates one if there is none.
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
            try migrate(
                fileName, in: folder, to: model, configuration: configuration, options: options,
                unless: error)
            return try anew.run(model: model)
        }
    }
}

extension StoreFile {
    /// The identity of the file now: each save of an atomic store makes a new one.
    package var currentIdentity: FileFacts { backing?.file?.identity ?? identity }

    /// Where its file is, which for an atomic store is not where its database is; `nil` for one in memory.
    package var home: (folder: Folder, fileName: String)? {
        guard let backing else { return (folder, fileName) }
        return backing.file.map { ($0.folder, $0.fileName) }
    }

    /// How it keeps its objects; `nil` for an application's own type.
    package var type: StoreType? { backing.map(\.type) ?? .sqlite }

    /// Where its objects are that the database gets only on demand; `nil` if it has all of them.
    package var source: (any StoreSource)? { backing?.source }

    /// What the type is called in the store's metadata.
    var typeName: String {
        backing?.source?.typeName ?? backing?.file?.format.metadataName ?? (type ?? .sqlite).metadataName
    }

    /// How its commits are made whole, while it is open for writing.
    package var journal: StoreJournal { pragmas.journal }

    /// Whether it has unknown triggers, which may change rows without any notice.
    package var hasForeignTriggers: Bool { trust != .known }

    /// The names of the files that must stay so that what is written can be found again.
    package var watchedNames: [String] {
        journal == .wal ? [fileName, fileName + "-wal"] : [fileName]
    }

    /// Whether reads are to stop, since no client waits for their answers any longer.
    package var isEnding: Bool { ending.load(ordering: .relaxed) }

    /// Stops the reads that run now, and all later ones.
    package func endReading() { ending.store(true, ordering: .relaxed) }

    /// Why it cannot be written, if it cannot.
    package var readOnlyError: StoreError {
        if let item = trust.unknownItem { .unknownSQL(path: path, item: item) } else { .readOnly(path: path) }
    }

    /// The clock that stops statements that run the file's own SQL for too long; `nil` if reading runs
    /// none.
    package func makeReadingClock() -> StatementClock? {
        trust.unknownItem.map { _ in StatementClock(limit: foreignSQLTime) }
    }

    /// A connection for reading: it writes nothing, and never checkpoints.
    ///
    /// If the schema may do anything, the connection can be used for `Limits.foreignSQLTime`, unless
    /// another clock takes over.
    package func makeReader() throws(StoreError) -> SQLiteConnection {
        let clock = makeReadingClock()
        return try translating { () throws(SQLiteError) in
            var options = SQLiteConnection.Options()
            if clock != nil { options.maximumValueBytes = Limits.unknownValueBytes }
            // A read-only connection cannot create the shared index of the WAL when it is the first to open
            // the file.
            let connection = try SQLiteConnection(
                path: sqlitePath, name: path, keeping: folder,
                mode: isOpenedReadOnly ? .readOnly : .readWrite, vfs: vfs, options: options)
            try pragmas.applyForReading(to: connection)
            if let clock {
                clock.start()
                connection.follow(clock, isUnknown: true)
            }
            return connection
        }
    }

    /// Whether `pragmas` ask for stricter writes than those that are in force for the open file.
    ///
    /// - Throws: `StoreError.pragmaRefused`.
    package func isLax(for pragmas: [String: String]) throws(StoreError) -> Bool {
        let wanted = try StorePragmas(pragmas).strictness
        let present = strictness.withLock { $0 }
        return present.joined(with: wanted) != present
    }

    /// The content of the file beside the store that a value names; `nil` if it is missing.
    ///
    /// - Throws: `tooLarge` if it does not fit into a message, and what the system says if it cannot be
    ///   read.
    package func externalBytes(_ name: String) throws(StoreError) -> [UInt8]? {
        try ExternalFiles(of: fileName, in: folder).bytesIfThere(named: name)
    }

    /// Tells of a value that is taken for null, whose file is called so.
    package func tell(_ value: MissingValue) {
        var value = value
        value.file = "\(ExternalFiles(of: fileName, in: folder).place)/\(value.file)"
        missingValues?.tell(value)
    }

    /// Reads the whole file, compares indexes with tables, and checks that the files of external values
    /// exist; empty if all is sound.
    ///
    /// Damage at which the check itself ends is a problem like the others.
    package func integrityCheck(on connection: SQLiteConnection) throws(StoreError) -> [String] {
        // All of one state, whose external files stay until it is read.
        let read = externalReads?.begin()
        defer { if let read { externalReads?.end(read) } }
        var problems: [String] = []
        do throws(SQLiteError) {
            try connection.integrityCheck { problems.append($0) }
        } catch {
            problems.append(try Self.problem(StoreError(error)))
        }
        if schema.externalColumns.isEmpty || !problems.isEmpty { return problems }
        do throws(StoreError) {
            return try ExternalFiles(of: fileName, in: folder).problems(schema, on: connection)
        } catch {
            return [try Self.problem(error)]
        }
    }

    /// What a check says that damage has ended.
    ///
    /// - Throws: `error` if it is not an error of damage.
    package static func problem(_ error: StoreError) throws(StoreError) -> String {
        switch error {
        case .damaged(_, let detail), .notAStore(_, let detail): "the check could not go on: \(detail)"
        default: throw error
        }
    }

    /// The connection that writes; a store has one at a time.
    package func makeWriter() throws(StoreError) -> StoreWriter {
        guard !isReadOnly else { throw readOnlyError }
        return try StoreWriter(self)
    }

    /// How many bytes may be written into the WAL while a reader keeps it from being reset: 128 MB, and
    /// less if checkpoints are set to come sooner than usual.
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
}
