import Coffer
import CofferModel
import CofferWire
import FoundationEssentials
import Synchronization
import TestSupport

/// Stores in memory, for tests of contexts.
///
/// Shared: everything is behind one lock; observers are told outside it.
final class FakeCoordinator: PersistentStoreCoordinator {
    struct State {
        var stores: [FakeStore]
        var observers: [WeakObserver] = []
        var released: [ReleaseRequestMessage] = []
        var saves: [SaveRequestMessage] = []
        var rowRequests: [RowsRequestMessage] = []
        /// Whether transactions bring the values of changed properties along.
        var pushesValues = true
        /// Called, on the caller's thread, with an answer that was made and is not given yet.
        var didAnswer: (@Sendable () -> Void)?
        /// The states that are pinned; in name only, for what is read is always the present one.
        var pins: Set<UInt64> = []
        var lastPin: UInt64 = 0
        /// What the next call throws.
        var failure: CofferError?
    }

    struct WeakObserver {
        weak var observer: (any CoordinatorObserver)?
    }

    let model: ManagedObjectModel
    let state: Mutex<State>

    init(model: ManagedObjectModel, stores names: [String]) {
        self.model = model
        let stores = names.enumerated().map { Self.store($1, at: $0, model) }
        state = Mutex(State(stores: stores))
    }

    private static func store(_ name: String, at place: Int, _ model: ManagedObjectModel) -> FakeStore {
        FakeStore(
            description: CoordinatedStoreDescription(
                handle: UInt32(place + 1), uuid: UUID(), configuration: "Default", name: name,
                isReadOnly: false),
            model: model)
    }

    /// Adds an empty store.
    func addStore(_ name: String) {
        state.withLock { $0.stores.append(Self.store(name, at: $0.stores.count, model)) }
    }

    var stores: [CoordinatedStoreDescription] { state.withLock { $0.stores.map(\.description) } }

    var storeCount: Int { state.withLock { $0.stores.count } }

    func explain(_ request: FetchRequestMessage) throws(CofferError) -> ExplainReplyMessage {
        ExplainReplyMessage(sql: "SELECT \(request.fetch.entityName)", plan: ["SCAN"])
    }

    func fetch(
        _ request: FetchRequestMessage, cancellation: CallCancellation?
    ) throws(CofferError) -> FetchReplyMessage {
        if cancellation?.isCancelled ?? false {
            throw .refused(code: "Cancelled", reason: "interrupted", text: "", place: "")
        }
        let reply = try reply(to: request)
        state.withLock { $0.didAnswer }?()
        return reply
    }

    private func reply(to request: FetchRequestMessage) throws(CofferError) -> FetchReplyMessage {
        let store = try store(request.store)
        guard let entity = model.entity(named: request.fetch.entityName) else {
            throw .unknown(kind: "entity", name: request.fetch.entityName)
        }
        let family =
            request.fetch.includesSubentities ? entity.familyIndices : entity.index..<(entity.index + 1)
        var keys = (store.rows[entity.rootIndex] ?? [:]).filter { family.contains($0.value.leaf) }.keys
            .sorted()
        do {
            if let predicate = request.fetch.predicate {
                keys = try keys.filter { try predicate.evaluate(on: store.subject(entity.index, $0)) }
            }
            keys = try sorted(keys, entity.index, request.fetch.sortDescriptors, store)
        } catch let error as QueryError {
            throw .predicate(error)
        } catch {
            throw .protocolViolation("\(error)")
        }
        keys = Array(keys.dropFirst(request.fetch.offset))
        if request.fetch.limit > 0 { keys = Array(keys.prefix(request.fetch.limit)) }
        let count = UInt64(keys.count)
        switch request.fetch.resultType {
        case .count: return FetchReplyMessage(number: store.number, count: count, rows: nil)
        case .objectIDs:
            return FetchReplyMessage(
                number: store.number, count: count, rows: store.batch(keys, of: entity, []).rows)
        case .objects:
            let slots = request.fetch.propertiesToFetch.compactMap { entity.propertyIndex(named: $0) }
            let rows = store.batch(keys, of: entity, slots.isEmpty ? nil : slots)
            return FetchReplyMessage(number: store.number, count: count, rows: rows.rows)
        case .dictionaries:
            let slots = request.fetch.propertiesToFetch.compactMap { entity.propertyIndex(named: $0) }
            var rows = store.batch(keys, of: entity, slots)
            rows.primaryKeys = []
            for place in rows.columns.indices {
                rows.columns[place].property = slots.firstIndex(of: rows.columns[place].property) ?? 0
            }
            return FetchReplyMessage(number: store.number, count: count, rows: rows.rows)
        }
    }

    private func sorted(_ keys: [Int64], _ entity: Int, _ sorts: [QuerySort], _ store: FakeStore) throws
        -> [Int64]
    {
        var values: [Int64: [AttributeValue]] = [:]
        for key in keys {
            values[key] = try sorts.map {
                try QueryExpression.keyPath($0.keyPath).evaluate(on: store.subject(entity, key)) ?? .null
            }
        }
        return keys.sorted { left, right in
            for (place, sort) in sorts.enumerated() {
                let (a, b) = (values[left]?[place] ?? .null, values[right]?[place] ?? .null)
                if a == b { continue }
                if a.isNull || b.isNull { return a.isNull == sort.isAscending }
                if let order = a.order(with: b), order != .same {
                    return (order == .before) == sort.isAscending
                }
            }
            return left < right
        }
    }

