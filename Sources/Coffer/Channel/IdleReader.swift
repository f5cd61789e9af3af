internal import CofferLinux
internal import Synchronization

/// The thread that reads a client's channel while nobody calls, and tells observers what came.
///
/// Shared. It sleeps until a push comes or it is woken; a caller takes the socket out of its sight with one system call, and wakes
/// nobody.
final class IdleReader: Sendable {
    private static let wakeToken: UInt64 = 0
    private static let linkToken: UInt64 = 1

    private let epoll: Epoll
    private let wakeFlag: EventFD
    private let isStopped = Atomic(false)
    private let wakeUps = Atomic(0)
    private let link = Mutex<WeakLink>(WeakLink())

    private struct WeakLink {
        weak var link: ChannelLink?
    }

    init() throws(LinuxError) {
        epoll = try Epoll()
        wakeFlag = try EventFD()
        try epoll.add(wakeFlag.number, token: Self.wakeToken, events: .readable)
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
        self.link.withLock { $0.link = link }
        try epoll.add(
            link.socket.descriptor.number, token: Self.linkToken, events: .readable, oneShot: true)
    }

    /// Reads `link` no more.
    func remove(_ link: ChannelLink) {
        try? epoll.remove(link.socket.descriptor.number)  // Fails only where it was not added.
    }

    /// Reads `link` when something comes.
    func arm(_ link: ChannelLink) { set(link, .readable) }

    /// Leaves `link` alone: its callers read.
    func disarm(_ link: ChannelLink) { set(link, []) }

    private func set(_ link: ChannelLink, _ events: EpollEvents) {
        // Fails only while the link is not added yet; its callers read it then.
        try? epoll.modify(
            link.socket.descriptor.number, token: Self.linkToken, events: events, oneShot: true)
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
                if batch[index].token == Self.wakeToken {
                    wakeFlag.drain()
                } else {
                    link.withLock { $0.link }?.readWhileIdle()
                }
            }
            if !work() { return }
        }
    }
}
