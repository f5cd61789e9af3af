import CofferLinux
import CofferWire
import Logging
import Synchronization

/// Watches all channels and the queue of bus calls, and hands what comes to the workers.
///
/// Shared. Workers wait in one epoll set; a channel is one-shot in it, so that one worker has it at a time.
final class Reactor: Sendable {
    private struct State {
        var channels: [UInt64: ServerChannel] = [:]
        var writers: [UInt64: OwnedDescriptor] = [:]
        var sources: [UInt64: @Sendable () -> Void] = [:]
        var nextToken: UInt64 = 1
    }

    private static let wakeToken: UInt64 = 0
    /// Set in tokens of the duplicate descriptors that are watched for writing only.
    private static let writeBit: UInt64 = 1 << 63
    private static let armed: EpollEvents = [.readable, .peerClosed]

    private let epoll: Epoll
    private let wake: EventFD
    private let jobs = Mutex<FIFO<@Sendable () -> Void>>([])
    private let stopping = Atomic<Bool>(false)
    private let state = Mutex(State())
    private let logger: Logger
    /// What decides which connection, client or user may have a worker.
    let shares: FairScheduler
    /// What makes sure that there are enough workers.
    let watch: StallMonitor

    init(workers: Int, logger: Logger) throws(LinuxError) {
        self.logger = logger
        let watch = StallMonitor()
        self.watch = watch
        shares = FairScheduler(of: workers) { watch.check() }
        epoll = try Epoll()
        wake = try EventFD()
        try epoll.add(wake.number, token: Self.wakeToken, events: .readable, edgeTriggered: true)
    }

    /// Calls `handler` on a worker whenever `number` becomes readable, or what else `events` says.
    func addSource(
        _ number: Int32, for events: EpollEvents = .readable, _ handler: @escaping @Sendable () -> Void
    ) throws(LinuxError) {
        let token = state.withLock { state in
            defer { state.nextToken += 1 }
            state.sources[state.nextToken] = handler
            return state.nextToken
        }
        try epoll.add(number, token: token, events: events, edgeTriggered: true)
    }

    /// Whether the workers are to return.
    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Whether a worker waits for something to do: then nothing waits for a worker.
    var hasIdleWorker: Bool { shares.hasIdleWorker }

    /// Runs `job` on a worker.
    func run(_ job: @escaping @Sendable () -> Void) {
        jobs.withLock { $0.append(job) }
        wake.signal()
    }

    /// Runs `work` on a worker when it is the turn of `share`.
    func run(for share: WorkAccount, _ work: @escaping @Sendable () -> Void) {
        shares.add(share, work)
        wake.signal()
    }

    /// Makes every worker return after what it is at.
    func stop() {
        stopping.store(true, ordering: .relaxed)
        wake.signal()
    }
}

extension Reactor {
    /// Watches a new channel.
    func add(_ socket: Socket, session: Session, spillFolder: Folder) throws(LinuxError) -> ServerChannel {
        let channel = state.withLock { state in
            defer { state.nextToken += 1 }
            let channel = ServerChannel(
                token: state.nextToken, socket: socket, session: session, reactor: self,
                spillFolder: spillFolder)
            state.channels[channel.token] = channel
            return channel
        }
        do throws(LinuxError) {
            try epoll.add(
                socket.descriptor.number, token: channel.token, events: EpollEvents(), oneShot: true)
        } catch {
            state.withLock { $0.channels[channel.token] = nil }
            throw error
        }
        return channel
    }

    /// Forgets a channel and ends it.
    func remove(_ channel: ServerChannel) {
        let writer = state.withLock { state in
            state.channels[channel.token] = nil
            return state.writers.removeValue(forKey: channel.token)
        }
        forget(channel.stream.socket.descriptor)
        if let writer { forget(writer) }
    }

    /// Tells of the channel when something comes.
    func arm(_ channel: ServerChannel) {
        watch(channel.stream.socket.descriptor, token: channel.token, for: Self.armed)
    }

    /// Stops reporting events of the channel.
    func disarm(_ channel: ServerChannel) {
        watch(channel.stream.socket.descriptor, token: channel.token, for: EpollEvents())
    }

