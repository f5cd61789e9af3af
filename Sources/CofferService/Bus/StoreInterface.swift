import CofferCoordination
import CofferDBus
import CofferLinux
import CofferModel
import CofferStores
import FoundationEssentials
import Synchronization

/// `org.coffer.Storage1.Store`: one open store.
enum StoreInterface {
    static let table = BusInterface<ServedStore>(
        name: BusNames.storeInterface, documentation: "A store that the service has open.",
        methods: [
            .init(
                "Checkpoint", out: [DBusArgument("log_pages", "u"), DBusArgument("moved_pages", "u")],
                "Moves the write-ahead log into the file; says how many pages it had and how many could be moved."
            ) { store, _, _ in
                let (all, moved) = try store.persistentStore.write { writer throws(StoreError) in
                    try writer.checkpoint()
                }
                return [.uint32(UInt32(clamping: all)), .uint32(UInt32(clamping: moved))]
            },
            .init("Vacuum", "Makes the file as small as it can be; saves wait meanwhile.") { store, _, _ in
                try store.persistentStore.vacuum()
                return []
            },
            .init(
                "IntegrityCheck", out: [DBusArgument("faults", "as")],
                "Checks every page and index; an empty answer says that all is well."
            ) { store, _, _ in
                [.strings(try store.persistentStore.integrityCheck())]
            },
            .init(
                "Backup", in: [DBusArgument("path", "s")],
                out: [DBusArgument("number", "t"), DBusArgument("bytes", "t")],
                "Copies the store into a new file while others write; says its last transaction and size. On the session bus only."
            ) { store, caller, arguments in
                let outcome = try back(up: store, to: arguments[0].stringValue ?? "", for: caller)
                return [.uint64(outcome.number), .uint64(UInt64(outcome.byteCount))]
            },
            .init(
                "GetMetadata", out: [DBusArgument("values", "a{sv}")],
                "Tells what the store says of itself: what applications noted, its type, UUID and version hashes."
            ) { store, _, _ in
                [.metadata(try store.persistentStore.metadata())]
            },
            .init(
                "SetMetadata", in: [DBusArgument("changes", "a{sv}"), DBusArgument("removed", "as")],
                "Notes values about the store and removes others, at once; its type and UUID stay."
            ) { store, caller, arguments in
                // As with the rpc: administrators look, and only the owner writes.
                guard caller.userID == store.key.userID else {
                    throw ServiceError.denied("Only its owner changes the metadata of a store.")
                }
                let changes = try MetadataArguments.changes(arguments[0], removing: arguments[1])
                _ = try store.persistentStore.write { writer throws(StoreError) in
                    try writer.metadata(changing: changes)
                }
                return []
            },
        ],
        properties: identity + use + work + cache)

    private static func back(
        up store: ServedStore, to path: String, for caller: BusCaller
    ) throws -> StoreBackup.Outcome {
        // With the rpc, the copy comes as a descriptor.
        guard caller.sandbox == nil, !caller.isSystem else {
            throw ServiceError.denied("Only the rpc BackupStore copies a store for this caller.")
        }
        let place = FileLocation(path)
        guard path.utf8.first == UInt8(ascii: "/"), !place.name.isEmpty else {
            throw BusCallError.invalidArgument("'\(path)' is not the absolute path of a file")
        }
        let folder: Folder
        do throws(LinuxError) { folder = try Folder(at: place.folder) } catch {
            throw ServiceError.system(error)
        }
        do throws(StoreError) {
            return try store.persistentStore.backUp(into: folder, as: place.name)
        } catch {
            throw ServiceError.store(error)
        }
    }

    private static let identity: [BusInterface<ServedStore>.Property] = [
        .init(
            "Application", "s", changes: .const, documentation: "The application that the store belongs to."
        ) {
            .string($0.key.application)
        },
        .init("Configuration", "s", changes: .const, documentation: "The configuration of the model.") {
            .string($0.key.configuration)
        },
        .init("Name", "s", changes: .const, documentation: "The name that the application gave.") {
            .string($0.key.name)
        },
        .init("URL", "s", changes: .const, documentation: "Where the file is.") {
            .string($0.type == .memory ? "" : "file://\($0.persistentStore.file.path)")
        },
        .init("Type", "s", changes: .const, documentation: "The kind of store.") {
            .string($0.type.metadataName)
        },
        .init("UUID", "s", changes: .const, documentation: "What names the store in ids and tokens.") {
            .string($0.persistentStore.uuid.uuidString)
        },
        .init("ModelID", "s", changes: .const, documentation: "SHA-256 of the model, in hexadecimal digits.")
        {
            .string(HexadecimalDigits.text(of: $0.persistentStore.file.model.id))
        },
        .init("JournalMode", "s", changes: .const, documentation: "How SQLite journals.") {
            .string($0.persistentStore.file.isReadOnly ? "" : $0.persistentStore.file.journal.pragma)
        },
        .init("ReadOnly", "b", changes: .const, documentation: "Whether nothing is ever written.") {
            .boolean($0.persistentStore.file.isReadOnly)
        },
    ]

