internal import CofferLinux
internal import CofferWire
internal import Synchronization

/// The state of a client's connection.
struct ConnectionState: Sendable {
    enum Phase: Sendable {
        /// It was not used yet, or could not be made.
        case none
        /// A thread is making the connection.
        case connecting
        case connected(ChannelLink)
        /// The connection was there, and is to be made again.
        case lost
        case closed
    }

    var phase = Phase.none
    /// What the service said when it was last connected to.
    var greeting: HelloReplyMessage?
    /// Why the last attempts failed, and how many rounds of attempts did.
    var failure: CofferError?
    var failureCount = 0

    /// The link that is there.
    var link: ChannelLink? { if case .connected(let link) = phase { link } else { nil } }
}

/// Connecting, and connecting again.
extension ChannelClient {
    private enum Role: Sendable {
        case use(ChannelLink)
        case connect(mayWait: Bool)
        case failed(CofferError)
    }

    /// The link to use now; makes one, or waits for the thread that does.
    ///
    /// A service that was lost is waited for until the client's deadline; one that was never there is not,
    /// and one that dies while it is connected to for the first time is tried a few times.
    func currentLink() throws(CofferError) -> ChannelLink {
        if let link = connection.withLock({ $0.link }) { return link }  // As with almost every call.
        var failuresSeen: Int?
        let role: Role = connection.wait { state in
            switch state.phase {
            case .connected(let link): return .use(link)
            case .connecting:
                failuresSeen = failuresSeen ?? state.failureCount
                return nil
            case .closed: return .failed(.unavailable("The connection to the service was closed."))
            case .none, .lost:
                if let seen = failuresSeen, state.failureCount > seen, let failure = state.failure {
                    return .failed(failure)
                }
                defer { state.phase = .connecting }
                if case .lost = state.phase { return .connect(mayWait: true) }
                return .connect(mayWait: false)
            }
        }
        switch role {
        case .use(let link): return link
        case .failed(let error): throw error
        case .connect(let mayWait): return try connect(mayWait: mayWait)
        }
    }

    /// The service's greeting, once connected.
    func greeting() throws(CofferError) -> HelloReplyMessage {
        _ = try currentLink()
        guard let greeting = connection.withLock({ $0.greeting }) else {
            throw .unavailable("The connection to the service was closed.")
        }
        return greeting
    }

    /// Ends the connection for good; calls under way fail.
    package func close() {
        let link: ChannelLink? = connection.withLock { state in
            defer { state.phase = .closed }
            return state.link
        }
        connection.broadcast()
        link?.fail(.closed)
        idleReader.stop()
    }

    /// Notes that a link carries nothing any more.
    func linkWasLost(_ link: ChannelLink) {
        let wasCurrent = connection.withLock { state in
            guard state.link === link else { return false }
            state.phase = .lost
            return true
        }
        strays.withLock { $0.forget(link) }
        guard wasCurrent else { return }
        idleReader.remove(link)
        _ = feed.append(.disconnected)
        idleReader.wake()
    }

    /// Whether the connection should be made again even though no thread calls, since pushes are wanted.
    var isToBeRestored: Bool {
        let isLost = connection.withLock { state in
            if case .lost = state.phase { true } else { false }
        }
        return isLost && (stores.withLock { !$0.byHandle.isEmpty } || !identityListeners.isEmpty)
    }

    private func connect(mayWait: Bool) throws(CofferError) -> ChannelLink {
        do throws(CofferError) {
            let (link, greeting) = try establish(mayWait: mayWait)
            let (isClosed, isAgain) = connection.withLock { state in
                if case .closed = state.phase { return (true, false) }
                state.phase = .connected(link)
                defer { state.greeting = greeting }
                return (false, state.greeting != nil)
            }
            connection.broadcast()
            if isClosed { throw .unavailable("The connection to the service was closed.") }
            if isAgain, feed.append(.reconnected) { idleReader.wake() }
            // The link may have been lost before it was noted.
            if link.failure != nil { linkWasLost(link) }
            return link
        } catch {
            connection.withLock { state in
                if case .connecting = state.phase { state.phase = .none }
                state.failure = error
                state.failureCount += 1
            }
            connection.broadcast()
            throw error
        }
    }

