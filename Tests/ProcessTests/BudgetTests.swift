import CofferDBus
import CofferLinux
import CofferSQLite
import CofferService
import CofferWire
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

extension FaultyDisk {
    /// Takes its time with the next commit until `body` ends, so that no save is answered meanwhile.
    ///
    /// A lock on the file would not do: the service waits for one for two seconds, and then refuses what
    /// waits.
    func hold(_ body: () throws -> Void) throws {
        try inject(SQLiteFault(.hold, at: .sync, on: .wal))
        do {
            try body()
            try heal()
        } catch {
            try heal()
            throw error
        }
    }
}

extension OneAtATime {
    @Suite(.serialized) struct BudgetTests {
        @Test
        func `10,000 outstanding calls on a channel pass the budget, and nobody else notices`() throws {
            try withWitnessOfSlowDisk { service, disk, witness, store in
                let process = try service.otherProcess()
                let flood = try process.channel()
                let own = try flood.open()
                let calls = 10_000
                var refused = 0
                try disk.hold {
                    for _ in 0..<calls {
                        _ = try flood.start(.save, own.insertion(["x"], flood.requestID()).packed())
                    }
                    // All but those within the budget are answered while no save is.
                    try flood.waitForAnswers(calls - 1_024)
                    for _ in 0..<50 { #expect(try witness.count(store) == 1) }
                    refused = try expectTooManyCalls(flood.takeAnswers())
                }
                try flood.waitForAnswers(calls - refused)
                let late = flood.takeAnswers().values
                #expect(late.count + refused == calls)
                #expect(refused >= calls - 2 * 1_024, "so few were refused: \(refused)")
                try witness.insert(["Bread"], into: store)
                try flood.insert(["Eggs"], into: own)
            }
        }

        @Test
        func `4,000 outstanding calls over the bus pass the budget, and nobody else notices`() throws {
            try withWitnessOfSlowDisk { service, disk, witness, store in
                let process = try service.otherProcess()
                let connection = try DBusConnection(to: .explicit(process.address))
                defer { connection.close() }
                let client = UUID()
                let own = try openNotes(over: connection, client)
                let (outcomes, calls) = (Outcomes(), 4_000)
                try disk.hold {
                    for number in 1...UInt64(calls) {
                        let id = RequestIDMessage(
                            client: client, sequence: 1_000 + number, acknowledged: 0)
                        connection.call(
                            try rpc("Save", own.insertion(["x"], id)), timeoutMilliseconds: 60_000
                        ) { outcomes.add($0) }
                    }
                    outcomes.wait(for: calls - 2 * 1_024)
                    #expect(try witness.count(store) == 1)
                }
                outcomes.wait(for: calls)
                let refused = outcomes.names["org.coffer.Storage1.Error.ResourceExhausted"] ?? 0
                #expect(refused >= calls - 3 * 1_024, "\(outcomes.names)")
                #expect(outcomes.names[DBusErrorName.noReply] == nil, "\(outcomes.names)")
                try witness.insert(["Bread"], into: store)
            }
        }

        @Test
        func `calls that wait keep none of the descriptors that came with them`() throws {
            try withWitnessOfSlowDisk { service, disk, witness, store in
                let hostile = try service.channel()
                let own = try hostile.open()
                let pipe = try Pipe.make()
                let many = Array(repeating: pipe.reader, count: 16)
                let before = try service.descriptorCount()
                let calls = 200
                try disk.hold {
                    for _ in 0..<calls {
                        let request = try own.insertion(["x"], hostile.requestID()).packed()
                        _ = try hostile.start(.save, request, descriptors: many)
                    }
                    func pending() throws -> UInt32 {
                        try service.clientValues("PendingCalls").compactMap(\.uint32Value).max() ?? 0
                    }
                    try waitUntil("all calls wait") {
                        _ = try witness.count(store)
                        return try pending() >= calls
                    }
                    let waiting = try service.descriptorCount() - before
                    #expect(waiting < 64, "\(waiting) descriptors wait in the service")
                }
                try hostile.waitForAnswers(calls)
            }
        }

        @Test
        func `calls over the bus that wait keep none of the descriptors that came with them`() throws {
            try withWitnessOfSlowDisk { service, disk, witness, store in
                let connection = try DBusConnection(to: .explicit(service.bus.address))
                defer { connection.close() }
                let client = UUID()
                let own = try openNotes(over: connection, client)
                let pipe = try Pipe.make()
                let before = try service.descriptorCount()
                let (outcomes, calls) = (Outcomes(), 200)
                try disk.hold {
                    func pending() throws -> UInt32 {
                        try service.clientValues("PendingCalls").compactMap(\.uint32Value).max() ?? 0
                    }
                    for number in 1...calls {
                        let id = RequestIDMessage(
                            client: client, sequence: UInt64(number), acknowledged: 0)
                        var call = try rpc("Save", own.insertion(["x"], id))
                        call.body[1] = .array("h", Array(repeating: .unixFD(pipe.reader), count: 16))
                        connection.call(call, timeoutMilliseconds: 600_000) { outcomes.add($0) }
                        // More descriptors that wait for a worker than a connection may have are refused.
                        guard number.isMultiple(of: 50) else { continue }
                        try waitUntil("\(number) calls wait") {
                            try pending() >= number
                        }
                    }
                    #expect(try witness.count(store) == 1)
                    let waiting = try service.descriptorCount() - before
                    #expect(waiting < 64, "\(waiting) descriptors wait in the service")
                }
                outcomes.wait(for: calls)
            }
        }

        /// Opens the store as a client whose UUID is `client`.
        func openNotes(over connection: DBusConnection, _ client: UUID) throws -> OpenNotes {
            _ = try connection.callBlocking(
                rpc(
                    "Hello",
                    HelloRequestMessage(application: "org.coffer.Tests", client: client, processName: "")))
            let opened = try connection.callBlocking(
                rpc("OpenStore", OpenStoreRequestMessage(name: .init(name: "Notes"), modelID: [])))
            guard
                case .opened(let handle) = try OpenStoreReplyMessage(packed: opened.argument(0, \.bytesValue))
            else { throw ServiceUnderTest.Missing() }
            return try OpenNotes(handle)
        }

        @Test
        func `large requests over the bus count until they are answered`() throws {
            try withWitnessOfSlowDisk { service, disk, witness, store in
                let connection = try DBusConnection(to: .explicit(service.bus.address))
                defer { connection.close() }
                let client = UUID()
                let own = try openNotes(over: connection, client)
                func call(_ sequence: UInt64) throws -> DBusMessage {
                    let id = RequestIDMessage(client: client, sequence: sequence, acknowledged: 0)
                    let memory = try padded(own.insertion(["x"], id).packed(), to: 180 << 20)
                    return DBusMessage.methodCall(
                        to: BusNames.name, path: BusNames.path, interface: BusNames.name, member: "Save",
                        body: [.bytes([]), .array("h", [.unixFD(memory)])])
                }
                // Three are more than one client may have, two are not.
                let calls = try (1...3).map(call)
                let outcomes = Outcomes()
                try disk.hold {
                    for call in calls {
                        connection.call(call, timeoutMilliseconds: 60_000) { outcomes.add($0) }
                    }
                    outcomes.wait(for: 1)
                    #expect(outcomes.names == ["org.coffer.Storage1.Error.ResourceExhausted": 1])
                }
                outcomes.wait(for: 3)
                #expect(outcomes.names["ok"] == 2, "\(outcomes.names)")
                // What was counted is given back.
                for sequence in 4...7 { _ = try connection.callBlocking(call(UInt64(sequence))) }
            }
        }

        @Test
        func `requests in frames count with those in memory until they are answered`() throws {
            try withWitnessOfSlowDisk { service, disk, witness, store in
                let client = try service.channel()
                let own = try client.open()
                func request() throws -> [UInt8] { try own.insertion(["x"], client.requestID()).packed() }
                func inFrame() throws -> [UInt8] {
                    let (start, rest) = try head(of: request(), to: 1 << 20)
                    return start + [UInt8](repeating: 0, count: rest)
                }
                for _ in 0..<2 {
                    try disk.hold {
                        for _ in 0..<2 {
                            _ = try client.start(
                                .save, [], descriptors: [padded(request(), to: 250 << 20)],
                                flags: .sealedMemory, byteCount: 250 << 20)
                        }
                        // With what is in memory already, twelve are as many as one client may have.
                        for _ in 0..<16 { _ = try client.start(.save, inFrame()) }
                        try client.waitForAnswers(4)
                        for answer in client.takeAnswers().values {
                            let refusal = Refusal(try ErrorDetailMessage(packed: answer.payload))
                            #expect(refusal.reason == "too_much_requested", "\(refusal)")
                        }
                        #expect(try witness.count(store) >= 1)
                    }
                    // What was counted is given back with the answers.
                    try client.waitForAnswers(2 + 12)
                    #expect(client.takeAnswers().values.allSatisfy { $0.header.status == .ok })
                }
            }
        }

        @Test
        func `large requests of one number count each until it is answered itself`() throws {
            try withWitnessOfSlowDisk { service, disk, witness, store in
                let client = try service.channel()
                let own = try client.open()
                let number: UInt64 = 1_000_001
                func request() throws -> [UInt8] { try own.insertion(["x"], client.requestID()).packed() }
                func start(large byteCount: Int) throws {
                    let header = FrameHeader(
                        kind: .call, method: .save, callID: number, payloadByteCount: byteCount,
                        flags: .sealedMemory, descriptorCount: 1)
                    try client.send(header.bytes, descriptors: [padded(request(), to: byteCount)])
                }
                func take() throws -> Refusal? {
                    do { _ = try client.reply(to: number) } catch let refusal as Refusal { return refusal }
                    return nil
                }
                for _ in 0..<2 {
                    try disk.hold {
                        for _ in 0..<2 { try start(large: 200 << 20) }
                        // The answer of a small call says nothing of the large ones, which wait.
                        let list = FrameHeader(kind: .call, method: .listStores, callID: number)
                        try client.send(list.bytes)
                        #expect(try take() == nil)
                        try start(large: 200 << 20)
                        #expect(try take()?.reason == "too_much_requested")
                    }
                    // Both are given back.
                    try waitUntil("nothing waits") {
                        try service.clientValues("PendingCalls").allSatisfy { $0.uint32Value == 0 }
                    }
                    _ = try client.call(.listStores, bytes: [])  // What was answered before comes before.
                    _ = client.takeAnswers()
                }
            }
        }

        /// The beginning of a message of so many bytes, and how many zeros follow: a field that the
        /// service does not know.
        private func head(of message: [UInt8], to byteCount: Int) -> (start: [UInt8], rest: Int) {
            let rest = byteCount - message.count - 6
            let length = (0..<4).map {
                UInt8(truncatingIfNeeded: rest >> (7 * $0)) & 0x7F | ($0 < 3 ? 0x80 : 0)
            }
            return (message + [0xFA, 0x7F] + length, rest)
        }

        /// A message of so many bytes.
        private func padded(_ message: [UInt8], to byteCount: Int) throws -> OwnedDescriptor {
            let (start, rest) = head(of: message, to: byteCount)
            let builder = try MemfdBuilder()
            try builder.append(start)
            let piece = [UInt8](repeating: 0, count: 1 << 20)
            for start in stride(from: 0, to: rest, by: piece.count) {
                try builder.append(rest - start < piece.count ? Array(piece[..<(rest - start)]) : piece)
            }
            return try builder.seal()
        }

        @Test
        func `what one process leaves unread is counted over all of its connections and channels`() throws {
            try withWitness { service, witness, store in
                try witness.insert(
                    (0..<1_500).map { "\($0) " + String(repeating: "x", count: 100) }, into: store)
                // Each channel says that it is another client, but the bus knows better.
                let greedy = try service.otherProcess()
                let connections = try (0..<4).map { _ in try greedy.connection() }
                let channels = try (connections + connections).map {
                    try RawClient(bus: $0, application: "org.coffer.Greedy")
                }
                let calls = 100
                let name = StoreNameMessage(application: "org.coffer.Tests", name: "Notes")
                for channel in channels {
                    let own = try channel.open(name: name)
                    for _ in 0..<calls { _ = try channel.start(.fetch, own.fetch().packed()) }
                }
                try waitUntil("much is unread") {
                    _ = try witness.count(store)
                    return try service.unreadBytes() >= 6 << 20
                }
                for _ in 0..<50 {
                    _ = try witness.count(store)
                    // Twice the limit, and one answer more on each that is under way when the client is
                    // stopped.
                    #expect(try service.unreadBytes() < 2 * (8 << 20) + 8 * (256 << 10))
                }
                for channel in channels {
                    try channel.waitForAnswers(calls)
                    #expect(channel.takeAnswers().values.allSatisfy { $0.header.status == .ok })
                }
                #expect(try service.unreadBytes() == 0)
            }
        }

        @Test
        func `connections of one process pass its budgets of channels and stores together`() throws {
            try withWitness { service, _, _ in
                let greedy = try service.otherProcess()
                var open: [RawClient] = []
                var refused = 0
                for _ in 0..<300 {
                    do {
                        open.append(try greedy.channel("org.coffer.Greedy"))
                    } catch let refusal as Refusal {
                        #expect(refusal.code == .resourceExhausted && refusal.reason == "too_many_channels")
                        refused += 1
                    }
                }
                #expect(open.count == 256 && refused == 44)
                for (number, channel) in open.prefix(128).enumerated() { _ = try channel.open("S\(number)") }
                let refusal = #expect(throws: Refusal.self) { try open[128].open("Another") }
                #expect(refusal?.reason == "too_many_stores", "\(refusal as Any)")
                let other = try service.channel()
                #expect(try other.count(other.open("Another")) == 0)
                // What was taken is given back.
                open.removeFirst(10)
                try waitUntil("there is room") {
                    do {
                        _ = try greedy.channel("org.coffer.Greedy").open("Another")
                        return true
                    } catch let refusal as Refusal {
                        #expect(refusal.code == .resourceExhausted, "\(refusal)")
                        return false
                    }
                }
            }
        }

        @Test
        func `2,000 channels of one client pass the budget, and another client gets its own`() throws {
            try withWitness { service, _, _ in
                let greedy = try service.connection()
                var open: [RawClient] = []
                var refused = 0
                for _ in 0..<2_000 {
                    do {
                        open.append(try RawClient(bus: greedy, application: "org.coffer.Greedy"))
                    } catch let refusal as Refusal {
                        #expect(refusal.code == .resourceExhausted && refusal.reason == "too_many_channels")
                        refused += 1
                    }
                }
                #expect(open.count == 64 && refused == 1_936)
                let other = try service.channel()
                #expect(try other.count(other.open()) == 1)
                // What was taken is given back.
                open = []
                let again = try service.channel("org.coffer.Greedy")
                #expect(try again.call(.listStores, bytes: []).isEmpty)
            }
        }
    }
}

extension ServiceUnderTest {
    /// Bytes that wait for clients to read them, of all clients.
    func unreadBytes() throws -> Int {
        try clientValues("QueueDepth").reduce(0) { $0 + Int($1.uint64Value ?? 0) }
    }

    /// A property of each client.
    func clientValues(_ name: String) throws -> [DBusValue] {
        let reply = try connection().call(
            BusNames.name, path: BusNames.path, interface: "org.freedesktop.DBus.ObjectManager",
            member: "GetManagedObjects")
        return try reply.argument(0, \.entries).compactMap { object in
            let interfaces = object.value.entries ?? []
            let client = interfaces.first { $0.key.stringValue == "\(BusNames.name).Client" }
            return client?.value.propertyValues?[name]
        }
    }
}

/// How many answers say that too many calls wait; no other error may be among them.
private func expectTooManyCalls(_ answers: [UInt64: RawClient.Answer]) throws -> Int {
    var count = 0
    for answer in answers.values where answer.header.status != .ok {
        let refusal = Refusal(try ErrorDetailMessage(packed: answer.payload))
        #expect(refusal.code == .resourceExhausted && refusal.reason == "too_many_calls", "\(refusal)")
        count += 1
    }
    return count
}
