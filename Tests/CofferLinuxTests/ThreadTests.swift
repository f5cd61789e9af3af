import CofferLinux
import Glibc
import Testing

/// An expectation may change what it is given in place, but no variable around it.
private func spin(_ policy: inout SpinPolicy, until attempt: () -> Bool) -> Bool {
    policy.spin(until: attempt)
}

@Test
func `a worker has its name and can be joined twice`() throws {
    let name = ConditionLock("")
    let thread = try WorkerThread(name: "coffer-worker-17", stackByteCount: 100_000) {
        name.withLock { $0 = WorkerThread.currentName }
    }
    thread.join()
    thread.join()
    #expect(name.withLock { $0 } == "coffer-worker-1")
}

@Test
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

@Test func `spinning stops where waits are long, and begins again where they are short`() {
    var policy = SpinPolicy(limit: .milliseconds(1), processorCount: 2)
    #expect(policy.isSpinning, "nothing is known yet")
    var attempts = 0
    #expect(
        spin(&policy) {
            attempts += 1
            return attempts == 3
        })
    // Waits that outlast the moment by far.
    for _ in 0..<4 {
        _ = spin(&policy) { false }
        Waiting.pass(.milliseconds(9))
        policy.ended()
    }
    #expect(!policy.isSpinning)
    attempts = 0
    #expect(
        !spin(&policy) {
            attempts += 1
            return true
        })
    #expect(attempts == 0, "it sits the wait out")
    policy.ended()
    // Waits that were slept through, but short: now spinning would pay.
    for _ in 0..<12 {
        _ = spin(&policy) { true }
        policy.ended()
    }
    #expect(policy.isSpinning)
}

@Test func `spinning is tried again though each wake-up takes some moments`() {
    var policy = SpinPolicy(limit: .milliseconds(1), processorCount: 2)
    var waits = 0
    repeat {
        _ = spin(&policy) { false }
        Waiting.pass(.milliseconds(3))
        policy.ended()
        waits += 1
    } while policy.isSpinning && waits < 8
    #expect(!policy.isSpinning)
    repeat {
        _ = spin(&policy) { false }
        Waiting.pass(.milliseconds(3))
        policy.ended()
        waits += 1
    } while !policy.isSpinning && waits < 40
    #expect(policy.isSpinning)
}

/// Lets time pass, which is what the test is about.
private enum Waiting {
    static func pass(_ time: Duration) {
        let end = Monotonic.now + time.wholeNanoseconds
        while Monotonic.now < end {}
    }
}

@Test func `spins that run out are followed by sleeps, and each attempt that fails by more of them`() {
    var state = SpinState.spinning(misses: 0)
    for misses in 1..<SpinState.tolerance {
        state = state.transition(on: .miss)
        #expect(state == .spinning(misses: misses))
        #expect(state.transition(on: .hit) == .spinning(misses: 0))
    }
    state = state.transition(on: .miss)
    var pauses: [Int] = []
    for _ in 0..<8 {
        var sleeps = 0
        while !state.isSpinning {
            state = state.transition(on: .shortSleep)
            sleeps += 1
        }
        pauses.append(sleeps)
        state = state.transition(on: .miss)
    }
    #expect(pauses == [8, 16, 32, 64, 128, 256, 256, 256])
    while !state.isSpinning { state = state.transition(on: .shortSleep) }
    #expect(state.transition(on: .hit) == .spinning(misses: 0))
}

@Test func `long sleeps change nothing, and nothing but a miss or a crowd ends the spinning`() {
    let states: [SpinState] = [
        .spinning(misses: 0), .spinning(misses: 1), .trying(pause: 8), .sleeping(left: 3, pause: 8),
    ]
    for state in states {
        #expect(state.transition(on: .longSleep) == state)
        for event in SpinEvent.allCases where event != .miss && event != .crowded && state.isSpinning {
            #expect(state.transition(on: event).isSpinning)
        }
    }
    #expect(SpinState.spinning(misses: 0).transition(on: .crowded) == .spinning(misses: 1))
    #expect(SpinState.spinning(misses: 2).transition(on: .crowded) == .sleeping(left: 8, pause: 8))
    #expect(SpinState.trying(pause: 8).transition(on: .crowded) == .sleeping(left: 16, pause: 16))
    #expect(SpinState.sleeping(left: 3, pause: 8).transition(on: .crowded) == .sleeping(left: 3, pause: 8))
    #expect(SpinState.sleeping(left: 3, pause: 8).transition(on: .miss) == .sleeping(left: 3, pause: 8))
    #expect(SpinState.sleeping(left: 3, pause: 8).transition(on: .hit) == .sleeping(left: 3, pause: 8))
}

@Test func `one processor never spins`() {
    var policy = SpinPolicy(processorCount: 1)
    #expect(!policy.isSpinning)
    #expect(!spin(&policy) { true })
    #expect(Processors.available >= 1)
}

@Test func `clocks agree on the time`() {
    let difference = Double(time(nil)) - WallClock.secondsSince2001
    #expect(abs(difference - 978_307_200) < 2)
    let first = Monotonic.now
    #expect(Monotonic.now >= first)
    #expect(Duration.milliseconds(1500).wholeNanoseconds == 1_500_000_000)
    #expect(Duration.seconds(-1).wholeNanoseconds == 0)
    #expect(Duration.seconds(Int64.max).wholeNanoseconds == 3_000_000_000_000_000_000)
}

@Test
func `a thread that idles is given its priority back by another one`() throws {
    let idleness = ConditionLock<IOPriority.Idleness?>(nil)
    let states = ConditionLock<[Bool]>([])
    let thread = try WorkerThread(name: "idler") {
        idleness.withLock { $0 = IOPriority.beginIdling() }
        idleness.signal()
        states.withLock { $0.append(IOPriority.isIdle) }
        states.signal()
        _ = idleness.wait { $0 == nil ? true : nil }
        states.withLock { $0.append(IOPriority.isIdle) }
    }
    let began = idleness.wait { $0 }
    _ = states.wait { $0.count == 1 ? true : nil }
    began.end()
    idleness.withLock { $0 = nil }
    idleness.signal()
    thread.join()
    #expect(states.withLock { $0 } == [true, false])
    #expect(!IOPriority.isIdle, "the thread that gave it back had the ordinary one all the time")
}
