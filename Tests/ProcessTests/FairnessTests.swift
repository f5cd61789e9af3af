import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

/// Calls that take for ever, of some, and those of all others.
@Suite(.serialized) struct FairnessTests {
    /// How many workers the service starts with.
    private let workers = max(4, Processors.available * 2)

    private func expectServed(_ service: ServiceUnderTest, _ client: RawClient) throws {
        for _ in 0..<20 {
            let _: ListStoresReplyMessage = try client.call(.listStores, ListStoresRequestMessage())
        }
        let other = try service.channel("org.coffer.Others")
        #expect(try other.count(other.open()) == 0)
    }

    private func waitUntilHeld(
        _ service: ServiceUnderTest, _ count: Int, _ body: () throws -> Void
    ) throws {
        let begun = try service.counter("Fetches", ofStore: "Notes")
        try body()
        try waitUntil("\(count) fetches have begun") {
            try service.counter("Fetches", ofStore: "Notes") >= begun + count
        }
    }

    @Test
    func `a client whose fetches could hold all workers keeps nobody else waiting`() throws {
        try withLongFetch { service, client, fetch in
            let process = try service.otherProcess()
            let greedy = try process.connection()
            let channels = try (0..<workers + 8).map { _ in
                let channel = try RawClient(bus: greedy, application: "org.coffer.Tests")
                _ = try channel.open()
                return channel
            }
            var calls: [UInt64] = []
            try waitUntilHeld(service, workers - 1) {
                for channel in channels { calls.append(try channel.start(.fetch, fetch)) }
            }
            try expectServed(service, client)
            // Those that wait have their turn.
            for (channel, call) in zip(channels, calls) {
                try channel.send(FrameHeader(kind: .cancel, callID: call).bytes)
            }
            for (channel, call) in zip(channels, calls) {
                let refusal = #expect(throws: Refusal.self) { try channel.reply(to: call) }
                #expect(refusal?.code == .cancelled, "\(refusal as Any)")
                let _: ListStoresReplyMessage = try channel.call(.listStores, ListStoresRequestMessage())
            }
            #expect(try service.interruptions() == UInt64(channels.count))
        }
    }

    @Test
    func `a process whose connections could hold all workers keeps no other process waiting`() throws {
        try withLongFetch { service, client, fetch in
            let greedy = try service.otherProcess()
            // With those over the bus more than the workers that there may be.
            let channels = try (0..<48).map { _ in
                let channel = try greedy.channel()
                _ = try channel.open()
                return channel
            }
            let connections = try (0..<48).map { _ in try BusFetches(greedy.address) }
            try waitUntilHeld(service, workers - 1) {
                for channel in channels { _ = try channel.start(.fetch, fetch) }
            }
            for connection in connections { try connection.start(fetch) }
            try expectServed(service, client)
            for channel in channels { channel.socket.shutDown() }
            for connection in connections { connection.connection.close() }
        }
    }

    @Test
    func `as many processes with long fetches as there are workers keep nobody else waiting`() throws {
        try withLongFetch { service, client, fetch in
            var channels: [RawClient] = []
            let processes = try (0..<workers + 2).map { _ in try service.otherProcess() }
            for process in processes {
                try waitUntilHeld(service, 1) {
                    let channel = try process.channel()
                    _ = try channel.open()
                    _ = try channel.start(.fetch, fetch)
                    channels.append(channel)
                }
            }
            try expectServed(service, client)
            for channel in channels { channel.socket.shutDown() }
            try waitUntil("all have ended") { try service.interruptions() == UInt64(channels.count) }
        }
    }

    @Test
    func `as many long saves as there are workers keep nobody else waiting`() throws {
        try withService { service in
            let client = try service.channel()
            _ = try client.open()
            var held: [RawClient] = []
            let processes = try (0..<workers).map { _ in try service.otherProcess() }
            for (number, process) in processes.enumerated() {
                let channel = try process.channel()
                let store = try channel.open("Long\(number)")
                try channel.insertForLongWork(2_000, into: store)
                let delete = BatchDeleteMessage(entity: "Note", predicate: try longPredicate())
                let save = SaveRequestMessage(
                    store: store.handle, request: channel.requestID(), batch: BatchMessage(deletes: [delete]))
                _ = try channel.start(.save, save.packed())
                held.append(channel)
            }
            try waitUntil("another worker was started") { try service.workerCount() > workers }
            try expectServed(service, client)
            try service.kill9()  // What a writer is at has no end of its own.
        }
    }

    @Test
    func `fetches over the bus keep nobody else waiting, and end with their caller`() throws {
        try withLongFetch { service, client, fetch in
            let process = try service.otherProcess()
            let greedy = try BusFetches(process.address)
            try waitUntilHeld(service, workers - 1) {
                for _ in 0..<2 * workers { try greedy.start(fetch) }
            }
            try expectServed(service, client)
            greedy.connection.close()
            try waitUntil("all have ended") { try service.interruptions() >= UInt64(workers - 1) }
        }
    }

