import Coffer
import CofferLinux

/// Contexts of managed objects, a new one for each walk, so that no object is there before it.
///
/// Confined.
final class FaultContextClient: FaultClient {
    private let container: PersistentContainer
    private var ids: [ManagedObjectID] = []
    /// The context that holds all contacts, and the contacts.
    private var keeper: (context: ManagedObjectContext, contacts: [ManagedContact])?
    /// Objects that were read, which stay, so that no time goes into letting them go.
    private var read: [ManagedContact] = []
    private var readers: [ManagedObjectContext] = []

    init(_ container: PersistentContainer) throws {
        try container.loadStores()
        self.container = container
    }

    func walk(_ body: (Contact) -> Void) throws -> Int {
        let context = makeContext()
        var request = FetchRequest<ManagedContact>()
        request.returnsObjectsAsFaults = true
        for contact in try context.fetch(request) { body(contact.contact) }
        return context.statistics.roundTrips
    }

    func walkWhole(_ body: (Contact) -> Void) throws {
        for contact in try makeContext().fetch(FetchRequest<ManagedContact>()) { body(contact.contact) }
    }

    func learnKeys() throws {
        ids = try makeContext().fetchIDs(FetchRequest<ManagedContact>())
        // A store of one batch after the other gives keys in that order.
        ids.sort { ($0.primaryKey ?? 0) < ($1.primaryKey ?? 0) }
    }

    func ages(of places: [Int], _ body: (UInt64) -> Void) throws -> [Int32] {
        let context = makeContext()
        readers.append(context)
        read.reserveCapacity(read.count + places.count)
        let ages = try places.map { place in
            let start = Monotonic.now
            let object = context.object(with: ids[place])
            guard let contact = object as? ManagedContact else {
                throw BenchError.wrongAnswer("\(object.objectID) is not a contact")
            }
            let age = contact.age
            body(Monotonic.now - start)
            read.append(contact)
            return age
        }
        guard context.statistics.roundTrips == places.count else {
            throw BenchError.wrongAnswer(
                "\(context.statistics.roundTrips) requests for \(places.count) faults")
        }
        return ages
    }

    func holdAll() throws {
        let context = makeContext()
        var request = FetchRequest<ManagedContact>()
        request.returnsObjectsAsFaults = true
        keeper = (context, try context.fetch(request))
    }

    private func makeContext() -> ManagedObjectContext {
        let context = container.newContext(name: "bench", author: "coffer-bench")
        context.register(ManagedContact.self)
        return context
    }
}
