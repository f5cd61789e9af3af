internal import CofferLinux
internal import Synchronization

/// The thread that reads a client's channel while no other thread calls, and tells observers what came.
///
/// Shared. It sleeps until a push comes or it is woken; a caller takes the socket out of its sight with one
/// system call, and wakes no thread. While calls follow each other at once they leave the socket alone, and
/// a timer looks after them.
final class IdleReader: Sendable {
    private static let wakeToken: UInt64 = 0
    private static let linkToken: UInt64 = 1
    private static let timerToken: UInt64 = 2

    private let epoll: Epoll
    private let wakeFlag: EventFD
    private let timer: TimerFD
    private let isStopped = Atomic(false)
    private let wakeUps = Atomic(0)
    private let link = Mutex(Weak<ChannelLink>())

    init() throws(LinuxError) {
        epoll = try Epoll()
        wakeFlag = try EventFD()
        timer = try TimerFD()
        try epoll.add(wakeFlag.number, token: Self.wakeToken, events: .readable)
        try epoll.add(timer.number, token: Self.timerToken, events: .readable)
    }

    /// Starts the thread; after each event it calls `work`, and ends when that says `false`.
    func start(_ work: @escaping @Sendable () -> Bool) throws(LinuxError) {
        _ = try WorkerThread(name: "coffer-channel") { [self] in run(work) }
    }

    /// How often the thread was woken.
    var wakeUpCount: Int { wakeUps.load(ordering: .relaxed) }

    /// Makes the thread call its work.
    func wake() { wakeFlag.signal() }

    /// Ends the thread.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        wake()
    }

    /// Takes over the reading of `link` whenever it is armed.
    func add(_ link: ChannelLink) throws(LinuxError) {
        self.link.withLock { $0.object = link }
        try epoll.add(
            link.stream.socket.descriptor.number, token: Self.linkToken, events: .readable, oneShot: true)
        link.stopExpecting()  // A timer that was started before knew nothing of the link.
    }

    /// Stops reading `link`.
    func remove(_ link: ChannelLink) {
        try? epoll.remove(link.stream.socket.descriptor.number)  // Fails only where it was not added.
    }

    /// Does what the watch over `link` decided.
    func act(_ action: IdleWatch.Action, on link: ChannelLink) {
        switch action {
        case .arm: set(link, .readable)
        case .disarm: set(link, EpollEvents())
        case .startTimer:
            // A timer that cannot be set would leave the socket unwatched.
            do throws(LinuxError) { try timer.arm(after: Limits.expectation) } catch { set(link, .readable) }
        }
    }

    private func set(_ link: ChannelLink, _ events: EpollEvents) {
        // Fails only while the link is not added yet; its callers read it then.
        try? epoll.modify(
            link.stream.socket.descriptor.number, token: Self.linkToken, events: events, oneShot: true)
    }

    private func run(_ work: @Sendable () -> Bool) {
        var batch = EpollBatch()
        while !isStopped.load(ordering: .acquiring) {
            do throws(LinuxError) {
                try epoll.wait(into: &batch)
            } catch {
                return  // Only a descriptor that is none makes this fail.
            }
            wakeUps.add(1, ordering: .relaxed)
            for index in 0..<batch.count {
                switch batch[index].token {
                case Self.wakeToken: wakeFlag.drain()
                case Self.timerToken:
                    timer.drain()
                    link.withLock { $0.object }?.stopExpecting()
                default: link.withLock { $0.object }?.readWhileIdle()
                }
            }
            if !work() { return }
        }
    }
}
