import CofferService
import Synchronization
import Testing

@Suite struct FairSchedulerTests {
    /// Workers without threads: how many are at work, and what is done when they are at nothing.
    private final class Workers: Sendable {
        let shares: FairScheduler
        let done = Mutex<[String]>([])

        /// All of them idle.
        init(_ count: Int) {
            shares = FairScheduler(of: count)
            for _ in 0..<count { _ = shares.becomeIdle() }
        }

        /// One that is idle wants to be at the work of `share`; it is idle again if it may not.
        func begin(_ share: WorkAccount) -> Bool {
            shares.becomeBusy()
            if shares.begin(share) { return true }
            _ = shares.becomeIdle()
            return false
        }

        /// One that was at the work of `share` ends it, and does what waits.
        func end(_ share: WorkAccount) {
            shares.end(share)
            while let (work, _) = shares.becomeIdle() { work() }
        }

        func add(_ share: WorkAccount, _ name: String) {
            shares.add(share) { [self] in done.withLock { $0.append(name) } }
        }

        var names: [String] { done.withLock { $0 } }
    }

    @Test func `the last worker is for a client that has none`() {
        let workers = Workers(4)
        let (greedy, other) = (WorkAccount(), WorkAccount())
        #expect((0..<4).map { _ in workers.begin(greedy) } == [true, true, true, false])
        #expect(workers.begin(other))
        workers.end(other)
        workers.end(greedy)
        #expect(workers.begin(greedy) && !workers.begin(greedy))
    }

    @Test
    func `workers that are started where long calls hold the first are not for the client that makes those`()
    {
        let workers = Workers(4)
        let (greedy, other) = (WorkAccount(), WorkAccount())
        for _ in 0..<3 { #expect(workers.begin(greedy)) }
        #expect(workers.begin(other))
        for _ in 0..<4 { _ = workers.shares.becomeIdle() }
        #expect(!workers.begin(greedy))
        #expect(workers.begin(other))
    }

    @Test func `a client leaves room for others of its user, and a user for other users`() {
        let workers = Workers(4)
        let (alice, bob) = (WorkAccount(of: .user), WorkAccount(of: .user))
        let clients = (0..<3).map { _ in WorkAccount(in: alice) }
        #expect((0..<3).map { _ in workers.begin(clients[0]) } == [true, true, false])
        #expect(workers.begin(clients[1]))
        #expect(!workers.begin(clients[2]), "that would be the last")
        #expect(workers.begin(WorkAccount(in: bob)))
    }

    @Test func `a process with one connection has all workers but the last, which is for others`() {
        let workers = Workers(4)
        let (greedy, other) = (
            WorkAccount(in: WorkAccount(of: .client)), WorkAccount(in: WorkAccount(of: .client))
        )
        #expect((0..<4).map { _ in workers.begin(greedy) } == [true, true, true, false])
        #expect(workers.begin(other))
    }

    @Test func `no process has all workers, however many connections it makes`() {
        let (count, most) = (32, 8)
        let workers = Workers(4)
        let process = WorkAccount(of: .client)
        var held: [WorkAccount] = []
        for _ in 0..<count {
            let connection = WorkAccount(in: process)
            if workers.begin(connection) { held.append(connection) }
            // Those that are started when all are busy.
            if !workers.shares.hasIdleWorker { _ = workers.shares.becomeIdle() }
        }
        #expect(held.count == most)
        #expect(workers.begin(WorkAccount(in: WorkAccount(of: .client))))
        workers.end(held[0])
        #expect(workers.begin(WorkAccount(in: process)) && !workers.begin(WorkAccount(in: process)))
    }

    @Test func `connections of a process take turns, and each knows that another waits`() {
        let workers = Workers(1)
        let process = WorkAccount(of: .client)
        let (first, second) = (WorkAccount(in: process), WorkAccount(in: process))
        #expect(workers.begin(first) && !first.isAwaited)
        for number in 1...2 { workers.add(first, "first \(number)") }
        workers.add(second, "second")
        #expect(second.isAwaited && first.isAwaited)
        workers.end(first)
        #expect(workers.names == ["first 1", "second", "first 2"])
        #expect(!first.isAwaited)
    }

    @Test func `clients take turns, however many connections one has`() {
        let workers = Workers(1)
        let (many, other) = (WorkAccount(of: .client), WorkAccount(of: .client))
        let busy = WorkAccount(in: other)
        #expect(workers.begin(busy))
        for number in 1...3 { workers.add(WorkAccount(in: many), "many \(number)") }
        workers.add(WorkAccount(in: other), "other")
        workers.end(busy)
        #expect(workers.names == ["many 1", "other", "many 2", "many 3"])
    }

    private func share(_ shares: WorkAccounts, ofProcess id: Int32) -> WorkAccount {
        shares.share(of: .process(userID: 1, processID: id))
    }

    @Test func `nothing is kept of processes that are gone`() {
        let shares = WorkAccounts(of: .client)
        var connection: WorkAccount? = share(shares, ofProcess: 1)
        for id in 2..<Int32(100) { _ = share(shares, ofProcess: id) }
        #expect(shares.count == 2 && connection != nil, "the first and the last")
        connection = nil
        _ = share(shares, ofProcess: 100)
        #expect(shares.count == 1)
    }

    @Test func `instances of one application in sandboxes are one client`() {
        let (count, most) = (32, 8)
        let workers = Workers(4)
        let shares = WorkAccounts(of: .client)
        var held: [WorkAccount] = []
        for _ in 0..<count {
            let instance = shares.share(of: .sandbox(userID: 1, application: "org.coffer.Caged"))
            if workers.begin(instance) { held.append(instance) }
            if !workers.shares.hasIdleWorker { _ = workers.shares.becomeIdle() }
        }
        #expect(held.count == most)
        #expect(workers.begin(shares.share(of: .sandbox(userID: 1, application: "org.coffer.Other"))))
    }

    @Test func `work that waits is done when a worker is free, and clients take turns`() {
        let workers = Workers(1)
        let (first, second, third) = (WorkAccount(), WorkAccount(), WorkAccount())
        #expect(workers.begin(first))
        for number in 1...3 { workers.add(first, "first \(number)") }
        for number in 1...2 { workers.add(second, "second \(number)") }
        workers.add(third, "third")
        workers.end(first)
        #expect(workers.names == ["first 1", "second 1", "third", "first 2", "second 2", "first 3"])
    }

    @Test func `a worker that is at a client's long call keeps the client's work waiting, and nobody else's`()
    {
        let workers = Workers(2)
        let (first, second) = (WorkAccount(), WorkAccount())
        #expect(workers.begin(first))
        #expect(workers.begin(second))
        workers.add(first, "first")
        workers.add(second, "second")
        workers.end(second)
        #expect(workers.names == ["second"])
        workers.end(first)
        #expect(workers.names == ["second", "first"])
    }
}
