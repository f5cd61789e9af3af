import CofferDBus
import CofferModel
import CofferService
import CofferWire
import FoundationEssentials

/// The store of these tests: notes with a text and stars, in folders.
enum Notes {
    /// Its model.
    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Folder") {
                Field("name", .string).optional()
                Many("notes", "Note", inverse: "folder", deleteRule: .cascade)
            }
            Entity("Note") {
                Field("stars", .integer32).optional()
                Field("title", .string).optional()
                One("folder", "Folder", inverse: "notes")
            }
        }
    }

    /// The number of an entity.
    static func entity(_ name: String) throws -> Int {
        guard let entity = try model().entity(named: name) else { throw ServiceUnderTest.Missing() }
        return entity.index
    }

    /// The number of a property of notes.
    static func property(_ name: String, of entity: String = "Note") throws -> Int {
        guard let index = try model().entity(named: entity)?.properties.firstIndex(where: { $0.name == name })
        else {
            throw ServiceUnderTest.Missing()
        }
        return index
    }

    /// The object of a store on the bus.
    static func path(_ name: String, user: UInt32, application: String = "org.coffer.Tests") -> String {
        DBusPath.path(BusNames.path + "/stores", String(user), application, "Default", name)
    }
}

/// A store as one client has it open.
struct OpenNotes {
    let handle: UInt32
    let uuid: UUID
    let number: UInt64
    let path: String
    let note: Int
    let title: Int
    let stars: Int

    init(_ opened: StoreOpenedMessage) throws {
        (handle, uuid, number, path) = (opened.store, opened.uuid, opened.number, opened.path)
        note = try Notes.entity("Note")
        title = try Notes.property("title")
        stars = try Notes.property("stars")
    }

    /// A save of new notes with these titles.
    func insertion(_ titles: [String], _ request: RequestIDMessage) -> SaveRequestMessage {
        let texts = ByteRuns(
            data: titles.flatMap { Array($0.utf8) },
            ends: titles.reduce(into: []) { $0.append(($0.last ?? 0) + UInt32($1.utf8.count)) })
        return SaveRequestMessage(
            store: handle, request: request,
            inserts: [
                InsertGroup(
                    entity: note, temporaryIDs: titles.map { _ in UUID() },
                    columns: [Column(property: title, values: .bytes(texts))])
            ])
    }

    /// A fetch of all notes.
    func fetch(_ predicate: QueryPredicate? = nil, count: Bool = false) -> FetchRequestMessage {
        var fetch = FetchDescription(entityName: "Note", predicate: predicate)
        if count { fetch.resultType = .count }
        return FetchRequestMessage(store: handle, fetch: fetch)
    }
}

extension RawClient {
    /// Opens a store with the model of notes, which it registers.
    func open(_ name: String = "Notes", watch: Bool = false, mustExist: Bool = false) throws -> OpenNotes {
        try open(name: StoreNameMessage(name: name), watch: watch, mustExist: mustExist)
    }

    /// Opens a store of any application.
    func open(
        name: StoreNameMessage, watch: Bool = false, mustExist: Bool = false
    ) throws -> OpenNotes {
        let model: RegisterModelReplyMessage = try call(
            .registerModel, RegisterModelRequestMessage(model: try Notes.model()))
        let reply: OpenStoreReplyMessage = try call(
            .openStore,
            OpenStoreRequestMessage(
                name: name, modelID: model.modelID, mustExist: mustExist, watch: watch))
        guard case .opened(let opened) = reply else { throw ServiceUnderTest.Missing() }
        return try OpenNotes(opened)
    }

    /// Saves new notes; gives the number and the keys.
    @discardableResult
    func insert(_ titles: [String], into store: OpenNotes) throws -> SavedMessage {
        let reply: SaveReplyMessage = try call(.save, store.insertion(titles, requestID()))
        guard case .saved(let saved) = reply else { throw ServiceUnderTest.Missing() }
        return saved
    }

    /// How many notes there are.
    func count(_ store: OpenNotes) throws -> Int {
        let reply: FetchReplyMessage = try call(.fetch, store.fetch(count: true))
        return Int(reply.count)
    }
}
