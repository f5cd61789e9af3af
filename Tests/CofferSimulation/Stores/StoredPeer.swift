internal import Coffer
internal import CofferContainer
internal import CofferCoordination
internal import CofferEmbedded
internal import CofferLinux
internal import CofferMerge
internal import CofferModel
internal import CofferSQLite
internal import CofferStores
internal import CofferUbiquity
internal import FoundationEssentials

/// One copy of a store in SQLite files, which saves, folds and imports as the service does.
///
/// Confined to one simulation.
final class StoredPeer {
    /// What all peers of a simulation have in common.
    struct World {
        /// Both versions of the model, for stores and for merging.
        let versions: [(store: StoreModel, merge: MergeModel)]
        /// Where the stores are, in memory.
        let files: MemoryFolder
        let folders: SimulatedFolders
        let rules: ExchangeRules
    }

    /// What is open of it as long as its machine runs.
    struct Machine {
        let vfs: SQLiteVFS
        let store: PersistentStore
        let coordinator: EmbeddedCoordinator
        let work: UbiquityWork
        let signals: UbiquitySignals
        let carrier: GatedCarrier
        let meanwhile: MeanwhileSave
    }

    private static let fileName = "Store.sqlite"

    let world: World
    /// The version of the model that its store has.
    var version: SimulatedModel.Version
    /// Which of the folders is its machine's.
    let folder: Int
    /// The clock of its machine.
    let clock: MachineClock
    /// What its files are called.
    let name: String
    /// New ids follow from it, so that a schedule goes the same way twice.
    let words: WordSource
    var machine: Machine?
    /// What the file holds, as it was read last.
    private(set) var reading: ReplicaReading
    /// What was deleted since the machine was started, the latest last.
    private var bin: [DeletedObject] = []
    private var binned: UInt64 = 0
    private static let binCount = 4
    /// The last save since the machine was started, while it can be undone.
    private(set) var undoable: UndoableSave?
    /// The context of the last save.
    private var lastContext: ManagedObjectContext?
    /// Saves since the last fold, as they changed rows.
    private(set) var open: [LocalEdit] = []

    /// A peer with a new store, or with the files that are there under its name.
    init(
        _ world: World, _ version: SimulatedModel.Version, folder: Int, name: String, skew: Int64,
        seed: UInt64
    ) throws {
        (self.world, self.version, self.folder, self.name) = (world, version, folder, name)
        clock = MachineClock(world.folders, skew: skew)
        words = WordSource(seed)
        let machine = try Self.start(world, version, folder: folder, name: name, clock: clock, words: words)
        self.machine = machine
        reading = try ReplicaReading.of(machine.store)
    }

    private static func start(
        _ world: World, _ version: SimulatedModel.Version, folder: Int, name: String, clock: MachineClock,
        words: WordSource
    ) throws -> Machine {
        let folders = world.folders
        let vfs = try SQLiteVFS()
        let store = try PersistentStore(
            file: try open(world, version, name: name, clock: clock, words: words, vfs: vfs))
        let coordinator = EmbeddedCoordinator(model: store.model, application: "simulation")
        coordinator.add(store, name: name)
        var environment = UbiquitousStore.Environment(now: { clock.now })
        environment.quiet = .zero
        environment.rules = world.rules
        environment.words = { words.next() }
        let meanwhile = MeanwhileSave(coordinator)
        environment.didShow = { meanwhile.make() }
        // Every other peer makes its folds as if they were large.
        if folder % 2 == 1 { environment.foldedInQueue = 0 }
        environment.didPrepare = { meanwhile.make() }
        let carrier = GatedCarrier(SimulatedCarrier(folders: folders, index: folder))
        let signals = UbiquitySignals()
        let work = UbiquityWork(store, over: carrier, in: environment, signals)
        return Machine(
            vfs: vfs, store: store, coordinator: coordinator, work: work, signals: signals, carrier: carrier,
            meanwhile: meanwhile)
    }

    static func open(
        _ world: World, _ version: SimulatedModel.Version, name: String, clock: MachineClock,
        words: WordSource, vfs: SQLiteVFS
    ) throws -> StoreFile {
        var options = StoreOptions()
        options.vfs = vfs
        options.migration = MigrationOptions(keepsBackup: false)
        options.environment = StoreEnvironment(
            now: { Double(clock.now.microseconds) / 1e6 - 978_307_200 }, makeUUID: { words.uuid() })
        return try StoreFile.open(
            in: try world.files.folder.makeFolders(name), fileName: fileName,
            model: world.versions[version.rawValue].store, options: options)
    }

    /// By which its registers are seen.
    var model: MergeModel { world.versions[version.rawValue].merge }

    func running() throws -> Machine {
        guard let machine else { throw Divergence(.broken("its machine does not run")) }
        return machine
    }

    /// Reads the file again.
    func read() throws { reading = try ReplicaReading.of(try running().store) }

    /// What rows differ in from the registers, as the store itself finds.
    func differences() throws -> [String] {
        try ReplicaVerification.of(try running().store)?.differences ?? []
    }

    /// What SQLite finds wrong in the file.
    func damages() throws -> [String] { try running().store.integrityCheck() }

    /// Peers that say to have the same folds, and have other registers.
    func differingPeers() throws -> Set<PeerID> {
        let work = try running().work
        return Set(try work.exchange.differing(from: try work.digest))
    }