    @Test
    func `as many long calls for people as there are workers keep nobody else waiting`() throws {
        try withWitnessOfSlowDisk { service, disk, witness, store in
            let outcomes = Outcomes()
            let processes = try (0..<workers + 2).map { _ in try service.otherProcess() }
            let callers = try processes.map { try DBusConnection(to: .explicit($0.address)) }
            try disk.hold {
                let saver = try service.channel()
                _ = try saver.start(.save, saver.open().insertion(["x"], saver.requestID()).packed())
                for caller in callers {
                    let vacuum = DBusMessage.methodCall(
                        to: BusNames.name, path: Notes.path("Notes", user: CurrentProcess.userID),
                        interface: "org.coffer.Storage1.Store", member: "Vacuum")
                    caller.call(vacuum, timeoutMilliseconds: 600_000) { outcomes.add($0) }
                    // The bus has it then, and the service gets it before what comes later.
                    _ = try caller.callBlocking(
                        .methodCall(
                            to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
                            interface: "org.freedesktop.DBus.Peer", member: "Ping"))
                }
                let _: ListStoresReplyMessage = try service.channel().call(
                    .listStores, ListStoresRequestMessage())
                for _ in 0..<20 { #expect(try witness.count(store) == 1) }
                #expect(outcomes.names.isEmpty)
            }
            outcomes.wait(for: callers.count)
            #expect(outcomes.names == ["ok": callers.count])
            for caller in callers { caller.close() }
        }
    }

    @Test
    func `a fetch over the bus ends after a time though its caller waits on`() throws {
        try withLongFetch(environment: ["COFFER_TEST_BUS_TIMEOUT": "300"]) { service, _, fetch in
            let caller = try service.busClient()
            let _: OpenStoreReplyMessage = try caller.call(
                "OpenStore", OpenStoreRequestMessage(name: .init(name: "Notes"), modelID: []))
            let refusal = #expect(throws: Refusal.self) {
                try BusClient.call("Fetch", fetch, over: caller.connection)
            }
            #expect(refusal?.code == .deadlineExceeded && refusal?.reason == "timeout", "\(refusal as Any)")
        }
    }

    @Test
    func `calls over the bus that wait are bounded by their bytes, and the answer names the bound`() throws {
        try withLongFetch { service, client, fetch in
            let process = try service.otherProcess()
            let greedy = try BusFetches(process.address)
            try waitUntilHeld(service, workers - 1) {
                for _ in 0..<workers { try greedy.start(fetch) }
            }
            let large =
                try ListStoresRequestMessage().packed() + [0xFA, 0x7F, 0x80, 0x80, 0x40]
                + [UInt8](repeating: 0, count: 1 << 20)
            let (refusals, texts) = (Outcomes(), Texts())
            for _ in 0..<80 {
                greedy.connection.call(
                    try greedy.message("ListStores", large), timeoutMilliseconds: 600_000
                ) { result in
                    if case .failure(.remote(_, let text)) = result { texts.add(text) }
                    refusals.add(result)
                }
            }
            refusals.wait(for: 80 - 64)
            try expectServed(service, client)
            #expect(texts.all.allSatisfy { $0.contains("64 MiB") }, "\(texts.all)")
            #expect(refusals.names.keys.sorted() == ["org.coffer.Storage1.Error.ResourceExhausted"])
            #expect((refusals.names.values.first ?? 0) <= 80 - 62, "\(refusals.names)")
            greedy.connection.close()
        }
    }

    @Test
    func `calls over the bus that wait are bounded by their descriptors`() throws {
        try withLongFetch { service, client, fetch in
            let process = try service.otherProcess()
            let greedy = try BusFetches(process.address)
            try waitUntilHeld(service, workers - 1) {
                for _ in 0..<workers { try greedy.start(fetch) }
            }
            let before = try service.descriptorCount()
            let pipe = try Pipe.make()
            var call = try greedy.message("ListStores", ListStoresRequestMessage().packed())
            call.body[1] = .array("h", Array(repeating: .unixFD(pipe.reader), count: 16))
            let (refusals, calls, most) = (Outcomes(), 400, 64)
            for _ in 0..<calls {
                greedy.connection.call(call, timeoutMilliseconds: 600_000) { refusals.add($0) }
            }
            refusals.wait(for: calls - most + 1)
            #expect(refusals.names == ["org.coffer.Storage1.Error.ResourceExhausted": calls - most + 1])
            let held = try service.descriptorCount() - before
            #expect(held <= most * 16 + 64, "\(held) descriptors wait in the service")
            try expectServed(service, client)
            greedy.connection.close()
        }
    }
}

/// Different texts.
private final class Texts: Sendable {
    private let texts = Mutex<Set<String>>([])

    var all: Set<String> { texts.withLock { $0 } }

    func add(_ text: String) { texts.withLock { _ = $0.insert(text) } }
}

/// A connection to the bus that has a store open, and waits for no answer.
private struct BusFetches {
    let connection: DBusConnection

    init(_ address: String) throws {
        connection = try DBusConnection(to: .explicit(address))
        let hello = HelloRequestMessage(application: "org.coffer.Tests", client: UUID(), processName: "")
        _ = try connection.callBlocking(rpc("Hello", hello))
        _ = try connection.callBlocking(
            rpc("OpenStore", OpenStoreRequestMessage(name: .init(name: "Notes"), modelID: [])))
    }

    func message(_ method: String, _ request: [UInt8]) throws -> DBusMessage {
        .methodCall(
            to: BusNames.name, path: BusNames.path, interface: BusNames.name, member: method,
            body: [.bytes(request), .array("h", [])])
    }

    func start(_ fetch: [UInt8]) throws {
        connection.call(try message("Fetch", fetch), timeoutMilliseconds: 600_000) { _ in }
    }
}
