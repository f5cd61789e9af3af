import CofferLinux
import CofferWire
import Synchronization

/// The service's end of one channel.
///
/// Shared. Its input belongs to one worker at a time: the one to which epoll gave the channel, until that
/// worker arms it again.
final class ServerChannel: Sendable {
    /// What came of reading.
    enum Reading {
        /// A whole frame.
        case frame(FrameHeader, payload: [UInt8], descriptors: [OwnedDescriptor])
        /// Nothing whole has come.
        case nothing
        /// The other end is gone.
        case closed
        /// The other end sent an invalid frame.
        case malformed(WireError)
    }

    /// What epoll calls it by.
    let token: UInt64
    /// The session that the channel belongs to.
    let session: Session
    let stream: StreamEnd
    let outbound: OutboundQueue
    /// What the service asks of the client.
    let calls = ClientCalls()
    private let reactor: Reactor
    /// Whether a worker has the channel: then epoll is silent of it.
    private let isOwned = Atomic<Bool>(true)
    // Touched by the worker that owns the channel, by one method at a time: each call looked ten times
    // whether accesses overlap.
    @exclusivity(unchecked) private nonisolated(unsafe) var input = StreamInput(
        limit: Limits.frame + FrameHeader.byteCount)
    // The owner's: which of the frames that wait were looked at, and what they take back.
    private nonisolated(unsafe) var cancels = CancelScan()
    // Touched by the worker that owns the channel.
    private nonisolated(unsafe) var spin = SpinPolicy()
    // The owner's: how many calls in a row were saves.
    private nonisolated(unsafe) var savesInARow = 0
    // The owner's too.
    private nonisolated(unsafe) var hasHello = false
    // The owner's: what is done once all calls that have come are answered.
    private nonisolated(unsafe) var afterwards: [@Sendable () -> Void] = []
    private let isParked = Atomic<Bool>(false)
    private let isClosed = Atomic<Bool>(false)
    /// Subscriptions to be told to resume when the client has read what waits.
    private let behind = Mutex<[Subscription]>([])
    /// Bytes of a large frame that has come in part, as the client's budget counts them.
    private let announced = Atomic<Int>(0)
    /// Calls that other threads carry out, for their frames that take them back.
    private let detachedCalls = Mutex<[UInt64: CallCancellation]>([:])
    /// On whose disk frames of streamed answers wait for a client that does not read.
    private let spillFolder: Folder

    init(token: UInt64, socket: Socket, session: Session, reactor: Reactor, spillFolder: Folder) {
        self.spillFolder = spillFolder
        self.token = token
        stream = StreamEnd(socket)
        self.session = session
        self.reactor = reactor
        outbound = OutboundQueue(stream: stream, budget: session.budget)
    }
}

// MARK: Reading, by the owner

extension ServerChannel {
    /// Takes the channel after epoll told of it; `false` if another worker took it back meanwhile.
    func takeAfterEvent() -> Bool {
        isOwned.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
    }

    /// Runs `work` when all calls that have come are answered; for the owner.
    func afterAnswers(_ work: @escaping @Sendable () -> Void) {
        unsafe afterwards.append(work)
        if unsafe afterwards.count >= Limits.postponedWork { runPostponed() }
    }

    /// Does what was put off; for the owner.
    func runPostponed() {
        if unsafe afterwards.isEmpty { return }
        for work in unsafe afterwards { work() }
        unsafe afterwards.removeAll(keepingCapacity: true)
    }

    /// Gives the channel back to epoll.
    func arm() {
        runPostponed()
        isOwned.store(false, ordering: .releasing)
        reactor.arm(self)
    }

    /// Whether so much waits for the client that its calls are not read before it has read some of that.
    var isCongested: Bool { outbound.isFull }

    /// Parks the channel until the client has read; `true` if it has by now, and its owner goes on.
    ///
    /// A parked channel belongs to no thread and is not armed: the thread that sees it drained serves it,
    /// since frames that came already wait in its input, of which epoll knows nothing.
    func goesOnDespiteCongestion() -> Bool {
        runPostponed()
        isParked.store(true, ordering: .sequentiallyConsistent)
        return !isCongested && unpark()
    }

