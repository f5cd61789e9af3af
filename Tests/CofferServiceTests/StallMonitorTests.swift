import CofferLinux
import CofferService
import Testing

@Suite struct StallMonitorTests {
    @Test func `a worker is started whenever all remain at the same calls`() throws {
        let watch = StallMonitor()
        let shares = FairScheduler(of: 2) { watch.check() }
        let started = ConditionLock(0)
        let thread = try WorkerThread(name: "watch") {
            watch.watch(shares, patience: .milliseconds(1)) {
                #expect(!shares.hasIdleWorker)
                _ = shares.becomeIdle()  // The new one.
                started.withLock { $0 += 1 }
                started.signal()
            }
        }
        for _ in 0..<2 { _ = shares.becomeIdle() }
        shares.becomeBusy()
        for count in 1...3 {
            shares.becomeBusy()
            started.wait { $0 == count ? () : nil }
        }
        watch.end()
        thread.join()
        #expect(started.withLock { $0 } == 3 && shares.hasIdleWorker)
    }

    @Test func `a watch ends also where all are busy`() throws {
        let watch = StallMonitor()
        let shares = FairScheduler(of: 1) { watch.check() }
        let asked = ConditionLock(false)
        let thread = try WorkerThread(name: "watch") {
            watch.watch(shares, patience: .milliseconds(1)) {
                asked.withLock { $0 = true }
                asked.signal()
            }
        }
        _ = shares.becomeIdle()
        shares.becomeBusy()
        asked.wait { $0 ? () : nil }
        watch.end()
        thread.join()
    }
}
