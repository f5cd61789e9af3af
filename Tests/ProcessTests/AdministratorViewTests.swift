import CofferDBus
import CofferLinux
import CofferModel
import CofferService
import CofferWire
import TestSupport
import Testing

/// What an administrator sees of a service that works.
struct AdministratorViewTests {
    @Test
    func `the log has the SQL of stores while it is asked for, and never a value`() throws {
        try withService { service in
            let process = try service.startService(
                ["--data", service.data, "--idle-timeout", "0", "--sql-debug", "2"], errors: .pipe)
            let log = try #require(process.errorLines())
            while let line = try log.next(timeout: .seconds(60)), !line.contains("Serving") {}
            let client = try service.channel()
            let store = try client.open()
            try client.insert(["a secret", "another secret"], into: store)
            try setLevel(0, service)
            try client.insert(["a third"], into: store)
            try setLevel(1, service)
            #expect(try client.count(store) == 3)
            try process.kill()
            let lines = try log.rest()
            let inserts = lines.filter { $0.contains("INSERT INTO ZNOTE") }
            try #require(
                inserts.count == 1, "one line for all rows of a save, and none while it is off: \(inserts)")
            #expect(inserts[0].contains("sql.changed=2") && inserts[0].contains("sql.runs=2"), "\(inserts)")
            let counts = lines.filter { $0.contains("COUNT(") && $0.contains("ZNOTE") }
            #expect(counts.map { $0.contains("sql.plan") } == [false], "\(counts)")
            #expect(lines.contains { $0.contains("sql.plan") }, "\(lines)")
            #expect(!lines.joined().contains("secret"))
            #expect(try process.waitForExit() == .code(0))
        }
    }

    @Test
    func `a slow fetch is logged with its SQL and plan, and never a value`() throws {
        try withService { service in
            let process = try service.startService(
                ["--data", service.data, "--idle-timeout", "0", "--slow-fetch", "1"], errors: .pipe)
            let log = try #require(process.errorLines())
            while let line = try log.next(timeout: .seconds(60)), !line.contains("Serving") {}
            let client = try service.channel()
            let store = try client.open()
            // So many that no machine finds them all in a millisecond with a debug build.
            try client.insert((0..<3_000).map { "a secret \($0)" }, into: store)
            let found: FetchReplyMessage = try client.call(
                .fetch, FetchRequestMessage(store: store.handle, fetch: FetchDescription(entityName: "Note")))
            #expect(found.rows?.rowCount == 3_000)
            try process.kill()
            let slow = try log.rest().filter { $0.contains("A fetch was slow") }
            #expect(slow.count == 1, "\(slow)")
            let line = slow.first ?? ""
            for part in ["ZNOTE", "fetch.plan=", "fetch.rows=3000", "fetch.milliseconds=", "entity=Note"] {
                #expect(line.contains(part), "\(part): \(line)")
            }
            #expect(!line.contains("secret"))
            #expect(try process.waitForExit() == .code(0))
        }
    }

    @Test
    func `the environment asks for SQL too, and a level that is none is refused`() throws {
        try withService(environment: ["COFFER_SQL_DEBUG": "2"]) { service in
            _ = try service.channel()
            #expect(try level(service) == 2)
            #expect(throws: DBusError.self) { try setLevel(3, service) }
            #expect(try level(service) == 2)
        }
    }

    @Test
    func `a store counts the work of all its clients, and each client its own`() throws {
        try withService { service in
            let writer = try service.channel()
            let reader = try service.channel()
            let store = try writer.open()
            let own = try reader.open()
            try writer.insert(["a", "b"], into: store)
            try writer.insert(["c"], into: store)
            for _ in 0..<4 { _ = try reader.count(own) }
            let saves = try service.clientValues("Saves").map(\.uint64Value)
            #expect(saves == [2, 0] || saves == [0, 2])
            #expect(try service.counter("Saves", ofStore: "Notes") == 2)
            let fetches = try service.clientValues("Fetches").map(\.uint64Value)
            #expect(fetches == [0, 4] || fetches == [4, 0])
            #expect(try service.counter("Fetches", ofStore: "Notes") == 4)
            let trips = try service.clientValues("RoundTrips").compactMap(\.uint64Value)
            #expect(trips.sorted() == [2, 4])
            #expect(try service.counter("RoundTrips", ofStore: "Notes") == 6)
        }
    }

    private func setLevel(_ level: UInt32, _ service: ServiceUnderTest) throws {
        _ = try service.connection().call(
            BusNames.name, path: BusNames.path, interface: BusNames.name, member: "SetSQLDebug",
            body: [.uint32(level)])
    }

    private func level(_ service: ServiceUnderTest) throws -> UInt32? {
        let reply = try service.connection().call(
            BusNames.name, path: BusNames.path, interface: "org.freedesktop.DBus.Properties", member: "Get",
            body: [.string(BusNames.name), .string("SQLDebug")])
        return try reply.argument(0) { $0.unwrapped.uint32Value }
    }
}