    /// Takes the channel after it was parked; `false` if it is not, or another worker took it.
    func unpark() -> Bool {
        isParked.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// Whether the next frame, or its beginning, has come already.
    var hasInput: Bool { unsafe input.buffer.count >= FrameHeader.byteCount }

    /// Whether a call may be made now: Hello comes first.
    func admits(_ method: ChannelMethod) -> Bool {
        if method == .hello { unsafe hasHello = true }
        return unsafe hasHello
    }

    /// Notes what was called; for the owner.
    func didCall(isSave: Bool) { unsafe savesInARow = isSave ? savesInARow + 1 : 0 }

    /// Whether the next call is likely to be a save, as those before were.
    var isSaving: Bool { unsafe savesInARow >= Limits.savesInARow }

    /// Takes the channel back without an event, if no other worker has it.
    func takeBack() -> Bool {
        guard takeAfterEvent() else { return false }
        reactor.disarm(self)
        return true
    }

    /// The next whole frame that has come, for an owner that soon polls again or stops polling.
    ///
    /// What comes until then may be passed in memory, of which no event tells.
    func poll() -> Reading {
        if let reading = parse() { return reading }
        do throws(LinuxError) {
            switch try unsafe input.poll(stream) {
            case .received: return parse() ?? .nothing
            case .closed: return .closed
            case .wouldBlock: return .nothing
            }
        } catch {
            return .malformed(.malformed("channel: \(error)"))
        }
    }

    /// Whether something was passed in memory since the last poll, or the stream is at its end.
    var hasNews: Bool { unsafe input.hasNews(at: stream) }

    /// Ends the polling, if `poll` was what the owner did last: what was passed in memory since then waits
    /// in the input.
    ///
    /// - Throws: `WireError.malformed` if what was passed is malformed.
    func stopPolling() throws(WireError) {
        guard unsafe input.isPolling else { return }
        do throws(LinuxError) {
            _ = try unsafe input.receive(from: stream)  // The end of the stream will be read again.
        } catch {
            throw .malformed("channel: \(error)")
        }
    }

    /// The next whole frame; receives if none has come yet, spinning for a moment while that pays.
    ///
    /// A client that sends a frame piece by piece, and as slowly as may be, keeps its worker for some
    /// pieces only.
    func read() -> Reading {
        for _ in 0..<Limits.piecesPerTurn {
            if let reading = parse() { return reading }
            runPostponed()
            do throws(LinuxError) {
                switch try receive() {
                case .received: continue
                case .closed: return .closed
                case .wouldBlock: return .nothing
                }
            } catch {
                return .malformed(.malformed("channel: \(error)"))
            }
        }
        return parse() ?? .nothing
    }

    private func receive() throws(LinuxError) -> ReceiveResult {
        if unsafe !spin.isSpinning {
            let result = try unsafe input.receive(from: stream)
            if result != .wouldBlock {
                unsafe spin.ended()
                return result
            }
        }
        return try unsafe input.receive(from: stream, spinning: &spin)
    }

    /// Whether the client took a call back or is gone, while its worker carries the call out.
    ///
    /// Reads what has come, and leaves it to be served in its turn.
    func isCancelled(_ call: UInt64) -> Bool {
        if unsafe input.buffer.count < Limits.lookAhead,
            unsafe input.buffer.descriptorCount < Limits.lookAheadDescriptors
        {
            do throws(LinuxError) {
                if case .closed = try unsafe input.receive(from: stream) { return true }
            } catch {
                return false  // Its reading in its turn says what is wrong.
            }
        }
        unsafe input.buffer.withBytes { unsafe cancels.scan($0) }
        return unsafe cancels.holds(call)
    }

    /// Counts a frame of which a part has come: its memory is held until the rest does.
    private func count(announced byteCount: Int) throws(WireError) {
        guard announced.load(ordering: .relaxed) == 0 else { return }
        announced.store(byteCount, ordering: .relaxed)
        do throws(ServiceError) {
            try session.budget.count(requested: byteCount)
        } catch {
            throw .tooLarge(
                what: "what was begun to be sent", byteCount: byteCount, limit: Limits.requestMemory)
        }
        if isClosed.load(ordering: .acquiring) { uncountAnnounced() }
    }

    private func uncountAnnounced() {
        let byteCount = announced.exchange(0, ordering: .relaxed)
        if byteCount > 0 { session.budget.uncount(requested: byteCount) }
    }

    /// Has `interest` told when the client takes the call back, until `unfollow`.
    func follow(_ interest: CallCancellation, call: UInt64) { detachedCalls.withLock { $0[call] = interest } }

    /// Another call with the same number, which is its client's mistake, is followed on.
    func unfollow(_ interest: CallCancellation, call: UInt64) {
        detachedCalls.withLock { if $0[call] === interest { $0[call] = nil } }
    }

    /// The client takes a call back, which another thread may be at.
    func takeBack(call: UInt64) { detachedCalls.withLock { $0[call] }?.takeBack() }

    private func parse() -> Reading? {
        guard unsafe input.buffer.count >= FrameHeader.byteCount else { return nil }
        do throws(WireError) {
            let header = try unsafe input.buffer.withBytes { bytes throws(WireError) in
                try FrameHeader(bytes)
            }
            let byteCount = header.streamedByteCount
            guard unsafe input.buffer.count >= FrameHeader.byteCount + byteCount else {
                if byteCount > Limits.uncountedFrame { try count(announced: byteCount) }
                return nil
            }
            uncountAnnounced()
            _ = unsafe input.buffer.skip(FrameHeader.byteCount)
            unsafe cancels.didRead(header)
            guard let payload = unsafe input.buffer.take(byteCount),
                let descriptors = unsafe input.buffer.takeDescriptors(header.descriptorCount)
            else { return .malformed(.malformed("channel: descriptors are missing")) }
            return .frame(header, payload: payload, descriptors: descriptors)
        } catch {
            return .malformed(error)
        }
    }
}

// MARK: Writing, by anybody

extension ServerChannel: PushSink {
    func enqueue(push: [UInt8]) -> Bool { outbound.append(push: Self.item(push)) }

