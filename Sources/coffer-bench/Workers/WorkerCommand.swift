import ArgumentParser
import CofferLinux

/// `coffer-bench worker`: one process of a step; started by `run`, not by people.
struct WorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "One process of a step; 'run' starts it.", shouldDisplay: false)

    @Argument var task: WorkerTask
    @Option var system: SystemName
    @Option var place: String
    @Option var store: String
    @Option var objects: Int
    @Option var number: Int
    @Option var calls = 0

    func run() throws {
        let began = Monotonic.now
        let link = ParentLink()
        do {
            try perform(link, began: began)
            try link.say("done")
        } catch {
            // Its end says as much to a parent that cannot be written to.
            try? link.say("error", "\(error)")
            throw SystemExit.code(for: error)
        }
    }

    private func perform(_ link: ParentLink, began: UInt64) throws {
        let job = WorkerJob(
            system: system, place: StorePlace(place: place, store: store), objectCount: objects,
            number: number,
            calls: calls, link: link)
        switch task {
        case .insert: try job.insert()
        case .save: try job.save()
        case .find: try job.find()
        case .fetchAll: try job.fetchAll()
        case .fillOrders: try job.fillOrders()
        case .findOrders: try job.findOrders()
        case .readProperties: try job.readProperties()
        case .walk: try job.walk()
        case .fire: try job.fire()
        case .traverse: try job.traverse()
        case .weigh: try job.weigh()
        case .notify: try job.notify()
        case .watch: try job.watch()
        case .saveGroup: try job.saveGroup()
        case .watchGroup: try job.watchGroup()
        case .follow: try job.follow()
        case .open: try job.timeOpening()
        case .saveWhole: try job.saveWhole()
        case .dump: try job.dump()
        case .retype: try job.retype()
        case .backUp: try job.backUp()
        case .migrate: try job.migrate()
        case .first: try job.first(began: began)
        case .idle: try job.idle()
        case .ping: try job.ping()
        case .echo: try job.echo()
        }
    }
}

/// What a worker was told to do.
struct WorkerJob {
    let system: SystemName
    let place: StorePlace
    let objectCount: Int
    /// Tells workers of one kind apart.
    let number: Int
    /// How often something is done, if the task leaves that open.
    let calls: Int
    let link: ParentLink

    /// The path of the store's file, if the system has no service.
    var filePath: String { "\(place.place)/\(place.store).sqlite" }

    /// Opens the store.
    func open() throws -> any ContactClient { try system.open(place) }
}
