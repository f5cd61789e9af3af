import CofferCoordination
import CofferLinux
import CofferModel
import CofferService
import CofferStores
import CofferWire
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct SubscriptionTests {
    @Test func `a client gets the values of rows that it holds, and nothing of others`() throws {
        try withStore { store, sink in
            let subscription = subscription(to: store, sink)
            subscription.hold(try rows([3]), readAt: 10, nil)
            #expect(!subscription.offer(EncodedTransaction(update(of: 4, 11)), submitter: 2))
            #expect(subscription.offer(EncodedTransaction(update(of: 3, 12)), submitter: 2))
            #expect(try sink.pushes() == [push(.didSave, 10...12, update(of: 3, 12))])
            subscription.release([3], entity: 0)
            #expect(!subscription.offer(EncodedTransaction(update(of: 3, 13)), submitter: 2))
        }
    }

    @Test func `clients that are sent the same changes share their bytes, each under its own handle`() throws
    {
        try withStore { store, sink in
            let other = RecordingSink()
            let all = [subscription(to: store, sink), subscription(to: store, other, handle: 8)]
            for subscription in all { subscription.watch(true) }
            let transaction = EncodedTransaction(update(of: 3, 11))
            #expect(all.allSatisfy { $0.offer(transaction, submitter: 2) })
            var blind = update(of: 3, 11)
            blind.changes[0].columns = []
            let (one, two) = (try sink.pushes(), try other.pushes())
            #expect(one == [push(.didSave, 10...11, blind)])
            #expect(two == [push(.didSave, 10...11, blind, handle: 8)])
        }
    }

    @Test func `what commits during a read is announced, whatever the client held before`() throws {
        try withStore { store, sink in
            let subscription = subscription(to: store, sink)
            subscription.reading { _ in
                #expect(subscription.offer(EncodedTransaction(update(of: 4, 11)), submitter: 2))
            }
            #expect(!subscription.offer(EncodedTransaction(update(of: 4, 12)), submitter: 2))
            let pushes = try sink.pushes()
            #expect(pushes.map(\.number) == [11])
        }
    }

    @Test func `a client holds what it inserts itself, and hears of it from then on`() throws {
        try withStore { store, sink in
            let subscription = subscription(to: store, sink)
            var insert = update(of: 5, 11)
            insert.changes[0].kind = .insert
            #expect(!subscription.offer(EncodedTransaction(insert), submitter: 1), "the reply says it")
            #expect(subscription.offer(EncodedTransaction(update(of: 5, 12)), submitter: 2))
            let pushes = try sink.pushes()
            #expect(pushes == [push(.didSave, 11...12, update(of: 5, 12))])
        }
    }

    @Test func `a client that reads nothing misses pushes, and learns from where to fetch once it reads`()
        throws
    {
        try withStore { store, sink in
            let subscription = subscription(to: store, sink, from: 0)
            subscription.watch(true)
            #expect(subscription.offer(EncodedTransaction(update(of: 1, 1)), submitter: 2))
            sink.isFull = true
            #expect(!subscription.offer(EncodedTransaction(update(of: 1, 2)), submitter: 2))
            #expect(sink.waiting === subscription)
            #expect(!subscription.offer(EncodedTransaction(update(of: 1, 3)), submitter: 2))
            try save(3, into: store)
            sink.waiting = nil
            subscription.resume()
            #expect(sink.waiting === subscription && sink.flushes == 0, "the sink was still full")
            sink.isFull = false
            subscription.resume()
            #expect(try sink.pushes().dropFirst() == [push(.historySince, 1...3)])
            #expect(sink.flushes == 1)
            subscription.resume()
            #expect(try sink.pushes().count == 2, "nothing was dropped since")
        }
    }

    @Test func `a reload that was dropped is what the client hears first`() throws {
        try withStore { store, sink in
            let subscription = subscription(to: store, sink)
            sink.isFull = true
            #expect(!subscription.offerReload(at: 12))
            #expect(sink.waiting === subscription)
            sink.isFull = false
            subscription.resume()
            #expect(subscription.offerReload(at: 14))
            let pushes = try sink.pushes()
            #expect(pushes == [push(.reload, 10...10), push(.reload, 10...14)])
        }
    }

    @Test func `a closed subscription says nothing, and gives up the states that it pinned`() throws {
        try withStore { store, sink in
            let subscription = subscription(to: store, sink)
            subscription.watch(true)
            let early = try subscription.pin().generation
            #expect(try isPinned(early, in: store))
            subscription.close()
            #expect(subscription.isClosed)
            #expect(try !isPinned(early, in: store))
            let late = try subscription.pin().generation
            #expect(try !isPinned(late, in: store), "nobody would give it up")
            #expect(!subscription.offer(EncodedTransaction(update(of: 1, 11)), submitter: 2))
            #expect(!subscription.offerReload(at: 12))
            subscription.resume()
            #expect(try sink.pushes().isEmpty && sink.waiting == nil)
        }
    }

    @Test func `a client gives up only states that it has pinned itself`() throws {
        try withStore { store, sink in
            let (mine, theirs) = (subscription(to: store, sink), subscription(to: store, sink, handle: 8))
            let generation = try theirs.pin().generation
            mine.unpin(generation)
            #expect(try isPinned(generation, in: store))
            theirs.unpin(generation)
            #expect(try !isPinned(generation, in: store))
        }
    }

    @Test func `a subscription for reading refuses to write, and says which store`() throws {
        try withStore { store, sink in
            try subscription(to: store, sink).requireWriting()
            let reading = subscription(to: store, sink, isReadOnly: true)
            do throws(ServiceError) {
                try reading.requireWriting()
                Issue.record("it may write")
            } catch {
                guard case .readOnly(let name) = error else { throw error }
                #expect(name == store.key.description)
            }
        }
    }
}