    func send(push: [UInt8]) {
        outbound.append(Self.item(push))
        flush()
    }

    private static func item(_ push: [UInt8]) -> OutboundQueue.Item {
        OutboundQueue.Item(
            header: FrameHeader(kind: .push, payloadByteCount: push.count).bytes, payload: push,
            descriptors: [])
    }

    func resumeWhenDrained(_ subscription: Subscription) {
        behind.withLock { $0.append(subscription) }
        // What waited may have gone in between.
        resumeIfDrained()
    }

    func forget(_ subscription: Subscription) {
        behind.withLock { $0.removeAll { $0 === subscription } }
    }

    private func resumeIfDrained() {
        guard outbound.byteCount == 0 else { return }
        let waiting = behind.withLock { behind in
            defer { behind = [] }
            return behind
        }
        for subscription in waiting { subscription.resume() }
    }

    /// Queues why the channel ends, as the answer of no call.
    func enqueue(lastWords detail: ErrorDetailMessage) { outbound.append(refusal(detail, call: 0)) }

    /// Queues the answer of a call.
    func enqueue(answer: RPCResult, call: ChannelCall) {
        outbound.append(frame(of: answer, call: call.id))
        session.callEnded(largeRequest: call.largeByteCount)
    }

    /// Queues and sends a part of the answer of a call.
    ///
    /// - Throws: `.tooMuchUnread` if the client leaves too much unread, and what the disk says if the part
    ///   has to wait there.
    func send(item payload: [UInt8], call: UInt64) throws(ServiceError) {
        do throws(LinuxError) {
            // What its client does not read goes to the disk, as memory cannot.
            let item = try message(.item, payload, call: call, mayShare: outbound.takesMemory(payload.count))
            try outbound.append(streamed: item, in: spillFolder)
        } catch .bufferFull(let limit) {
            throw .tooMuchUnread(limit: limit)
        } catch {
            throw .system(error)
        }
        flush()
    }

