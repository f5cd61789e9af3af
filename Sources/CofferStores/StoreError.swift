package import CofferLinux
package import CofferModel
package import CofferSQLite

/// Why a store could not do what was asked; in every case, nothing was written.
///
/// Outcomes that belong to an answer (conflicts, failed validation, expired history) are not errors.
@nonexhaustive
package enum StoreError: Error, Equatable, Sendable {
    /// The model, or the configuration that the store keeps, has no such entity.
    case unknownEntity(String)
    /// The entity has no such property, or none that can be used so.
    case unknownProperty(entity: String, property: String)
    /// The model has no such configuration.
    case unknownConfiguration(String)
    /// A value does not fit its property's type; `detail` says how.
    case wrongType(entity: String, property: String, detail: String)
    /// There is no such object.
    case unknownObject(entity: String, primaryKey: Int64)
    /// The keys that new objects bring along were never given out, or have rows: reserve others.
    case unreservedKeys(entity: String, firstKey: Int64, count: Int)
    /// A property cannot be written; `detail` says why.
    case unsupported(entity: String, property: String, detail: String)
    /// The number of the request was given to another one that was applied: count on, or say that it is sent
    /// again.
    case requestUsed(sequence: UInt64)
    /// The request contradicts itself.
    case malformedRequest(String)
    /// The file cannot be read or makes no sense: restore it. The path is empty if the file came as a
    /// descriptor.
    case damaged(path: String, detail: String)
    /// No space is left: free some, then try again.
    case full(path: String)
    /// Another process held the file's lock for too long: try again.
    case busy(path: String)
    /// The store was opened for reading only, or its file does not allow writing.
    case readOnly(path: String)
    /// Coffer did not make the file, and the `additions` to it were not agreed to: agree, or open it for
    /// reading. The path is empty if the file came as a descriptor.
    case notAdopted(path: String, additions: [String])
    /// Coffer did not make the file, and could not keep it right; `detail` says why. It can be read, and
    /// copied. The path is empty if the file came as a descriptor.
    case unadoptable(path: String, detail: String)
    /// The history has other columns than Core Data gives it, and is not read; objects are.
    case unknownHistory(path: String)
    /// Another program was stopped while it wrote into the file, which can be read once that is undone: by
    /// that program, or by opening it for writing.
    case unfinishedWrite(path: String)
    /// The file has a table, index or trigger, `item`, that may make SQLite do anything: it can be read, and
    /// writing would run that. Remove it with another tool, or put the data into a new store.
    case unknownSQL(path: String, item: String)
    /// What the file's own SQL does took longer than `limit`: remove its triggers, or save less at a time.
    case foreignSQLTooSlow(path: String, limit: Duration)
    /// A trigger of the file's own deletes the object as soon as it is written: remove the trigger.
    case takenBack(path: String, entity: String, key: Int64)
    /// The file was made with another model: migrate it. `differing` entities have other hashes, `missing`
    /// ones are in the model only, `unknown` ones in the store only; `changes` says what differs, for people,
    /// if the store keeps its model.
    case incompatible(differing: [String], missing: [String], unknown: [String], changes: [String] = [])
    /// The store cannot be taken to the model: each of `obstacles` says what is in the way, and what to do.
    case unmigratable(path: String, obstacles: [MigrationObstacle])
    /// The store keeps no model, and none was given: open it with one.
    case unknownModel(path: String)
    /// There is no such store.
    case notFound(path: String)
    /// The store keeps its objects as `is` says, and another type was asked for: leave the type out.
    case otherType(path: String, is: StoreType)
    /// The file at the path is not a store; it was left as it is. The path is empty if the file came as a
    /// descriptor.
    case notAStore(path: String, detail: String)
    /// The store's file, or the log beside it, was deleted, moved or replaced while it was open. Nothing is
    /// written any more: open the store again, with what has its name now.
    case fileGone(path: String, isLog: Bool)
    /// The store's objects are in another file now, with other ids: fetch again.
    case moved(path: String)
    /// What has the name of a file beside the store, as of its log, is not a regular file: move it away.
    case strangeCompanion(path: String)
    /// Another process owns the store; `pid` if it left one.
    case lockedByOther(path: String, pid: Int32?)
    /// Something has the name already that a copy was to get: choose another, or let it give way.
    case alreadyExists(path: String)
    /// No copy can have that name, or what has it cannot give way; `detail` says why.
    case unfitTarget(path: String, detail: String)
    /// The store is being copied already: wait for that.
    case copyUnderWay(path: String)
    /// A predicate cannot be evaluated in the store; its text says why, as a sentence.
    case predicate(String)
    /// A part of a predicate, named as it is written, is nothing that SQL can ask for; the reason says what
    /// to write instead.
    case notInStore(String, reason: String)
    /// Something passes a limit.
    case tooLarge(String)
    /// The pragma is not on the safe list, or it does not take the value.
    case pragmaRefused(name: String)
    /// The file system failed: look at the disk.
    case io(path: String, detail: String)
    /// The caller stopped it.
    case interrupted
    /// A pinned state had to be given up, or was never there: pin the present one.
    case generationExpired
    /// So many states of the store are pinned already: release one.
    case tooManyGenerations(limit: Int)
    /// No state of the store can be pinned, since saves would have to wait for it: open it without
    /// `journal_mode=DELETE`.
    case noGenerations(path: String)
    /// The store is on a file system that other machines share, which its name says, and a log was asked for:
    /// open it without `journal_mode=WAL`.
    case sharedFileSystem(path: String, name: String)
    /// The file system of the store has no locks, so that no other program could be kept from writing at the
    /// same time: move the store to another, or open it for reading.
    case noLocks(path: String)
    /// What was to be noted about the store under a key cannot be; `detail` says why.
    case unfitMetadata(key: String, detail: String)
    /// Another client has changed a note about the store since the client that saves read it: set it again,
    /// give it up, or choose another merge policy.
    case metadataConflict(key: String)
    /// The process has no descriptors left: close stores, then try again.
    case outOfDescriptors
    /// There is no such file or folder.
    case missing(path: String)
    /// The system does not let this process there.
    case noAccess(path: String)
    /// A descriptor that came along can be used for nothing like that: open it to read or write.
    case unfitDescriptor
    /// The model leads to tables that no file can have; `detail` says which.
    case unfitModel(detail: String)
    /// Machines that share the store would not know what its model means; `detail` says what to change.
    case unshareable(path: String, detail: String)
    /// No memory: give some back, then try again.
    case outOfMemory
    /// Anything else, in the words of the library below.
    case other(String)
}

