import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import TestSupport
import Testing

/// How many calls race with the end of the service.
private let rounds = CurrentProcess.environment["COFFER_TEST_IDLE_ROUNDS"].flatMap { Int($0) } ?? 1_000

extension OneAtATime {
    @Suite(.serialized) struct IdleExitTests {
        @Test(.timeLimit(.minutes(4)), arguments: Seed.fresh(1))
        func `no call is lost that races with the idle exit`(seed: Seed) throws {
            try withService(arguments: ["--idle-timeout", "0.002"]) { service in
                var random = seed.generator()
                let moment = try RandomMoment()
                let connection = try service.connection()
                var pids: Set<Int32> = []
                for round in 0..<rounds {
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
                    "idle exit: \(rounds) calls, answered by at least \(pids.count) processes, COFFER_SEED=\(seed)"
                )
                #expect(pids.count > rounds / 10, "the service hardly ever ended")
            }
        }

        @Test(.timeLimit(.minutes(4)), arguments: Seed.fresh(1))
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

        @Test(.timeLimit(.minutes(1)))
        func `a service that nobody uses ends, and one with a channel stays`() throws {
            try withService(arguments: ["--idle-timeout", "0.05"]) { service in
                let channel = try service.channel()
                let pid = try service.pid()
                let store = try channel.open()
                // Another client comes and goes, and leaves the service idle but for the channel, which must not be hung up.
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
