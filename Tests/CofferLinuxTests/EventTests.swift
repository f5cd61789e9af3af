import CofferLinux
import Testing

@Test func `one shot descriptors stay silent until armed again`() throws {
    let epoll = try Epoll()
    let flag = try EventFD()
    var batch = EpollBatch()
    try epoll.add(flag.number, token: 77, events: .readable, oneShot: true)
    #expect(try epoll.wait(into: &batch, timeoutMilliseconds: 0) == 0)
    flag.signal()
    flag.signal()
    #expect(try epoll.wait(into: &batch) == 1)
    #expect(batch[0].token == 77)
    #expect(batch[0].events == .readable)
    #expect(try epoll.wait(into: &batch, timeoutMilliseconds: 0) == 0)
    try epoll.modify(flag.number, token: .max, events: .readable, oneShot: true)
    #expect(try epoll.wait(into: &batch, timeoutMilliseconds: 0) == 1)
    #expect(batch[0].token == .max)
    #expect(flag.drain())
    #expect(!flag.drain())
    try epoll.remove(flag.number)
    #expect(throws: LinuxError.self) { try epoll.remove(flag.number) }
}

@Test func `a descriptor armed for nothing is silent`() throws {
    let epoll = try Epoll()
    let flag = try EventFD()
    var batch = EpollBatch()
    flag.signal()
    try epoll.add(flag.number, token: 1, events: .readable)
    #expect(try epoll.wait(into: &batch, timeoutMilliseconds: 0) == 1)
    try epoll.modify(flag.number, token: 1, events: [])
    #expect(try epoll.wait(into: &batch, timeoutMilliseconds: 0) == 0)
}

@Test func `a peer that hangs up is told`() throws {
    let epoll = try Epoll()
    let (left, right) = try SocketPair.make()
    try epoll.add(left.number, token: 1, events: [.readable, .peerClosed])
    Socket(right).shutDown()
    var batch = EpollBatch()
    #expect(try epoll.wait(into: &batch) == 1)
    #expect(batch[0].events.contains([.readable, .peerClosed]))
}

@Test
func `a timer tells once and can be disarmed`() throws {
    let epoll = try Epoll()
    let timer = try TimerFD()
    var batch = EpollBatch(capacity: 1)
    try epoll.add(timer.number, token: 3, events: .readable)
    try timer.arm(after: .milliseconds(2))
    #expect(try epoll.wait(into: &batch) == 1)
    #expect(timer.drain())
    #expect(!timer.drain())
    try timer.arm(after: .zero)
    #expect(try epoll.wait(into: &batch) == 1)
    try timer.disarm()
    #expect(try epoll.wait(into: &batch, timeoutMilliseconds: 0) == 0)
}

@Test
func `a blocked signal is read from its descriptor`() throws {
    // A thread of its own, since what it blocks stays blocked in it.
    let received = ConditionLock<Signal?>(nil)
    let thread = try WorkerThread(name: "signals") {
        #expect(throws: Never.self) {
            let signals = try SignalFD([.hangUp])
            #expect(try signals.read() == nil)
            try ThreadSignal.raise(.hangUp)
            let signal = try signals.read()
            received.withLock { $0 = signal }
        }
    }
    thread.join()
    #expect(received.withLock { $0 } == .hangUp)
}