extension StoreError {
    /// What SQLite says of a sum of integers that has more than 64 bits.
    static let integerOverflow = "integer overflow"

    /// The one place where errors of SQLite become errors of a store.
    package init(_ error: SQLiteError) {
        self =
            switch error {
            case .busy(let path), .staleSnapshot(let path): .busy(path: path)
            case .full(let path): .full(path: path)
            case .io(let path, _, let number, let message): Self(number, path: path, message)
            case .interrupted: .interrupted
            case .outOfMemory: .outOfMemory
            case .corrupt(let path, let message): .damaged(path: path, detail: message)
            case .notADatabase(let path): .notAStore(path: path, detail: "it is not an SQLite database")
            case .readOnly(let path, _):
                error.needsRollback ? .unfinishedWrite(path: path) : .readOnly(path: path)
            case .tooBig: .tooLarge("a text, blob or row passes SQLite's limit")
            case .cannotOpen(let path, let number, let message): Self(number, path: path, message)
            case .failed(_, _, Self.integerOverflow, _):
                .tooLarge("a sum that a derived attribute is to keep has more than 64 bits")
            default: .other(String(describing: error))
            }
    }

    /// What SQLite met at a file, if the system's number for it says more than its message.
    private init(_ number: Int32, path: String, _ message: String) {
        let error = LinuxError.system(call: "", errno: number, path: path)
        self =
            error.isOutOfDescriptors
            ? .outOfDescriptors : error.isOutOfMemory ? .outOfMemory : .io(path: path, detail: message)
    }

    /// The one place where errors of the system become errors of a store.
    package init(_ error: LinuxError) {
        self =
            switch error {
            case .locked(let path, let owner): .lockedByOther(path: path, pid: owner)
            case .system(_, _, let path) where error.isFull: .full(path: path ?? "")
            case .system where error.isOutOfDescriptors: .outOfDescriptors
            case .system where error.isOutOfMemory: .outOfMemory
            case .system where error.isUnfitDescriptor: .unfitDescriptor
            case .system(_, _, let path) where error.isNotFound: .missing(path: path ?? "")
            case .system(_, _, let path) where error.isWriteRefused: .noAccess(path: path ?? "")
            case .system(_, _, let path): .io(path: path ?? "", detail: error.reason)
            default: .other("\(error)")
            }
    }
}

/// Runs `body`, whose errors of SQLite become errors of a store.
@inline(__always)
func translating<Result>(_ body: () throws(SQLiteError) -> Result) throws(StoreError) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw StoreError(error) }
}

/// Runs `body`, whose errors of the system become errors of a store.
func translatingSystem<Result>(_ body: () throws(LinuxError) -> Result) throws(StoreError) -> Result {
    do throws(LinuxError) { return try body() } catch { throw StoreError(error) }
}
