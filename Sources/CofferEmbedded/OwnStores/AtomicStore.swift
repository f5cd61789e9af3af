public import CofferModel

/// A type of store of the application's own, whose file is read and written as a whole.
///
/// It says what the bytes of a file mean, and nothing else: Coffer reads the file when the store is opened,
/// and each save gives its name to a new one, durably, so that after a crash, a full disk or an error of the
/// store the file of before is there, whole. Fetches, conflicts, uniqueness, delete rules and history are
/// those of all other types. It is called by one thread at a time.
///
/// ```swift
/// let container = try PersistentContainer.embedded(
///     name: "World", model: model, folder: folder,
///     stores: [StoreDescription(name: "World", ownType: "csv")],
///     ownTypes: [.atomic("csv", CountriesInCSV())])
/// ```
public protocol AtomicStore: Sendable {
    /// The objects that a whole file has.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - model: The model of its objects.
    /// - Returns: The objects, and what the file says of the store.
    /// - Throws: Why it cannot be read; the store is not opened then, and the file stays as it is.
    func load(_ bytes: [UInt8], model: ManagedObjectModel) throws(OwnStoreError) -> AtomicStoreGraph

    /// A whole file that `load` reads as `graph`.
    ///
    /// - Throws: What the form cannot hold; the save is refused then, and the file stays as it is.
    func save(_ graph: AtomicStoreGraph, model: ManagedObjectModel) throws(OwnStoreError) -> [UInt8]

    /// What a new object is called in the file from now on.
    ///
    /// - Parameter object: Its values, and a reference that the library has made for it, such as `z12`.
    /// - Returns: A text that no other object of the file has; by default the library's.
    /// - Throws: Why the object cannot be called anything; the save is refused then.
    func newReference(for object: AtomicStoreNode) throws(OwnStoreError) -> String
}

extension AtomicStore {
    /// The library's reference.
    ///
    /// - Throws: Nothing.
    public func newReference(for object: AtomicStoreNode) throws(OwnStoreError) -> String { object.reference }
}

/// Why a store of an application's own did not do what it was asked.
@nonexhaustive
public enum OwnStoreError: Error, Sendable, Hashable {
    /// What it keeps makes no sense; the text says where and why, for people.
    case damaged(String)
    /// It cannot keep a property's value; the text says why, for people.
    case unsupported(entity: String, property: String, String)
    /// It cannot be reached now: try again later; the text says why, for people.
    case unavailable(String)
    /// Objects have other versions than a save says, or are no more.
    case conflicts([StoredObjectID])
}

extension OwnStoreError: CustomStringConvertible {
    /// What is wrong, in a sentence.
    public var description: String {
        switch self {
        case .damaged(let text), .unavailable(let text): text
        case .unsupported(let entity, let property, let text): "'\(entity).\(property)': \(text)"
        case .conflicts(let ids):
            "\(ids.count) objects have other versions than the save says, or are no more."
        }
    }
}
