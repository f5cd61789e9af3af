import Coffer
import CofferEmbedded

/// A client that comes by contacts without their values, and reads those when it comes to them; owes what a
/// `ContactClient` owes.
protocol FaultClient: AnyObject {
    /// Lends every contact, all values read one contact after the other, found by their keys alone; gives how
    /// many requests that took.
    func walk(_ body: (Contact) -> Void) throws -> Int

    /// Walks with values that come along with the contacts.
    func walkWhole(_ body: (Contact) -> Void) throws

    /// Learns the keys of all contacts, in the order in which they were inserted.
    func learnKeys() throws

    /// The ages of the contacts at `places`, each read by its key alone; `body` gets the nanoseconds of each.
    func ages(of places: [Int], _ body: (UInt64) -> Void) throws -> [Int32]

    /// Holds all contacts as faults: what keeps their rows keeps them from then on.
    func holdAll() throws
}

extension SystemName {
    /// Opens a store of contacts, which is there.
    func openFaults(_ place: StorePlace) throws -> any FaultClient {
        switch self {
        case .sqlite: try FaultSQLiteClient(path: "\(place.place)/\(place.store).sqlite")
        case .coffer, .cofferEmbedded: try FaultContextClient(try contactContainer(place))
        case .cofferBus, .socketpair: throw BenchError.unsupported("'\(rawValue)' has no faults")
        }
    }

    /// A container of contacts, over the service's channel or over a coordinator in this process, which then
    /// owns the file.
    ///
    /// It hears of changes to what it has read: as the others, it shows no lists.
    func contactContainer(_ place: StorePlace, type: StoreType? = nil) throws -> PersistentContainer {
        let store = StoreDescription(name: place.store, announcements: .readObjects, type: type)
        switch self {
        case .coffer:
            return try PersistentContainer(
                name: place.store, model: try ContactModel.make(), application: ContactModel.application,
                stores: [store], bus: .explicit(place.place))
        case .cofferEmbedded:
            return try .embedded(
                name: place.store, model: try ContactModel.make(), folder: place.place, stores: [store])
        case .cofferBus, .sqlite, .socketpair:
            throw BenchError.unsupported("'\(rawValue)' has no contexts")
        }
    }
}
