import Coffer
import CofferLinux

/// A list of all contacts by their cities, as an application shows it: a fetched results controller over the
/// service.
///
/// Confined. One contact is held, as what is visible of a list; it is the one that others change.
final class ListClient {
    private let container: PersistentContainer
    private let context: ManagedObjectContext
    private let controller: FetchedResultsController<ManagedContact>
    private let watched: ManagedContact
    private let hasNews = ConditionLock(false)
    /// What the controller told since the last change.
    private var events: [FetchedResultsEvent] = []

    init(_ place: StorePlace, watching email: String) throws {
        container = try PersistentContainer(
            name: place.store, model: try ContactModel.make(), application: ContactModel.application,
            stores: [StoreDescription(name: place.store)], bus: .explicit(place.place))
        try container.loadStores()
        context = container.newContext(name: "list", author: "coffer-bench")
        context.register(ManagedContact.self)
        controller = try Self.controller(in: context)
        try controller.performFetch()
        let request = FetchRequest<ManagedContact>(ManagedContact.properties.email == email)
        guard let contact = try context.fetch(request).first else {
            throw BenchError.wrongAnswer("no row has the e-mail \(email)")
        }
        watched = contact
        controller.onEvent = { [unowned self] in events.append($0) }
        context.wakeUp = { [hasNews] in
            hasNews.withLock { $0 = true }
            hasNews.signal()
        }
    }

    /// How many rows the list has.
    var rowCount: Int { controller.fetchedObjects.count }

    /// How often the service was asked for something.
    var roundTrips: Int { context.statistics.roundTrips }

    /// Waits until the watched contact has changed, and gives the nanoseconds from before the merge to the
    /// end of the list's events.
    func nextChange() throws -> UInt64 {
        while true {
            hasNews.wait { isSet in
                defer { isSet = false }
                return isSet ? () : nil
            }
            events.removeAll(keepingCapacity: true)
            let start = Monotonic.now
            context.mergePendingChanges()
            let end = Monotonic.now
            if events.isEmpty { continue }
            guard events.count == 3, events[0] == .willChange, events[2] == .didChange, isOfWatched(events[1])
            else { throw BenchError.wrongAnswer("the list told \(events)") }
            return end - start
        }
    }

    /// Compares the list with one that is newly fetched.
    func check() throws {
        let fresh = try Self.controller(in: context)
        try fresh.performFetch()
        guard fresh.snapshot == controller.snapshot else {
            throw BenchError.wrongAnswer("the list differs from one that is fetched now")
        }
    }

    private func isOfWatched(_ event: FetchedResultsEvent) -> Bool {
        switch event {
        case .moved(let id, _, let place), .updated(let id, _, let place):
            id == watched.objectID && controller.indexPath(for: watched) == place
        default: false
        }
    }

    private static func controller(
        in context: ManagedObjectContext
    ) throws -> FetchedResultsController<ManagedContact> {
        try FetchedResultsController(
            FetchRequest<ManagedContact>().sorted(by: "city").sorted(by: "email"), in: context)
    }
}
