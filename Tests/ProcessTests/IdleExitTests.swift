import Coffer
import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import Synchronization
import TestSupport
import Testing

/// How many calls race with the end of the service.
private let rounds = CurrentProcess.environment["COFFER_TEST_IDLE_ROUNDS"].flatMap { Int($0) } ?? 400

/// Calls `body` for so many rounds, and for more of them, ten times as many at most, until enough services
/// have ended.
///
/// On a slow machine, most calls come while a service still runs.
///
/// - Returns: How many rounds there were.
func race(_ rounds: Int, until isEnough: @autoclosure () -> Bool, _ body: (_ round: Int) throws -> Void)
    rethrows -> Int
{
    for round in 0..<(10 * rounds) {
        if round >= rounds, isEnough() { return round }
        try body(round)
    }
    #expect(isEnough(), "the service hardly ever ended")
    return 10 * rounds
}

extension OneAtATime {
    @Suite(.serialized) struct IdleExitTests {
        @Test(arguments: Seed.several(1))
        func `no call is lost that races with the idle exit`(seed: Seed) throws {
            try withService(arguments: ["--idle-timeout", "0.002"]) { service in
                var random = seed.generator()
                let moment = try RandomMoment()
                let connection = try service.connection()
                var pids: Set<Int32> = []
                let calls = try race(rounds, until: pids.count > rounds / 2) { round in
                    // About as long as the service waits: before, at and after the moment in which it ends.
                    try moment.pass(within: 6_000, &random)
                    do {
                        switch round % 3 {
                        case 0:
                            let version = try connection.call(
                                BusNames.name, path: BusNames.path,
                                interface: "org.freedesktop.DBus.Properties",
                                member: "Get", body: [.string(BusNames.name), .string("Version")])
                            #expect(try version.argument(0) { $0.unwrapped.stringValue }.isEmpty == false)
                        case 1:
                            // A session of a name that is new, and goes again.
                            let list: ListStoresReplyMessage = try service.busClient().call(
                                "ListStores", ListStoresRequestMessage())
                            #expect(list.stores.isEmpty)
                        default:
                            let channel = try service.channel()
                            #expect(try channel.call(.listStores, bytes: []).isEmpty)
                        }
                    } catch {
                        Issue.record("call \(round) was lost: \(error), COFFER_SEED=\(seed)")
                    }
                    if let pid = try service.pid() { pids.insert(pid) }
                }
                print(
                    "idle exit: \(calls) calls, answered by at least \(pids.count) processes, COFFER_SEED=\(seed)"
                )
            }
        }

        @Test(arguments: Seed.several(1))
        func `no call of several clients at once is lost that races with the idle exit`(seed: Seed) throws {
            try withService(arguments: ["--idle-timeout", "0.002"]) { service in
                let lost = ConditionLock<[String]>([])
                let moment = try RandomMoment()
                let callers = try (0..<4).map { index in
                    try WorkerThread(name: "caller-\(index)") {
                        var random = Seed(seed.value &+ UInt64(index)).generator()
                        for _ in 0..<rounds / 4 {
                            do {
                                try moment.pass(within: 8_000, &random)
                                let channel = try service.channel()
                                _ = try channel.call(.listStores, bytes: [])
                            } catch {
                                lost.withLock { $0.append("\(error)") }
                            }
                        }
                    }
                }
                for caller in callers { caller.join() }
                let errors = lost.withLock { $0 }
                #expect(errors.isEmpty, "COFFER_SEED=\(seed)")
            }
        }

        @Test(arguments: Seed.several(1))
        func `no call of an application is lost under a manager that ends a service without its name`(
            seed: Seed
        ) throws {
            let service = try ServiceUnderTest(
                arguments: ["--idle-timeout", "0.002"], isMainOfUnit: true)
            defer { service.stop() }
            let manager = try UnitManager(service)
            defer { manager.stop() }
            var random = seed.generator()
            let moment = try RandomMoment()
            let calls = try race(rounds / 2, until: manager.endedCount > rounds / 4) { round in
                try moment.pass(within: 6_000, &random)
                service.expectAnswer(round: round, seed: seed)
            }
            let ended = manager.endedCount
            print("idle exit under a manager: \(calls) calls, \(ended) services, COFFER_SEED=\(seed)")
        }

        @Test
        func `a service that nobody uses ends, and one with a channel stays`() throws {
            try withService(arguments: ["--idle-timeout", "0.05"]) { service in
                let channel = try service.channel()
                let pid = try service.pid()
                let store = try channel.open()
                // Another client comes and goes, and leaves the service idle but for the channel, which must
                // not be hung up.
                _ = try service.busClient()
                #expect(try !channel.socket.waitUntilReadable(timeout: .milliseconds(300)))
                #expect(try service.pid() == pid)
                #expect(try channel.count(store) == 0)
                channel.socket.shutDown()
                try service.waitUntilGone()
            }
        }
    }
}

/// Ends each process that has lost the service's name, at once, as systemd does with a unit of `Type=dbus`.
private final class UnitManager: Sendable {
    private let ended = Atomic<Int>(0)
    private let isStopped = Atomic<Bool>(false)
    private let thread: Mutex<WorkerThread?> = Mutex(nil)

    init(_ service: ServiceUnderTest) throws {
        let address = service.bus.address
        let worker = try WorkerThread(name: "manager") { [weak self] in
            guard let watcher = try? DBusClient(to: .explicit(address)),
                (try? watcher.ask(.addMatch(.nameOwnerChanged(BusNames.name)))) != nil
            else { return }
            while self?.isStopped.load(ordering: .relaxed) == false {
                guard let signal = try? watcher.nextSignal(timeoutMilliseconds: 100) else { continue }
                self?.handle(signal, watcher)
            }
        }
        thread.withLock { $0 = worker }
    }

    /// How many services have lost their name.
    var endedCount: Int { ended.load(ordering: .relaxed) }

    private func handle(_ signal: DBusMessage, _ bus: DBusClient) {
        guard signal.isSignal("org.freedesktop.DBus", "NameOwnerChanged"), signal.body.count == 3,
            let old = signal.body[1].stringValue, !old.isEmpty, signal.body[2].stringValue == ""
        else { return }
        ended.add(1, ordering: .relaxed)
        // It may have gone by itself.
        guard
            let reply = try? bus.call(
                "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
                member: "GetConnectionUnixProcessID", body: [.string(old)]),
            let pid = try? reply.argument(0, \.uint32Value)
        else { return }
        try? ProcessControl.kill(Int32(pid), .terminate)
    }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
        thread.withLock { $0 }?.join()
    }
}