    private static let use: [BusInterface<ServedStore>.Property] = [
        .init("Clients", "u", changes: .none, documentation: "How many sessions use the store.") {
            .uint32(UInt32($0.publisher.count))
        },
        .init("Transactions", "t", changes: .none, documentation: "The number of the last transaction.") {
            .uint64($0.persistentStore.number)
        },
        .init(
            "HistoryFloor", "t", changes: .none,
            documentation: "The oldest number that a history token may have."
        ) {
            // One property that cannot be read must not keep the others from being told.
            .uint64((try? $0.persistentStore.historyFloor()) ?? 0)
        },
        .init(
            "LastSave", "t", changes: .none,
            documentation: "When it was, in microseconds since 1970-01-01 UTC; 0 if none was yet."
        ) {
            .uint64($0.persistentStore.statistics.lastSave.map { UInt64(($0 + 978_307_200) * 1e6) } ?? 0)
        },
        .init(
            "MigrationBackups", "as", changes: .none,
            documentation: "The copies that migrations have kept beside the file, for 30 days each."
        ) { store in
            let file = store.persistentStore.file
            // As above.
            let names = try? file.migrationBackups(on: file.makeReader())
            return .strings((names ?? []).map { file.folder.path(of: $0) })
        },
        .init("FileSize", "t", changes: .none, documentation: "Bytes of the file.") {
            // As above.
            .uint64(UInt64((try? $0.persistentStore.file.byteCounts().file) ?? 0))
        },
        .init("Pages", "t", changes: .none, documentation: "How many pages the file has.") {
            // As above.
            .uint64(UInt64((try? $0.persistentStore.pageCounts().all) ?? 0))
        },
        .init(
            "FreePages", "t", changes: .none,
            documentation: "How many of them hold nothing: more than a quarter are given back bit by bit."
        ) {
            // As above.
            .uint64(UInt64((try? $0.persistentStore.pageCounts().free) ?? 0))
        },
        .init("LogSize", "t", changes: .none, documentation: "Bytes of the write-ahead log.") {
            // As above.
            .uint64(UInt64((try? $0.persistentStore.file.byteCounts().wal) ?? 0))
        },
    ]

    private static let work: [BusInterface<ServedStore>.Property] = [
        counter("RoundTrips", documentation: "How many calls clients made about the store and waited for.") {
            $0.roundTrips.load(ordering: .relaxed)
        },
        counter("Fetches", documentation: "How many fetch requests were answered.") {
            $0.fetches.load(ordering: .relaxed)
        },
        counter(
            "Interruptions",
            documentation: "How many fetches ended early: taken back, too late, or their client gone."
        ) {
            $0.interruptions.load(ordering: .relaxed)
        },
        counter("Faults", documentation: "How many rows and relationships were read by id.") {
            $0.faults.load(ordering: .relaxed)
        },
        counter("Saves", documentation: "How many saves were committed.") {
            $0.saves.load(ordering: .relaxed)
        },
        counter("Refusals", documentation: "How many saves failed or met a conflict.") {
            $0.refusals.load(ordering: .relaxed)
        },
        counter("Commits", documentation: "How many commits there were: several saves may share one.") {
            $0.commits.load(ordering: .relaxed)
        },
        .init(
            "WaitingSaves", "t", changes: .none,
            documentation:
                "How many saves wait at the moment for the commit before them, and share the next: many if the disk is slow."
        ) {
            .uint64(UInt64($0.persistentStore.waitingSaves))
        },
        counter(
            "GatheredSaves",
            documentation:
                "How many saves were read by the thread that led the commits, so that no thread was woken: those of clients that save again and again."
        ) {
            $0.gatheredSaves.load(ordering: .relaxed)
        },
        counter(
            "BackgroundSaves",
            documentation: "How many committed saves could wait for everybody else, as imports can."
        ) {
            $0.backgroundSaves.load(ordering: .relaxed)
        },
        counter(
            "IdleWork",
            documentation:
                "How often background work ran at idle I/O priority: vacuums, checks, copies and commits of background saves."
        ) {
            $0.idleWork.load(ordering: .relaxed)
        },
        counter(
            "IdleLifts",
            documentation: "How often that got the ordinary priority at once, since something else waited."
        ) {
            $0.idleLifts.load(ordering: .relaxed)
        },
        counter("ForeignChanges", documentation: "How often another program had written into the file.") {
            $0.foreignChanges.load(ordering: .relaxed)
        },
    ]

    private static let cache: [BusInterface<ServedStore>.Property] = [
        cached(
            "CacheHits",
            documentation: "How many rows were asked for by id and given without reading the file."
        ) {
            $0.hitCount
        },
        cached("CacheMisses", documentation: "How many rows were asked for by id and had to be read.") {
            $0.missCount
        },
        cached("CacheRows", documentation: "How many rows are kept for the clients that hold them.") {
            $0.size.rows
        },
        cached("CacheBytes", documentation: "About how many bytes they take.") { $0.size.bytes },
        cached("CacheShrinks", documentation: "How often some were given up since memory was short.") {
            $0.shrinkCount
        },
    ]

    private static func cached(
        _ name: String, documentation: String, _ value: @escaping @Sendable (RowCache) -> Int
    ) -> BusInterface<ServedStore>.Property {
        .init(name, "t", changes: .none, documentation: documentation) {
            .uint64(UInt64(clamping: value($0.persistentStore.cache)))
        }
    }

    private static func counter(
        _ name: String, documentation: String, _ value: @escaping @Sendable (StoreStatistics) -> Int
    ) -> BusInterface<ServedStore>.Property {
        .init(name, "t", changes: .none, documentation: documentation) {
            .uint64(UInt64(clamping: value($0.persistentStore.statistics)))
        }
    }
}
