import CofferDBus
import CofferLinux
import Foundation
import TestSupport
import Testing

struct ConnectionTests {
    @Test func `a name is taken, refused to others, and its release is announced`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let service = try bus.connect()
        let client = try bus.client()
        let name = "org.coffer.Test1"
        try client.ask(.addMatch(.nameOwnerChanged(name)))
        #expect(try service.ask(.requestName(name)) == .primaryOwner)
        #expect(try service.ask(.requestName(name)) == .alreadyOwner)
        #expect(try client.ask(.requestName(name)) == .exists)
        #expect(try client.ask(.owner(of: name)) == service.uniqueName)
        #expect(try client.ask(.names).contains(name))
        #expect(try service.ask(.releaseName(name)) == .released)
        #expect(try service.ask(.releaseName(name)) == .nonExistent)
        #expect(
            try Self.next("NameOwnerChanged", client) == [
                .string(name), .string(""), .string(service.uniqueName),
            ])
        #expect(
            try Self.next("NameOwnerChanged", client) == [
                .string(name), .string(service.uniqueName), .string(""),
            ])
        service.close()
    }

    @Test func `a match delivers a signal until it is removed`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let heard = Collector<[DBusValue]>()
        let listener = try bus.connect(
            DBusHandlers(onSignal: { _, signal in
                if signal.interface == "org.coffer.Test" { heard.add(signal.body) }
            }))
        let sender = try bus.connect()
        let match = DBusMatch(interface: "org.coffer.Test", member: "Saved")
        func emit(_ number: UInt32, to destination: String? = nil) throws {
            try sender.send(
                .signal(
                    path: "/test", interface: "org.coffer.Test", member: "Saved", body: [.uint32(number)],
                    to: destination))
            try sender.flush()
        }
        try emit(0)
        try sender.ask(.ping)  // The bus has it before it hears of the match.
        try listener.ask(.addMatch(match))
        try emit(1)
        #expect(heard.wait(for: 1) == [[.uint32(1)]])
        try listener.ask(.removeMatch(match))
        try emit(2)
        try emit(3, to: listener.uniqueName)
        #expect(heard.wait(for: 2) == [[.uint32(1)], [.uint32(3)]])
        listener.close()
        sender.close()
    }

    @Test func `an error reply carries one text, as GLib reads it`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let calls = Collector<DBusMessage>()
        let service = try bus.connect(DBusHandlers(onMethodCall: { calls.add($1) }))
        let answering = try WorkerThread(name: "answer") {
            let name = "org.coffer.Storage1.Error.NotFound"
            try? service.replyError(to: calls.wait(for: 1)[0], name: name, message: "No store")
        }
        let expected = DBusError.remote(name: "org.coffer.Storage1.Error.NotFound", message: "No store")
        #expect(throws: expected) { try bus.client().echo(service.uniqueName, []) }
        let call = DBusMessage.methodCall(to: "org.x", path: "/", interface: "org.x", member: "X")
        #expect(DBusMessage.errorReply(to: call, name: "org.x.Error", message: "x").signature == "s")
        answering.join()
        service.close()
    }

    @Test func `a call to nobody says so`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let client = try bus.client()
        let error = #expect(throws: DBusError.self) { try client.echo("org.coffer.Nobody", []) }
        #expect(error?.isNameNotOwned == true)
        #expect(throws: DBusError.self) { try client.ask(.owner(of: "org.coffer.Nobody")) }
        let service = try bus.connect()
        let refusal = #expect(throws: DBusError.self) { try client.echo(service.uniqueName, []) }
        guard case .remote(DBusErrorName.unknownMethod, _) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        service.close()
    }

    @Test func `a call makes the bus start its callee`() throws {
        let failing = PrivateBus.Service(name: "org.coffer.Started", executable: "/bin/false")
        let bus = try PrivateBus(services: [failing])
        defer { bus.stop() }
        let error = #expect(throws: DBusError.self) { try bus.client().echo("org.coffer.Started", []) }
        #expect(error?.isNameNotOwned == false)
        guard case .remote("org.freedesktop.DBus.Error.Spawn.ChildExited", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a forged answer is not taken for the callee's`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let calls = Collector<DBusMessage>()
        let service = try bus.connect(DBusHandlers(onMethodCall: { calls.add($1) }))
        let forger = try bus.connect()
        let caller = try bus.connect()
        let results = Collector<[DBusValue]?>()
        caller.call(.methodCall(to: service.uniqueName, path: "/", interface: "a.b", member: "M")) { result in
            results.add(try? result.get().body)
        }
        let call = calls.wait(for: 1)[0]
        try forger.reply(to: call, body: [.string("forged")])
        try forger.flush()
        try service.reply(to: call, body: [.string("true")])
        #expect(results.wait(for: 1) == [[.string("true")]])
        for connection in [service, forger, caller] { connection.close() }
    }

    @Test func `a call that nobody answers ends after its time, in both faces`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let silent = try bus.connect(DBusHandlers(onMethodCall: { _, _ in }))
        let call = DBusMessage.methodCall(to: silent.uniqueName, path: "/", interface: "a.b", member: "Wait")
        let client = try bus.client()
        #expect(throws: DBusError.timeout(milliseconds: 30)) {
            try client.call(call, timeoutMilliseconds: 30)
        }
        let other = try bus.connect()
        #expect(throws: DBusError.timeout(milliseconds: 30)) {
            try other.callBlocking(call, timeoutMilliseconds: 30)
        }
        try other.flush()
        try client.ask(.ping)
        silent.close()
        other.close()
    }

    @Test func `the end of the bus is noticed, and ends calls that wait`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let gone = Handle()
        let service = try bus.connect(
            DBusHandlers(onMethodCall: { _, _ in }, onDisconnect: { gone.signal() }))
        let client = try bus.client()
        let results = Collector<DBusError?>()
        service.call(.methodCall(to: service.uniqueName, path: "/", interface: "a.b", member: "Wait")) {
            result in
            if case .failure(let error) = result { results.add(error) } else { results.add(nil) }
        }
        try service.flush()
        bus.stop()
        gone.wait()
        #expect(results.wait(for: 1) == [.disconnected])
        #expect(throws: DBusError.disconnected) { try client.echo("a.b", []) }
        #expect(throws: DBusError.disconnected) {
            while try client.nextSignal(timeoutMilliseconds: 1_000) != nil {}
        }
        #expect(throws: DBusError.disconnected) { try service.flush() }
        service.close()
        service.close()
        #expect(service.post { _ in } == false)
        #expect(throws: DBusError.self) { try bus.client() }
    }

    @Test func `eight threads call at once, and each gets its own answers`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let service = try bus.echo()
        let caller = try bus.connect()
        let wrong = Collector<String>()
        let threads = try (0..<8).map { (thread: UInt32) in
            try WorkerThread(name: "caller") {
                for number in 0..<200 {
                    let body: [DBusValue] = [.uint32(thread), .int64(Int64(number)), .bytes([UInt8(thread)])]
                    let call = DBusMessage.methodCall(
                        to: service.uniqueName, path: "/echo", interface: "a.b", member: "Echo", body: body)
                    do throws(DBusError) {
                        let reply = try caller.callBlocking(call)
                        if reply.body != body { wrong.add("\(reply.body)") }
                    } catch {
                        wrong.add("\(error)")
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(wrong.count == 0)
        caller.close()
        service.close()
    }

    @Test func `the bus names the process behind a connection`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let service = try bus.connect()
        let client = try bus.client()
        let credentials = try service.ask(.credentials(of: client.uniqueName))
        #expect(credentials.uid == getuid())
        #expect(credentials.pid == UInt32(getpid()))
        let answers = Collector<DBusCredentials?>()
        service.ask(.credentials(of: client.uniqueName)) { answers.add(try? $0.get()) }
        #expect(answers.wait(for: 1)[0]?.uid == getuid())
        service.close()
    }

    @Test func `what was sent before close arrives`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let client = try bus.client()
        let sender = try bus.connect()
        for number in 0..<100 {
            let body: [DBusValue] = [.int32(Int32(number)), .bytes(Array(repeating: 1, count: 10_000))]
            try sender.send(
                .signal(path: "/", interface: "a.b", member: "S", body: body, to: client.uniqueName))
        }
        sender.close()
        for number in 0..<100 { #expect(try Self.next("S", client).first == .int32(Int32(number))) }
    }

    @Test func `an idle connection's thread sleeps`() throws {
        let bus = try PrivateBus()
        defer { bus.stop() }
        let echo = try bus.echo()
        let idle = try bus.connect()
        let places = Collector<String>()
        idle.post { _ in
            places.add(
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? "")
        }
        let file = "/proc/\(places.wait(for: 1)[0])/status"
        try idle.flush()  // What the bus sends to each newcomer has come before the answer.
        let before = try Self.switches(file)
        let client = try bus.client()
        for _ in 0..<200 { _ = try client.echo(echo.uniqueName, [.byte(1)]) }
        // It may still have been on its way to sleep at first.
        #expect(try Self.switches(file) <= before + 5)
        echo.close()
        idle.close()
    }

    /// How often a thread has gone to sleep.
    private static func switches(_ file: String) throws -> Int {
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("voluntary_ctxt_switches") })
        return try #require(line.split(separator: "\t").last.flatMap { Int($0) })
    }

    private static func next(_ member: String, _ client: DBusClient) throws -> [DBusValue] {
        while true {
            let signal = try #require(try client.nextSignal(timeoutMilliseconds: 10_000))
            if signal.member == member { return signal.body }
        }
    }
}

/// An event that happens once.
final class Handle: Sendable {
    private let happened = ConditionLock(false)

    func signal() {
        happened.withLock { $0 = true }
        happened.broadcast()
    }

    func wait() { happened.wait { $0 ? () : nil } }
}
