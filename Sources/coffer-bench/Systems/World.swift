import CofferLinux

/// What one system needs to run: a folder, and a bus if it has a service.
///
/// Confined. `tearDown()` ends all that was started; the folder is the caller's.
final class World {
    /// A store that is filled once and never changed.
    static let pristine = "pristine"
    /// A store that is filled once and then changed.
    static let scratch = "scratch"

    /// A store of orders that is filled once and never changed.
    static let orders = "orders"

    /// A store of many contacts that a list shows.
    static let longList = "long"
    /// A store of few contacts that a list shows.
    static let shortList = "short"

    /// What runs here.
    let system: SystemName
    /// How many contacts its stores hold.
    let objectCount: Int
    /// What clients are told of where their stores are.
    let place: String
    /// The service's program.
    let cofferd: String
    private let folder: Folder
    private let bus: BenchBus?
    private var filled: Set<String> = []
    private var storeCount = 0

    /// A world in a new folder `name` of `parent`.
    init(_ system: SystemName, in parent: Folder, objectCount: Int, cofferd: String) throws {
        let folder = try parent.makeFolders(system.rawValue)
        self.system = system
        self.objectCount = objectCount
        self.folder = folder
        self.cofferd = cofferd
        bus = system.usesService ? try BenchBus(folder: folder, cofferd: cofferd) : nil
        place = bus?.address ?? folder.path
    }

    /// The pid of the service; `nil` if the system has none, or it does not run.
    func servicePID() throws -> Int32? { try bus?.servicePID() }

    /// Ends the service, so that the next call starts it again.
    func stopService() throws { try bus?.stopService() }

    /// A counter of an open store; `nil` if the system has no service.
    func counter(_ name: String, ofStore store: String) throws -> UInt64? {
        try bus?.counter(name, ofStore: store)
    }

    /// What the service said last.
    var lastWords: [String] { bus?.lastWords ?? [] }

    /// A folder that is empty yet.
    func newFolder() throws -> Folder { try folder.makeFolders(newStoreName()) }

    /// A name that no store has yet.
    func newStoreName() -> String {
        storeCount += 1
        return "new\(storeCount)"
    }

    /// Fills the store if it is not filled yet: with contacts, as many as in other stores, unless the
    /// arguments say otherwise.
    func fill(_ store: String, by task: WorkerTask = .insert, objectCount: Int? = nil) throws {
        if filled.contains(store) { return }
        let worker = try Worker(task, in: self, store: store, objectCount: objectCount)
        _ = try worker.results()
        filled.insert(store)
    }

    /// Ends all that runs.
    func tearDown() { bus?.stop() }
}