    /// Tells when the channel's socket can be written.
    func waitUntilWritable(_ channel: ServerChannel) {
        do throws(LinuxError) {
            if let writer = state.withLock({ $0.writers[channel.token] }) {
                return watch(writer, token: channel.token | Self.writeBit, for: .writable)
            }
            // A second descriptor of the socket, since the first belongs to the thread that reads.
            let writer = try channel.stream.socket.descriptor.duplicate()
            let isFirst = state.withLock { state in
                guard state.channels[channel.token] != nil, state.writers[channel.token] == nil else {
                    return false
                }
                state.writers[channel.token] = writer
                return true
            }
            guard isFirst else { return }  // The channel is gone, or another thread was here first.
            try epoll.add(
                writer.number, token: channel.token | Self.writeBit, events: .writable, oneShot: true)
        } catch {
            logger.warning("A channel that cannot be watched is closed", metadata: ["error": "\(error)"])
            channel.stream.shutDown()
        }
    }

    private func watch(_ descriptor: OwnedDescriptor, token: UInt64, for events: EpollEvents) {
        do throws(LinuxError) {
            try epoll.modify(descriptor.number, token: token, events: events, oneShot: true)
        } catch {
            // The channel was removed meanwhile.
            logger.debug("A channel is not watched any more", metadata: ["error": "\(error)"])
        }
    }

    private func forget(_ descriptor: OwnedDescriptor) {
        do throws(LinuxError) {
            try epoll.remove(descriptor.number)
        } catch {
            logger.debug("A channel was not watched", metadata: ["error": "\(error)"])
        }
    }
}

extension Reactor {
    /// What a worker does, until `stop`: waits, and hands what came to `serve`, which owns the channel it is
    /// given.
    func work(_ serve: (ServerChannel) -> Void) {
        var batch = EpollBatch(capacity: 1)  // One event a worker: the others are for the others.
        while !isStopping {
            do throws(LinuxError) {
                if try wait(into: &batch) { handle(batch[0], serve) }
            } catch {
                logger.critical("epoll failed", metadata: ["error": "\(error)"])
                return
            }
        }
        _ = runLast()  // Calls that were taken are answered.
        wake.signal()  // The next one.
    }

    /// Runs all that still waits for a worker, after `stop`; says whether anything did.
    func runLast() -> Bool {
        var isAny = false
        while runJob() { isAny = true }
        while let work = shares.takeLast() {
            work()
            isAny = true
        }
        return isAny
    }

    /// Waits until something comes, or does what waits for a worker; `true` if something came.
    private func wait(into batch: inout EpollBatch) throws(LinuxError) -> Bool {
        guard let (work, hasMore) = shares.becomeIdle() else {
            defer { shares.becomeBusy() }
            return try epoll.wait(into: &batch) > 0
        }
        if hasMore { wake.signal() }
        work()
        // Work that makes work must not keep channels, timers and signals waiting.
        return try epoll.wait(into: &batch, timeoutMilliseconds: 0) > 0
    }

    private func handle(_ event: EpollEvent, _ serve: (ServerChannel) -> Void) {
        if event.token == Self.wakeToken {
            // One, and then what has come elsewhere: jobs that make jobs must not keep channels, timers and
            // signals waiting.
            _ = wake.drain()
            _ = runJob()
            return
        }
        let token = event.token & ~Self.writeBit
        let (found, source) = state.withLock { ($0.channels[token], $0.sources[token]) }
        source?()
        guard let channel = found else { return }
        if event.token & Self.writeBit != 0 {
            channel.becameWritable()
            if !channel.isCongested, channel.unpark() { serve(channel) }
        } else if channel.takeAfterEvent() {
            serve(channel)
        }
    }

    /// Runs the job that waits longest; `false` if there is none.
    private func runJob() -> Bool {
        let (job, more) = jobs.withLock { jobs in
            (jobs.popFirst(), !jobs.isEmpty)
        }
        guard let job else { return false }
        if more { wake.signal() }  // Another worker may help.
        job()
        return true
    }
}
