internal import CofferFormats
package import CofferLinux
package import CofferModel
package import CofferSQLite
package import CofferWire
package import FoundationEssentials

/// A model, and the bytes that name and keep it.
package struct StoreModel: Sendable, Equatable {
    /// The model.
    package var model: ManagedObjectModel
    /// SHA-256 of `bytes`.
    package var id: [UInt8]
    /// The packed `coffer.v1.Model`.
    package var bytes: [UInt8]

    /// A model that a store keeps under its id.
    init(model: ManagedObjectModel, id: [UInt8], bytes: [UInt8]) {
        self.model = model
        self.id = id
        self.bytes = bytes
    }

    /// Packs and names a model.
    ///
    /// - Throws: `StoreError.tooLarge` if it would not fit into a message.
    package init(_ model: ManagedObjectModel) throws(StoreError) {
        do throws(WireError) {
            try self.init(packing: model)
        } catch {
            throw .tooLarge("the model: \(error)")
        }
    }

    /// Packs and names a model.
    ///
    /// - Throws: `WireError.tooLarge` if it would not fit into a message.
    package init(packing model: ManagedObjectModel) throws(WireError) {
        self.model = model
        bytes = try ModelMessage.pack(model)
        id = ModelIdentity.id(ofMessage: bytes)
    }
}

/// What a store takes from the outside world, so that a simulation can supply it.
package struct StoreEnvironment: Sendable {
    /// Seconds since 2001-01-01 00:00 UTC.
    package var now: @Sendable () -> Double
    /// Seconds by a clock that cannot be set.
    package var elapsed: @Sendable () -> Double
    /// A new UUID.
    package var makeUUID: @Sendable () -> UUID
    /// What kind of file system a folder is on.
    package var fileSystem: @Sendable (Folder) throws(LinuxError) -> FileSystemKind
    /// Which locks there are for a file of a folder that has a lock file of a name, which may be made.
    package var fileLocks:
        @Sendable (Folder, _ lockName: String, _ mayMake: Bool) throws(LinuxError) -> FileLocks

    /// The real clock, file systems and random UUIDs, used if nothing else is given.
    package init(
        now: @escaping @Sendable () -> Double = { Date().timeIntervalSinceReferenceDate },
        elapsed: @escaping @Sendable () -> Double = { Double(Monotonic.now) / 1e9 },
        makeUUID: @escaping @Sendable () -> UUID = { UUID() },
        fileSystem: @escaping @Sendable (Folder) throws(LinuxError) -> FileSystemKind = {
            folder throws(LinuxError) in try folder.fileSystem()
        },
        fileLocks:
            @escaping @Sendable (Folder, _ lockName: String, _ mayMake: Bool) throws(LinuxError)
            -> FileLocks = { folder, name, mayMake throws(LinuxError) in
                try folder.fileLocks(by: name, mayMake: mayMake)
            }
    ) {
        self.now = now
        self.elapsed = elapsed
        self.makeUUID = makeUUID
        self.fileSystem = fileSystem
        self.fileLocks = fileLocks
    }

    /// A new number of 16 bits.
    func makeNumber() -> UInt16 {
        let random = makeUUID().uuid
        return UInt16(random.14) << 8 | UInt16(random.15)
    }

    /// The day, counted from 2001-01-01.
    var today: Int64 { Int64(now() / 86_400) }
}

/// How a store is opened.
package struct StoreOptions: Sendable {
    /// How the store keeps its objects; `nil`: as the existing file does, otherwise as its name suggests.
    package var type: StoreType?
    /// The form of the file of an application's own type of store, which takes the place of `type`.
    package var format: (any AtomicFormat)?
    /// Where the objects are, for an application's own type of store without a file.
    package var source: (any StoreSource)?
    /// Whether nothing is ever written; no lock is taken then.
    package var isReadOnly = false
    /// Whether a store that does not exist is an error.
    package var mustExist = false
    /// Whether the file's indexes stay as they are if its model has others, which a client that only reads
    /// does not need.
    package var keepsIndexes = false
    /// What to do with a file that Coffer did not make, unless it is only read anyway.
    package var foreignFiles = ForeignFiles.refused
    /// How long to wait for a process that has the file open.
    package var patience = LockPatience.none
    /// The size in bytes that the file may not exceed; `nil`: as far as the disk allows.
    package var byteLimit: Int?
    /// SQLite options from the list of safe ones.
    package var pragmas: [String: String] = [:]
    /// Clock and randomness.
    package var environment = StoreEnvironment()
    /// How many objects triggers may change in one save, not counting those of batch updates.
    package var derivedObjects = Limits.derivedObjects
    /// How long a statement may run that executes SQL of the file's own.
    package var foreignSQLTime = Limits.foreignSQLTime
    /// The observer of the SQL that runs, if any.
    package var sqlDebug: SQLDebug?
    /// The object that is told of values whose files are missing, if there is one.
    package var missingValues: MissingValues?
    /// Whether answers go to other processes, which check their text themselves.
    package var sendsAnswers = false
    /// How a store is migrated that was made with another model; `nil` to refuse it.
    package var migration: MigrationOptions?
    /// Whether it is being filled, and no client knows it before it is whole: what the model demands of
    /// objects is judged then, and saves tell history of no changes.
    package var isUnderConstruction = false
    /// The store that it stands for, if it is the database behind another one.
    var backing: StoreBacking?
    /// Called before each step of writing a store's whole file; returns the number of the error that the step
    /// is to meet.
    package var atomicFault: (@Sendable (AtomicStep) -> Int32?)?
    /// The VFS to use; `nil` for one made for this store.
    package var vfs: SQLiteVFS?

    /// The default options.
    package init() {}
}