    /// Queues and sends the answer of a call.
    func send(answer: RPCResult, call: ChannelCall) {
        let item = frame(of: answer, call: call.id)
        session.callEnded(largeRequest: call.largeByteCount)
        handle(outbound.send(item))
    }

    func flush() { handle(outbound.flush()) }

    private func handle(_ result: OutboundQueue.FlushResult) {
        switch result {
        case .sent:
            resumeIfDrained()
            // A worker shall serve it again, and gets it by that event.
            if isParked.load(ordering: .sequentiallyConsistent) { reactor.waitUntilWritable(self) }
        case .blocked: reactor.waitUntilWritable(self)
        case .closed:
            stream.shutDown()  // The reading side sees it and ends the session;
            // a parked channel is not read, but its descriptor for writing tells of the end too.
            if isParked.load(ordering: .sequentiallyConsistent) { reactor.waitUntilWritable(self) }
        }
    }

    /// The socket can be written again: goes on sending, and tells those whose pushes were dropped.
    func becameWritable() {
        outbound.unblock()
        flush()
    }

    /// Ends the channel; `true` for the first caller that does.
    func close() -> Bool {
        let wasClosed = isClosed.exchange(true, ordering: .acquiringAndReleasing)
        outbound.close()
        uncountAnnounced()
        stream.shutDown()
        behind.withLock { $0 = [] }  // They hold the channel, as it holds them.
        calls.close()
        return !wasClosed
    }

    private func frame(of answer: RPCResult, call: UInt64) -> OutboundQueue.Item {
        do throws(LinuxError) {
            switch answer {
            case .reply(let payload, let descriptors) where descriptors.isEmpty:
                return try message(.reply, payload, call: call)
            case .reply(let payload, let descriptors):
                let header = FrameHeader(
                    kind: .reply, callID: call, payloadByteCount: payload.count,
                    descriptorCount: descriptors.count)
                return OutboundQueue.Item(
                    header: header.bytes, payload: payload, descriptors: descriptors)
            case .end(let payload): return try message(.end, payload, call: call)
            case .failure(let detail): return refusal(detail, call: call)
            }
        } catch {
            return refusal(
                ErrorDetailMessage(
                    code: .resourceExhausted, reason: "memory",
                    text: "There is not enough memory for the reply: ask for fewer rows."), call: call)
        }
    }

    private func refusal(_ detail: ErrorDetailMessage, call: UInt64) -> OutboundQueue.Item {
        let payload = detail.packed()
        let header = FrameHeader(
            kind: .reply, callID: call, payloadByteCount: payload.count, status: detail.code)
        return OutboundQueue.Item(header: header.bytes, payload: payload, descriptors: [])
    }

    /// A frame with a message; a large message goes as sealed memory, unless that may not be and it fits
    /// into the frame.
    private func message(
        _ kind: FrameKind, _ payload: [UInt8], call: UInt64, mayShare: Bool = true
    ) throws(LinuxError) -> OutboundQueue.Item {
        guard payload.count > (mayShare ? Limits.inlineReply : Limits.frame) else {
            let header = FrameHeader(kind: kind, callID: call, payloadByteCount: payload.count)
            return OutboundQueue.Item(header: header.bytes, payload: payload, descriptors: [])
        }
        let memory = try Memfd.sealed(payload)
        let header = FrameHeader(
            kind: kind, callID: call, payloadByteCount: payload.count, flags: .sealedMemory,
            descriptorCount: 1)
        return OutboundQueue.Item(
            header: header.bytes, payload: [], descriptors: [memory], memoryByteCount: payload.count)
    }
}