    /// Tries until it works, it cannot work, or the deadline has passed.
    private func establish(mayWait: Bool) throws(CofferError) -> (ChannelLink, HelloReplyMessage) {
        let deadline = Monotonic.now + reconnection.wholeNanoseconds
        var pause = Limits.firstPause
        var losses = 0
        while true {
            do throws(ConnectionFailure) {
                return try attempt()
            } catch {
                if error.wasServed { losses += 1 }
                let isWaitedFor = mayWait || (error.wasServed && losses <= Limits.resends)
                guard error.isTransient, isWaitedFor else { throw error.error }
                // Clients of one service do not all come back at the same moment.
                let time = pause * Double.random(in: 0.5...1)
                if Monotonic.now + time.wholeNanoseconds >= deadline || isClosed { throw late(error.error) }
                Monotonic.sleep(time)
                pause = min(pause * 2, Limits.longestPause)
            }
        }
    }

    private var isClosed: Bool {
        connection.withLock { state in
            if case .closed = state.phase { true } else { false }
        }
    }

    private func late(_ error: CofferError) -> CofferError {
        guard case .unavailable(let text) = error else { return error }
        return .unavailable("The service was lost and did not come back within \(reconnection). \(text)")
    }

    /// Opens a channel, says hello, and opens the stores again.
    private func attempt() throws(ConnectionFailure) -> (ChannelLink, HelloReplyMessage) {
        let hello = HelloRequestMessage(
            application: identity.application, client: identity.client, processName: identity.processName)
        let link = ChannelLink(
            try connector.connect(hello), idleReader: idleReader,
            onPush: { [weak self] link, payload, isIdle in self?.took(payload, from: link, isIdle: isIdle) },
            onCall: { [weak self] link, frame, isIdle in
                if let self { took(frame, from: link, isIdle: isIdle) } else { link.refuse(frame.header) }
            },
            onLoss: { [weak self] link in self?.linkWasLost(link) })
        do throws(CofferError) {
            let greeting = try greet(hello, over: link)
            do throws(LinuxError) { try idleReader.add(link) } catch {
                throw CofferError.unavailable("The channel cannot be watched: \(error)")
            }
            try reopenStores(on: link)
            return (link, greeting)
        } catch {
            let isLost = link.failure != nil
            link.fail(.closed)
            throw ConnectionFailure(error, isTransient: isLost, wasServed: isLost)
        }
    }

    private func greet(_ hello: HelloRequestMessage, over link: ChannelLink) throws(CofferError)
        -> HelloReplyMessage
    {
        // If the system refuses shared memory, the channel works without it.
        let sharedMemory: (SharedFrameMemory, OwnedDescriptor)? = try? SharedFrameMemory.make()
        let reply = link.call(
            .hello, try ChannelClient.packed(hello), descriptors: sharedMemory.map { [$0.1] } ?? [],
            timeout: Limits.activation)
        switch reply {
        case .reply(let frame):
            guard frame.header.status == .ok else {
                throw CofferError(detail: frame.payload.copied, status: frame.header.status)
            }
            let greeting: HelloReplyMessage = try ChannelClient.message(frame)
            guard greeting.protocolVersion == HelloRequestMessage.protocolVersion else {
                throw .protocolViolation(
                    "The service speaks protocol \(greeting.protocolVersion), this library "
                        + "\(HelloRequestMessage.protocolVersion): update the older of the two.")
            }
            if greeting.sharesMemory, let sharedMemory { _ = link.stream.adopt(sharedMemory.0) }
            return greeting
        case .lost(let failure, _): throw .unavailable("The service hung up: \(failure).")
        case .unsendable(let text): throw ChannelClient.unsendable(text)
        case .timedOut: throw .unavailable("The service did not answer Hello within \(Limits.activation).")
        }
    }
}
