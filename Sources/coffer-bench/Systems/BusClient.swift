import CofferModel
import CofferWire
import FoundationEssentials

/// A client in any language: D-Bus methods on protobuf messages, and no contexts.
///
/// Confined.
final class BusClient: ContactClient {
    private let calls: BusCalls
    private let columns: ContactColumns
    private let store: UInt32
    private let client = UUID()
    private var sequence: UInt64 = 0
    private var held: [(key: Int64, version: UInt32)] = []

    init(_ place: StorePlace) throws {
        let model = try ContactModel.make()
        calls = try BusCalls(address: place.place)
        columns = try ContactColumns(model)
        let _: HelloReplyMessage = try calls.call(
            "Hello",
            HelloRequestMessage(
                application: ContactModel.application, client: client, processName: "coffer-bench"))
        let known: RegisterModelReplyMessage = try calls.call(
            "RegisterModel", RegisterModelRequestMessage(model: model))
        let reply: OpenStoreReplyMessage = try calls.call(
            "OpenStore",
            OpenStoreRequestMessage(name: StoreNameMessage(name: place.store), modelID: known.modelID))
        guard case .opened(let opened) = reply else { throw BenchError.wrongAnswer("OpenStore: \(reply)") }
        store = opened.store
    }

    func insert(_ contacts: ArraySlice<Contact>) throws {
        let group = InsertGroup(
            entity: columns.entity, temporaryIDs: contacts.map { _ in UUID() },
            columns: columns.pack(contacts))
        _ = try save { $0.inserts = [group] }
    }

    func hold(emails: [String]) throws {
        held = try emails.map { email in
            let rows = try rows(email: email, withoutHolding: false)
            guard rows.rowCount == 1, rows.hasVersions else {
                throw BenchError.wrongAnswer("no row has the e-mail \(email)")
            }
            return (rows.primaryKey(0), rows.version(0))
        }
    }

    func setCity(_ city: String, ofHeld place: Int) throws {
        var column = ColumnBuilder(property: columns.city, type: .string, capacity: 1)
        column.append(text: city)
        let group = UpdateGroup(
            entity: columns.entity, primaryKeys: [held[place].key], versions: [held[place].version],
            columns: [column.finish()])
        _ = try save { $0.updates = [group] }
        held[place].version += 1
    }

    func contact(email: String) throws -> Contact? {
        let rows = try rows(email: email, withoutHolding: true)
        return rows.rowCount == 0 ? nil : try columns.reader(of: rows).contact(0)
    }

    func forEachContact(_ body: (Contact) -> Void) throws {
        let rows = try fetch(FetchDescription(entityName: ContactModel.entity), withoutHolding: true)
        let reader = try columns.reader(of: rows)
        for row in 0..<rows.rowCount { body(reader.contact(row)) }
    }

    func watch() throws {
        let _: EmptyMessage = try calls.call("Watch", WatchRequestMessage(store: store))
    }

    func nextCity(after city: String, ofHeld place: Int) throws -> String {
        while let push = try calls.nextPush(timeoutMilliseconds: 10_000) {
            for group in push.transaction?.changes ?? [] {
                guard let row = group.primaryKeys.firstIndex(of: held[place].key) else { continue }
                let pushed = group.columns.first { $0.property == columns.city }?.text(at: row)
                let found = try pushed ?? cityOfHeld(place)
                if found != city { return found }
            }
        }
        throw BenchError.wrongAnswer("no push came")
    }
}

extension BusClient {
    private func save(_ fill: (inout SaveRequestMessage) -> Void) throws -> SavedMessage {
        sequence += 1
        var request = SaveRequestMessage(
            store: store,
            request: RequestIDMessage(client: client, sequence: sequence, acknowledged: sequence - 1))
        fill(&request)
        let reply: SaveReplyMessage = try calls.call("Save", request)
        guard case .saved(let saved) = reply else { throw BenchError.wrongAnswer("Save: \(reply)") }
        return saved
    }

    private func fetch(_ description: FetchDescription, withoutHolding: Bool) throws -> PackedRows {
        let reply: FetchReplyMessage = try calls.call(
            "Fetch", FetchRequestMessage(store: store, fetch: description, withoutHolding: withoutHolding))
        guard let rows = reply.rows else { throw BenchError.wrongAnswer("Fetch answered no rows") }
        return rows
    }

    private func rows(email: String, withoutHolding: Bool) throws -> PackedRows {
        let predicate = QueryPredicate.compare("email", .equal, email)
        return try fetch(
            FetchDescription(entityName: ContactModel.entity, predicate: predicate),
            withoutHolding: withoutHolding)
    }

    private func cityOfHeld(_ place: Int) throws -> String {
        let reply: RowsReplyMessage = try calls.call(
            "Rows",
            RowsRequestMessage(store: store, entity: columns.entity, primaryKeys: [held[place].key]))
        guard let rows = reply.batches.first, rows.rowCount == 1 else {
            throw BenchError.wrongAnswer("a contact that is held is gone")
        }
        return try columns.reader(of: rows).contact(0).city
    }
}
