import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

/// What the service does when descriptors run out, or a user's quota of the disk.
extension OneAtATime {
    @Suite(.serialized) struct ExhaustionTests {
        /// Bounds the descriptors that a process may have.
        private func limit(_ service: ServiceUnderTest, to count: Int) throws {
            let pid = try #require(try service.pid())
            try run("prlimit", ["--pid", "\(pid)", "--nofile=\(count):\(count)"])
        }

        @Test
        func `stores that nobody uses give their descriptors back to clients that open others`() throws {
            try withService { service in
                let client = try service.channel()
                let first = try client.open("First")
                try limit(service, to: try service.descriptorCount() + 60)
                for number in 0..<40 {
                    let store = try client.open("Store\(number)")
                    try client.insert(["x"], into: store)
                    let _: EmptyMessage = try client.call(
                        .closeStore, CloseStoreRequestMessage(store: store.handle))
                }
                try client.insert(["Milk"], into: first)
                let other = try service.channel()
                #expect(try other.count(other.open("Store7")) == 1)
            }
        }

        @Test
        func `descriptors that have run out are told as that, and come back`() throws {
            try withService { service in
                let client = try service.channel()
                _ = try client.open("First")
                try limit(service, to: try service.descriptorCount() + 40)
                var stores: [OpenNotes] = []
                do {
                    for number in 0..<40 { stores.append(try client.open("Store\(number)")) }
                    Issue.record("all could be opened")
                } catch let refusal as Refusal {
                    #expect(refusal.code == .resourceExhausted, "\(refusal)")
                    #expect(refusal.reason == "out_of_descriptors", "\(refusal)")
                }
                for store in stores {
                    let _: EmptyMessage = try client.call(
                        .closeStore, CloseStoreRequestMessage(store: store.handle))
                }
                let late = try client.open("Late")
                try client.insert(["Milk"], into: late)
            }
        }

        @Test(
            .enabled(if: CurrentProcess.userID == 0, "a service of all users is started as root"))
        func `a user of the system's service takes at most its quota of the disk`() throws {
            try withService(arguments: ["--idle-timeout", "0", "--user-quota", "2"], isSystem: true) {
                service in
                let client = try service.channel()
                let store = try client.open()
                let text = String(repeating: "x", count: 100_000)
                var saved = 0
                do {
                    while saved < 100 {
                        try client.insert([text], into: store)
                        saved += 1
                    }
                    Issue.record("the quota was passed")
                } catch let refusal as Refusal {
                    #expect(refusal.code == .resourceExhausted && refusal.reason == "quota", "\(refusal)")
                }
                #expect(saved > 2)
                #expect(throws: Refusal.self) { try client.open("Another") }
                #expect(try client.count(store) == saved)
            }
        }

        @Test(
            .enabled(if: CurrentProcess.userID == 0, "a service of all users is started as root"))
        func `a client that leaves hundreds of large answers unread shuts nobody out of the system's bus`()
            throws
        {
            try withService(isSystem: true) { service in
                try withTemporaryFolder { folder in
                    let owner = try service.channel()
                    let store = try owner.open()
                    for _ in 0..<2 {
                        try owner.insert([String(repeating: "x", count: 700_000)], into: store)
                    }
                    let reader = try PythonProgram(messagesIn: folder).start(
                        "unread", ["600"], on: service.bus)
                    defer { try? reader.kill(.kill) }
                    let lines = try #require(reader.outputLines())
                    #expect(try lines.next(timeout: .seconds(60)) == "sent")
                    // Of calls that are not answered, the system's bus lets through 128 of one caller.
                    try waitUntil("many calls are carried out") {
                        try service.counter("Fetches", ofStore: "Notes") >= 100
                    }
                    for _ in 0..<100 { #expect(try service.channel().open().handle > 0) }
                    #expect(try service.descriptorCount() < 200)
                }
            }
        }

        @Test
        func `many large answers at once all come to a client that reads`() throws {
            try withService { service in
                _ = try service.channel().open()
                let connection = try DBusConnection(to: .explicit(service.bus.address))
                defer { connection.close() }
                let client = UUID()
                let store = try BudgetTests().openNotes(over: connection, client)
                for number in 1...3 {
                    let id = RequestIDMessage(client: client, sequence: UInt64(number), acknowledged: 0)
                    _ = try connection.callBlocking(
                        rpc("Save", store.insertion([String(repeating: "x", count: 900_000)], id)))
                }
                let outcomes = Outcomes()
                for _ in 0..<40 {
                    connection.call(try rpc("Fetch", store.fetch()), timeoutMilliseconds: 60_000) {
                        outcomes.add($0)
                    }
                }
                outcomes.wait(for: 40)
                #expect(outcomes.names == ["ok": 40], "\(outcomes.names)")
            }
        }
    }
}
