import CofferLinux
import Testing

/// An expectation may change what it is given in place, but no variable around it.
private func spin(_ policy: inout SpinPolicy, until attempt: () -> Bool) -> Bool {
    policy.spin(until: attempt)
}

@Test(.timeLimit(.minutes(1)))
func `a worker has its name and can be joined twice`() throws {
    let name = ConditionLock("")
    let thread = try WorkerThread(name: "coffer-worker-17", stackByteCount: 100_000) {
        name.withLock { $0 = WorkerThread.currentName }
    }
    thread.join()
    thread.join()
    #expect(name.withLock { $0 } == "coffer-worker-1")
}

@Test(.timeLimit(.minutes(1)))
func `waiting threads see what others put in`() throws {
    let queue = ConditionLock<[Int]>([])
    let sum = ConditionLock(0)
    let workers = try (0..<4).map { i in
        try WorkerThread(name: "taker-\(i)") {
            while true {
                let next = queue.wait { $0.isEmpty ? nil : $0.removeFirst() }
                if next < 0 { return }
                sum.withLock { $0 += next }
            }
        }
    }
    for i in 1...1000 {
        queue.withLock { $0.append(i) }
        queue.signal()
    }
    queue.withLock { $0 += [-1, -1, -1, -1] }
    queue.broadcast()
    for worker in workers { worker.join() }
    #expect(sum.withLock { $0 } == 500_500)
}

@Test func `a wait with a time ends without its condition`() {
    let lock = ConditionLock(0)
    let start = Monotonic.now
    #expect(lock.wait(timeout: .milliseconds(3)) { $0 > 0 ? $0 : nil } == nil)
    #expect(Monotonic.now - start >= 3_000_000)
    #expect(lock.wait(timeout: .zero) { $0 + 1 } == 1)
}

@Test func `spinning stops where it does not pay, and tries again`() {
    var policy = SpinPolicy(limit: .microseconds(1), processorCount: 2)
    var attempts = 0
    for _ in 0..<SpinPolicy.patience {
        #expect(policy.isSpinning)
        #expect(
            !spin(&policy) {
                attempts += 1
                return false
            })
    }
    #expect(attempts > 0)
    attempts = 0
    var satOut = 0
    while !policy.isSpinning {
        #expect(
            !spin(&policy) {
                attempts += 1
                return true
            })
        satOut += 1
    }
    #expect(attempts == 0)
    #expect(satOut > 0)
    #expect(!spin(&policy) { false })
    var satOutNext = 0
    while !policy.isSpinning {
        _ = policy.spin { true }
        satOutNext += 1
    }
    #expect(satOutNext == 2 * satOut)
    #expect(spin(&policy) { true })
    #expect(policy.isSpinning)
}

@Test func `one processor never spins`() {
    var policy = SpinPolicy(processorCount: 1)
    #expect(!policy.isSpinning)
    #expect(!spin(&policy) { true })
    #expect(Processors.available >= 1)
}

@Test func `clocks agree on the time`() {
    let difference = WallClock.secondsSince1970 - WallClock.secondsSince2001
    #expect(abs(difference - 978_307_200) < 1)
    let first = Monotonic.now
    #expect(Monotonic.now >= first)
    #expect(Duration.milliseconds(1500).wholeNanoseconds == 1_500_000_000)
    #expect(Duration.seconds(-1).wholeNanoseconds == 0)
    #expect(Duration.seconds(Int64.max).wholeNanoseconds == 3_000_000_000_000_000_000)
}