    /// The number of its last fold.
    var lastFold: UInt64 { reading.exchange.lastFold }
}

extension StoredPeer {
    /// Does something that writes, and dies of it if a write is to fail.
    ///
    /// - Parameters:
    ///   - countdown: How many calls of the file system succeed before all that follow fail; `nil`: all do.
    ///   - body: What is done.
    /// - Returns: Whether it died, and was started again.
    /// - Throws: What `body` throws, if no call failed.
    func surviving(_ countdown: Int?, _ body: () throws -> Void) throws -> Bool {
        guard let countdown else {
            try body()
            return false
        }
        let vfs = try running().vfs
        vfs.inject(
            SQLiteFault(
                .ioError, at: [.open, .write, .gatheredWrite, .sync, .truncate, .delete],
                on: [.database, .wal, .journal], skipping: countdown, repeats: true))
        do {
            try body()
        } catch {
            if vfs.faultCount == 0 { throw error }
        }
        guard vfs.faultCount > 0 else {
            vfs.clearFault()
            return false
        }
        try restart()
        return true
    }

    /// Starts its machine again, with whatever files are there now.
    func restart(replacingFiles replace: () throws -> Void = {}) throws {
        // Its files are closed before they are opened again.
        (bin, undoable, lastContext, machine) = ([], nil, nil, nil)
        try replace()
        machine = try Self.start(world, version, folder: folder, name: name, clock: clock, words: words)
    }

    /// Saves what a user did through a context.
    ///
    /// - Returns: Whether it was saved: what was deleted does not always come back.
    func save(_ edit: Save) throws -> Bool {
        let machine = try running()
        let stored = StoredEdit(edit, reading: reading, store: machine.store)
        let back = bin.first { edit.inserted == $0.name }
        let context = back?.context ?? ManagedObjectContext(coordinator: machine.coordinator)
        var deleted: [DeletedObject] = []
        for object in edit.deleted.values.sorted(by: { $0.id < $1.id }) {
            binned += 1
            var former = DeletedObject(object, number: binned, at: name, machine.coordinator)
            try former.hold(stored)
            deleted.append(former)
        }
        (undoable, lastContext) = (nil, nil)
        let undoManager = ContextUndoManager()
        if back == nil { context.undoManager = undoManager }
        do {
            undoManager.beginGrouping()
            try stored.make(in: context, bringingBack: back?.held)
            undoManager.endGrouping()
            try context.save()
            lastContext = back == nil ? context : nil
        } catch let error as CofferError {
            // What the old context knows may be gone with it.
            if back == nil { throw error }
            return false
        }
        if let back { bin.removeAll { $0.name == back.name } }
        bin = (bin + deleted).suffix(Self.binCount)
        return true
    }

    /// Notes that a save is in the file, which had other rows before it.
    func didSave(_ save: Save, from before: ReplicaReading) {
        guard lastContext != nil else { return }
        let isKnown = save.changes.allSatisfy { save.isKnownToContext($0, from: before) }
        undoable = UndoableSave(
            before: before.placedRows, after: reading.placedRows, isKnown: isKnown)
    }

    /// Undoes the last save in its context, and saves that.
    ///
    /// - Returns: Why that was refused; `nil` if it was not.
    func undo() throws -> (any Error)? {
        guard let context = lastContext else { return nil }
        (undoable, lastContext) = (nil, nil)
        context.undo()
        do {
            try context.save()
            return nil
        } catch {
            if try running().vfs.faultCount > 0 { throw error }
            return error
        }
    }

    /// What was deleted here of late and may be brought back, with names for it.
    var returning: [(name: RecordID, object: SeenObject)] { bin.map { ($0.name, $0.object) } }

    /// Notes that a save is in the file.
    func note(_ edit: LocalEdit) { open.append(edit) }

    /// Folds what was saved; looks at the container too, unless it is only to fold.
    ///
    /// If hints tell what came since it looked before, it looks for that alone.
    ///
    /// - Returns: Why that failed; `nil` if it did not.
    func work(onlyFolding: Bool, toldBy hints: Draw? = nil) throws -> String? {
        let machine = try running()
        machine.carrier.close(onlyFolding)
        // Without either all is looked at.
        let news = hints.flatMap { try? machine.carrier.news(for: machine.work.exchange, $0) }
        machine.work.run(news.map { .objects($0) } ?? .whole)
        return machine.signals.status.failure
    }

    /// Looks at the container, while an application saves an edit.
    ///
    /// - Parameters:
    ///   - edit: What it saves.
    ///   - hints: What tells it what came since it looked before.
    ///   - didSave: Told of the attributes that it has set, when that is in the file.
    /// - Returns: Why that failed; `nil` if it did not.
    /// - Throws: `Divergence` if its machine does not run.
    func work(
        whileSaving edit: Save?, toldBy hints: Draw?, _ didSave: ([LocalEdit.Change]) -> Void
    ) throws -> String? {
        let machine = try running()
        machine.meanwhile.prepare(edit.map { StoredEdit($0, reading: reading, store: machine.store) })
        let failure = try work(onlyFolding: false, toldBy: hints)
        didSave(machine.meanwhile.saved)
        machine.meanwhile.prepare(nil)
        return failure
    }

    /// Notes what was saved and not folded when its file was copied.
    func goOn(with edits: [LocalEdit]) { open = edits }

    /// Notes that what was saved is folded.
    func didFold() { open = [] }
}
