import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import Foundation
import TestSupport
import Testing

/// An event of a trace, as the viewers read it.
private struct TracedEvent: Decodable {
    struct Arguments: Decodable {
        var label: String?
        var entity: String?
        var rows: Int?
        var transaction: Int?
        var name: String?
        var count: Int?
    }

    var name: String
    var cat: String?
    var ph: String
    var ts: Double
    var dur: Double?
    var pid: Int32
    var tid: Int32
    var id: UInt64?
    var args: Arguments?

    /// Whether a flow's point lies on this span.
    func holds(_ point: TracedEvent) -> Bool {
        ph == "X" && pid == point.pid && tid == point.tid && ts <= point.ts && point.ts <= ts + (dur ?? 0)
    }
}

struct TraceProcessTests {
    private struct File: Decodable {
        var traceEvents: [TracedEvent]
    }

    @Test
    func `a save in one process is one flow through the service to the contexts that merge it`() throws {
        try withService { service in
            try withTemporaryFolder { folder in
                // The writer is recorded by 'coffer trace', the reader writes a file of its own.
                let reader = try ClientProcess(
                    service, name: "the reader", environment: ["COFFER_TRACE": folder + "/reader.json"])
                let coffer = try BuiltProducts.path(of: "coffer")
                let writer = try ClientProcess(
                    service, name: "the writer",
                    through: [coffer, "trace", "--output", folder + "/writer.json", "--json", "--"])
                try writer.insert(1, as: "it")
                try reader.ask("fetch", ["as": "it", "sequence": "1"])
                try writer.ask("set", ["as": "it", "title": "secret"])
                let number = try writer.save()
                _ = try reader.ask("waitForMerge", ["number": "\(number)"])
                #expect(try reader.ask("value", ["as": "it"])["title"] == "secret")
                #expect(try reader.end() == .code(0))
                let summary = try writer.rest()
                let text = try String(contentsOfFile: folder + "/writer.json", encoding: .utf8)
                let own = try JSONDecoder().decode(File.self, from: Data(text.utf8)).traceEvents
                let other = try String(contentsOfFile: folder + "/reader.json", encoding: .utf8)
                let others = try JSONDecoder().decode(
                    [TracedEvent].self, from: Data((other.dropLast(2) + "]").utf8))
                #expect(!text.contains("secret") && !other.contains("secret"))

                try checkFlow(of: number, own + others)
                let names = (own + others).filter { $0.name == "process_name" }.compactMap(\.args?.name)
                #expect(Set(names) == ["cofferd", "process-client"], "\(names)")
                let fetch = try #require(others.first { $0.name == "fetch" })
                #expect(fetch.args?.label == "the reader" && fetch.args?.entity == "Entry")
                #expect(own.contains { $0.name == "fetch" && $0.cat == "service" && $0.args?.rows == 1 })
                #expect(summary.contains { $0.contains("the writer") && $0.contains("\"what\":\"save\"") })
            }
        }
    }

    /// Checks that the save, the service's part of it, the push and the merge are spans that one flow goes
    /// through.
    private func checkFlow(of number: Int, _ events: [TracedEvent]) throws {
        func span(_ name: String, _ side: String) throws -> TracedEvent {
            try #require(
                events.first { $0.name == name && $0.cat == side && $0.args?.transaction == number },
                "\(side) \(name)")
        }
        let spans = [
            try span("save", "client"), try span("save", "service"), try span("push", "service"),
            try span("merge", "client"),
        ]
        #expect(Set([spans[0].pid, spans[1].pid, spans[3].pid]).count == 3)
        let points = events.filter { ["s", "t", "f"].contains($0.ph) }
        let start = try #require(points.first { $0.ph == "s" && spans[0].holds($0) })
        let flow = points.filter { $0.id == start.id }
        #expect(flow.map(\.ph).sorted() == ["f", "s", "t", "t"])
        for span in spans { #expect(flow.contains { span.holds($0) }, "\(span.name) of \(span.cat ?? "")") }
        #expect(spans[0].ts <= spans[1].ts && spans[1].ts <= spans[2].ts, "one clock")
    }

    @Test
    func `a follower that does not read keeps nobody waiting, and learns what it missed`() throws {
        try withService { service in
            let client = try service.channel()
            let store = try client.open()
            let follower = LineReader(try follow(service))
            for _ in 0..<8_000 { _ = try client.count(store) }
            var count = 0
            var dropped = 0
            func take(_ line: String) throws {
                let event = try JSONDecoder().decode(TracedEvent.self, from: Data(line.utf8))
                if event.name == "fetch" { count += 1 }
                if event.name == "dropped" { dropped += event.args?.count ?? 0 }
            }
            while let line = try follower.next(timeout: .zero) { try take(line) }
            #expect(count > 100 && count < 8_000)
            _ = try client.count(store)
            while let line = try follower.next(timeout: .seconds(60)) {
                try take(line)
                if dropped > 0 { break }
            }
            #expect(count + dropped == 8_001)
        }
    }

    @Test
    func `there are few followers at once, and those that go make room`() throws {
        try withService { service in
            // No process alone keeps others from it.
            let (second, third) = (try service.otherProcess(), try service.otherProcess())
            var all = try (0..<2).map { _ in try follow(service) }
            #expect(throws: DBusError.self) { _ = try follow(service) }
            all += try (0..<2).map { _ in try follow(second.connection()) }
            for process in [second, third] {
                #expect(throws: DBusError.self) { _ = try follow(process.connection()) }
            }
            all.removeLast()
            // A process that another test starts just now has a copy of what was closed, until its exec.
            try waitUntil("there is room") {
                guard let next = try? follow(third.connection()) else { return false }
                all.append(next)
                return true
            }
            #expect(try service.channel().open().number == 0)
        }
    }

    private func follow(_ service: ServiceUnderTest) throws -> OwnedDescriptor {
        try follow(service.connection())
    }

    private func follow(_ connection: DBusClient) throws -> OwnedDescriptor {
        let reply = try connection.call(
            BusNames.name, path: BusNames.path, interface: BusNames.name, member: "OpenTrace")
        return try reply.argument(0, \.descriptorValue)
    }
}