/// Where pushes go in these tests: a list, which is full when the test says so.
private final class RecordingSink: PushSink {
    private struct State: Sendable {
        var pushes: [[UInt8]] = []
        var isFull = false
        var flushes = 0
        var waiting: Subscription?
    }

    private let state = Mutex(State())

    var isFull: Bool {
        get { state.withLock { $0.isFull } }
        set { state.withLock { $0.isFull = newValue } }
    }

    /// The subscription that is to be resumed, if any.
    var waiting: Subscription? {
        get { state.withLock { $0.waiting } }
        set { state.withLock { $0.waiting = newValue } }
    }

    var flushes: Int { state.withLock { $0.flushes } }

    func pushes() throws -> [PushMessage] {
        try state.withLock { $0.pushes }.map { bytes throws in try PushMessage(packed: bytes) }
    }

    func enqueue(push: [UInt8]) -> Bool {
        state.withLock { state in
            if !state.isFull { state.pushes.append(push) }
            return !state.isFull
        }
    }

    func send(push: [UInt8]) { state.withLock { $0.pushes.append(push) } }

    func resumeWhenDrained(_ subscription: Subscription) { waiting = subscription }

    func forget(_ subscription: Subscription) { waiting = nil }

    func flush() { state.withLock { $0.flushes += 1 } }
}

extension SubscriptionTests {
    /// Lends a store of notes without any, and a place for pushes.
    private func withStore(_ body: (ServedStore, RecordingSink) throws -> Void) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition("Note", attributes: [AttributeDefinition("title", .string, isOptional: true)])
        ])
        try withTemporaryFolder { path in
            let file = try StoreFile.open(
                in: try Folder(at: path), fileName: "Notes.sqlite", model: StoreModel(model))
            let key = try StoreKey(
                userID: 1, application: "org.example.Test", configuration: "", name: "Notes")
            let store = ServedStore(
                key: key, persistentStore: try PersistentStore(file: file), pragmas: [:], trace: TraceHub())
            try body(store, RecordingSink())
        }
    }

    /// A subscription of session 1.
    private func subscription(
        to store: ServedStore, _ sink: RecordingSink, handle: UInt32 = 7, isReadOnly: Bool = false,
        from number: UInt64 = 10
    ) -> Subscription {
        let subscription = Subscription(
            handle: handle, store: store, isReadOnly: isReadOnly, watches: false, session: 1, sink: sink)
        #expect(subscription.begin(at: number))
        return subscription
    }

    private func rows(_ keys: [Int64]) throws -> PackedRows {
        try PackedRows(
            RowBatch(
                rowCount: keys.count, primaryKeys: keys, versions: keys.map { _ in 1 },
                columns: [titles(keys.count)]))
    }

    /// Commits so many transactions.
    private func save(_ count: Int, into store: ServedStore) throws {
        let client = UUID()
        for number in 1...UInt64(count) {
            let request = SaveRequestMessage(
                store: 1, request: RequestIDMessage(client: client, sequence: number, acknowledged: 0),
                inserts: [InsertGroup(entity: 0, temporaryIDs: [UUID()], columns: [titles(1)])])
            _ = try store.persistentStore.save(
                request, by: SaveOrigin(application: "org.example.Test", process: "test", timestamp: 1))
        }
    }

    /// The transaction `number`, which changes the title of one note.
    private func update(of key: Int64, _ number: UInt64) -> TransactionMessage {
        TransactionMessage(
            number: number, timestamp: 0, origin: .save,
            changes: [
                ChangeGroup(
                    kind: .update, entity: 0, primaryKeys: [key], versions: [2], properties: [0],
                    columns: [titles(1)])
            ])
    }

    private func titles(_ count: Int) -> Column {
        var builder = ColumnBuilder(property: 0, type: .string)
        for _ in 0..<count { builder.append(text: "title") }
        return builder.finish()
    }

    private func push(
        _ kind: PushMessage.Kind, _ numbers: ClosedRange<UInt64>, _ transaction: TransactionMessage? = nil,
        handle: UInt32 = 7
    ) -> PushMessage {
        PushMessage(
            kind: kind, store: handle, number: numbers.upperBound, previous: numbers.lowerBound,
            transaction: transaction)
    }

    /// Whether a state can still be read.
    private func isPinned(_ generation: UInt64, in store: ServedStore) throws -> Bool {
        do throws(StoreError) {
            _ = try store.persistentStore.fetch(
                FetchRequestMessage(
                    store: 1, fetch: FetchDescription(entityName: "Note"), generation: generation))
            return true
        } catch .generationExpired {
            return false
        }
    }
}
