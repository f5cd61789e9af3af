/// One client of a system, with its store of contacts open.
///
/// Confined. Each implementation owes what an application would write with that system, with nothing left
/// out: values are given as Swift values, and what was saved is durable when the call returns.
protocol ContactClient: AnyObject {
    /// Inserts `contacts` in one durable transaction.
    func insert(_ contacts: ArraySlice<Contact>) throws

    /// Looks up contacts that are to be changed or watched, in place of those held before.
    func hold(emails: [String]) throws

    /// Changes one attribute of a held contact, durably.
    func setCity(_ city: String, ofHeld place: Int) throws

    /// The contact with a unique e-mail, all values read.
    func contact(email: String) throws -> Contact?

    /// Lends every contact, all values read.
    func forEachContact(_ body: (Contact) -> Void) throws

    /// Waits until the held contact at `place` has another city than `city` here, and gives that.
    ///
    /// Call `watch()` first.
    func nextCity(after city: String, ofHeld place: Int) throws -> String

    /// Asks to be told of what others save.
    func watch() throws
}

/// Where a client finds its store.
struct StorePlace {
    /// A folder, or the address of a bus.
    var place: String
    /// The store's name there.
    var store: String
}

extension SystemName {
    /// Opens a store, which is made if it does not exist.
    func open(_ place: StorePlace) throws -> any ContactClient {
        switch self {
        case .sqlite: try SQLiteClient(path: "\(place.place)/\(place.store).sqlite")
        case .cofferBus: try BusClient(place)
        case .coffer, .cofferEmbedded: try ContextClient(try contactContainer(place))
        case .socketpair: throw BenchError.unsupported("'socketpair' keeps nothing")
        }
    }
}