    func rows(_ request: RowsRequestMessage) throws(CofferError) -> RowsReplyMessage {
        let store = try store(request.store)
        state.withLock { $0.rowRequests.append(request) }
        let found = request.primaryKeys.filter { store.row(request.entity, $0) != nil }
        let leaves = Dictionary(grouping: found) { store.row(request.entity, $0)?.leaf ?? 0 }
        let reply = RowsReplyMessage(
            number: store.number,
            batches: leaves.sorted { $0.key < $1.key }.map {
                store.batch($0.value, of: model.entities[$0.key], isUniform: true).rows
            })
        state.withLock { $0.didAnswer }?()
        return reply
    }

    func relationship(_ request: RelationshipRequestMessage) throws(CofferError) -> RelationshipReplyMessage {
        let store = try store(request.store)
        var reply = RelationshipReplyMessage(number: store.number, ends: [], primaryKeys: [], entities: [])
        for owner in request.primaryKeys {
            for member in store.members(request.entity, request.property, of: owner) {
                reply.primaryKeys.append(member.key)
                reply.entities.append(UInt32(member.leaf))
            }
            reply.ends.append(UInt32(reply.primaryKeys.count))
        }
        if request.withRows {
            let members = zip(reply.entities, reply.primaryKeys).map { Member(leaf: $0, key: $1) }
            let leaves = Dictionary(grouping: Set(members), by: \.leaf)
            reply.batches = leaves.map { leaf, members in
                store.batch(
                    members.map(\.key).sorted(), of: model.entities[Int(leaf)], isUniform: true
                ).rows
            }
        }
        state.withLock { $0.didAnswer }?()
        return reply
    }

    private struct Member: Hashable {
        var leaf: UInt32
        var key: Int64
    }

    /// Takes a request as the service would, from its bytes.
    func save(_ request: SaveRequestMessage, origin: ObjectIdentifier?) throws(CofferError)
        -> SaveReplyMessage
    {
        let place = try place(request.store)
        let request: SaveRequestMessage = try Self.sent(request)
        let (reply, transaction) = state.withLock { state in
            state.saves.append(request)
            var save = FakeSave(
                store: state.stores[place], request: request, pushesValues: state.pushesValues)
            let outcome = save.perform()
            if case .saved = outcome.reply { state.stores[place] = save.store }
            return outcome
        }
        if let transaction { tell(.transaction(transaction, store: request.store, origin: origin)) }
        return reply
    }

    private static func sent(_ request: SaveRequestMessage) throws(CofferError) -> SaveRequestMessage {
        do throws(WireError) {
            return try SaveRequestMessage(packed: request.packed())
        } catch {
            throw CofferError(error)
        }
    }

    func reserveKeys(
        _ request: ReserveKeysRequestMessage
    ) throws(CofferError) -> ReserveKeysReplyMessage {
        let place = try place(request.store)
        return state.withLock { state in
            ReserveKeysReplyMessage(
                firstKeys: request.reservations.map { reservation in
                    let root = model.entities[reservation.entity].rootIndex
                    let last = state.stores[place].lastKeys[root] ?? 0
                    state.stores[place].lastKeys[root] = last + Int64(reservation.count)
                    return last + 1
                })
        }
    }

    func history(_ request: HistoryRequestMessage) throws(CofferError) -> HistoryReplyMessage {
        .transactions([], number: try store(request.store).number, hasMore: false)
    }

    func consumer(_ request: ConsumerRequestMessage) throws(CofferError) -> ConsumerReplyMessage {
        ConsumerReplyMessage(floor: 0)
    }

    func metadata(_ request: MetadataRequestMessage) throws(CofferError) -> MetadataReplyMessage {
        throw .refused(code: "Unimplemented", reason: "fake", text: "a fake keeps no metadata", place: "")
    }

    func purgeHistory(
        _ request: PurgeHistoryRequestMessage
    ) throws(CofferError) -> PurgeHistoryReplyMessage {
        PurgeHistoryReplyMessage(floor: 0)
    }

    func pin(_ request: PinRequestMessage) throws(CofferError) -> PinReplyMessage {
        state.withLock { state in
            state.lastPin += 1
            state.pins.insert(state.lastPin)
            return PinReplyMessage(generation: state.lastPin, number: 0)
        }
    }

    func unpin(_ generation: UInt64, store: UInt32) { state.withLock { _ = $0.pins.remove(generation) } }

    func release(_ request: ReleaseRequestMessage) {
        state.withLock { $0.released.append(request) }
    }

    func addObserver(_ observer: any CoordinatorObserver) {
        state.withLock { $0.observers.append(WeakObserver(observer: observer)) }
    }

    /// Tells all observers.
    func tell(_ event: CoordinatorEvent) {
        let observers = state.withLock { $0.observers.compactMap(\.observer) }
        for observer in observers { observer.coordinator(self, didReport: event) }
    }

    private func place(_ handle: UInt32) throws(CofferError) -> Int {
        let (place, failure) = state.withLock { state in
            defer { state.failure = nil }
            return (state.stores.firstIndex { $0.description.handle == handle }, state.failure)
        }
        if let failure { throw failure }
        guard let place else { throw .unknown(kind: "store", name: "\(handle)") }
        return place
    }

    private func store(_ handle: UInt32) throws(CofferError) -> FakeStore {
        let place = try place(handle)
        return state.withLock { $0.stores[place] }
    }
}
