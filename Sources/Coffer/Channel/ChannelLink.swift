internal import CofferLinux
internal import CofferWire
internal import Synchronization

/// One connected socket to the service, and the calls under way on it.
///
/// Shared. A caller that waits for its reply reads the socket itself if no other caller does: it holds the
/// baton, hands other callers their replies, and passes the baton on when it has its own. Frames are handled
/// strictly in the order in which they came.
final class ChannelLink: Sendable {
    /// What came of a call.
    enum Outcome: Sendable {
        case reply(ReceivedFrame)
        /// No reply will come; `wasSent` says whether the service may have seen the call.
        case lost(LinkFailure, wasSent: Bool)
        /// There is no memory for a request of this size; nothing was sent.
        case unsendable(String)
        case timedOut
    }

    /// What is done with a reply as it comes, in the order of the frames, by the thread that reads.
    typealias ReplyHook = @Sendable (ReceivedFrame) -> Void

    struct State {
        var pending: [UInt64: Pending] = [:]
        /// Calls whose threads wait for the baton.
        var parked: [UInt64] = []
        var hasReader = false
        var nextCall: UInt64 = 1
        var outbound: [OutgoingFrame] = []
        var isSending = false
        /// Threads inside `call`: while there is one, the idle reader stays away.
        var callerCount = 0
        /// What receives incoming frames while no thread waits for a reply.
        var watch = IdleWatch.armed
        /// Whether the last call came soon after the one before, and when that had ended.
        var isFollowing = false
        var lastEnd: UInt64 = 0
        var failure: LinkFailure?
        var spareSlots: [Slot] = []
    }

    typealias Slot = CallSlot<Wake>

    /// Why a thread that waits is woken.
    enum Wake: Sendable {
        /// Here is the reply.
        case reply(ReceivedFrame)
        /// The thread holds the baton: no other thread reads.
        case baton
        /// No reply will come.
        case lost(LinkFailure)
    }

    struct Pending {
        let slot: Slot
        let hook: ReplyHook?
        let items: ItemQueue?
    }

    /// Parts of a reply that have come, until the thread that calls takes them.
    final class ItemQueue: Sendable {
        private let frames = Mutex<[ReceivedFrame]>([])

        func append(_ frame: ReceivedFrame) { frames.withLock { $0.append(frame) } }

        func take() -> [ReceivedFrame] {
            frames.withLock { frames in
                defer { frames = [] }
                return frames
            }
        }
    }

    struct OutgoingFrame: Sendable {
        let header: [UInt8]
        let payload: [UInt8]
        /// What rides on the first byte.
        var descriptors: [OwnedDescriptor] = []
    }

    let stream: StreamEnd
    // Guarded by the baton: only its holder touches this, and `state` gives it to one thread at a time. Lent
    // to one call at a time, which calls nothing that comes back here: exclusivity needs no check at run
    // time, of which a call made ten.
    @exclusivity(unchecked) nonisolated(unsafe) var receiver: FrameReceiver
    let state = Mutex(State())
    /// Told of each push by the thread that reads, and whether that is the idle reader.
    let onPush: @Sendable (ChannelLink, ReceivedPayload, _ isIdle: Bool) -> Void
    /// Told of each call of the service, as of pushes; the code that takes a call answers it with `answer`.
    let onCall: @Sendable (ChannelLink, ReceivedFrame, _ isIdle: Bool) -> Void
    /// Told once when the link is lost.
    let onLoss: @Sendable (ChannelLink) -> Void
    /// Reads while no thread calls.
    let idleReader: IdleReader?
    /// The stores by the service's handles.
    private let routes = Mutex<[UInt32: ChannelStore]>([:])

    init(
        _ descriptor: OwnedDescriptor, idleReader: IdleReader?,
        onPush: @escaping @Sendable (ChannelLink, ReceivedPayload, _ isIdle: Bool) -> Void,
        onCall: @escaping @Sendable (ChannelLink, ReceivedFrame, _ isIdle: Bool) -> Void,
        onLoss: @escaping @Sendable (ChannelLink) -> Void
    ) {
        stream = StreamEnd(Socket(descriptor))
        unsafe receiver = FrameReceiver(stream)
        self.idleReader = idleReader
        self.onPush = onPush
        self.onCall = onCall
        self.onLoss = onLoss
    }

    deinit {
        idleReader?.remove(self)
        stream.shutDown()
    }
}

extension ChannelLink {
    /// Why it carries nothing any more; `nil` while it does.
    var failure: LinkFailure? { state.withLock { $0.failure } }

    /// The store that the service calls `handle`.
    func store(_ handle: UInt32) -> ChannelStore? { routes.withLock { $0[handle] } }

    /// Notes which store the service calls `handle`.
    func route(_ handle: UInt32, to store: ChannelStore?) { routes.withLock { $0[handle] = store } }

    /// Calls a method and waits for the reply.
    func call(
        _ method: ChannelMethod, _ payload: [UInt8], descriptors: [OwnedDescriptor] = [],
        timeout: Duration? = nil, hook: ReplyHook? = nil, cancellation: CallCancellation? = nil
    ) -> Outcome {
        call(
            method, payload: payload, descriptors: descriptors, timeout: timeout, hook: hook, items: nil,
            cancellation: cancellation
        ) { _ in }
    }

    /// Calls a method whose reply may come in parts: `receive` is given each but the last as soon as
    /// possible, on this thread, in order.
    ///
    /// Other calls cannot be made meanwhile: this thread may be the one that reads.
    func callForParts(
        _ method: ChannelMethod, payload: [UInt8], descriptors: [OwnedDescriptor] = [],
        cancellation: CallCancellation? = nil, _ receive: (ReceivedFrame) -> Void
    ) -> Outcome {
        call(
            method, payload: payload, descriptors: descriptors, timeout: nil, hook: nil, items: ItemQueue(),
            cancellation: cancellation, receive)
    }

    private func call(
        _ method: ChannelMethod, payload: [UInt8], descriptors: [OwnedDescriptor], timeout: Duration?,
        hook: ReplyHook?, items: ItemQueue?, cancellation: CallCancellation?,
        _ receive: (ReceivedFrame) -> Void
    ) -> Outcome {
        let deadline = timeout.map { Monotonic.now + $0.wholeNanoseconds }
        let request: Request
        do throws(LinuxError) { request = try Request(payload, descriptors) } catch {
            return .unsendable("A request of \(payload.count) bytes cannot be sent: \(error)")
        }
        guard let ticket = begin(method, request, timeout: timeout, hook: hook, items: items) else {
            return .lost(failure ?? .closed, wasSent: false)
        }
        defer { end(ticket) }
        switch ticket.turn {
        case .one(let frame): flush(frame)
        case .all(let frames): flush(frames)
        case .none: break
        }
        let id = ticket.id
        cancellation?.onCancel { [weak self] in self?.takeBack(id) }
        return wait(for: ticket, until: deadline, receive)
    }

    /// Asks the service to end a call, whose reply is still waited for and comes soon.
    private func takeBack(_ call: UInt64) {
        let frame = OutgoingFrame(header: FrameHeader(kind: .cancel, callID: call).bytes, payload: [])
        let batch: [OutgoingFrame]? = state.withLock { state in
            guard state.pending[call] != nil else { return nil }
            state.outbound.append(frame)
            return state.takeOutbound()
        }
        if let batch { flush(batch) }
    }

    /// Queues a call whose reply is not wanted; it is sent with the next one, or at once with `now`.
    func post(_ method: ChannelMethod, _ payload: [UInt8], now: Bool) {
        let batch: [OutgoingFrame]? = state.withLock { state in
            guard state.failure == nil else { return nil }
            state.outbound.append(
                ChannelLink.frame(
                    method, Request(inline: payload), id: state.takeCallID(), timeout: nil))
            return now ? state.takeOutbound() : nil
        }
        if let batch { flush(batch) }
    }

    /// Ends the link: calls under way are lost.
    func fail(_ failure: LinkFailure) {
        let lost: [UInt64: Pending]? = state.withLock { state in
            if state.failure != nil { return nil }
            state.failure = failure
            defer {
                state.pending = [:]
                state.parked = []
                state.outbound = []
            }
            return state.pending
        }
        guard let lost else { return }
        for (call, pending) in lost { pending.slot.put(.lost(failure), for: call) }
        stream.shutDown()
        onLoss(self)
    }
}

extension ChannelLink {
    /// A call under way.
    struct Ticket {
        let id: UInt64
        let slot: Slot
        let items: ItemQueue?
        let method: ChannelMethod
        /// What this thread must send.
        let turn: SendingTurn
    }

    /// What a thread must send before what others queue meanwhile.
    enum SendingTurn {
        case one(OutgoingFrame)
        /// What waited, and its own behind that: in one piece, since to wake the service twice costs more
        /// than a small call.
        case all([OutgoingFrame])
        /// Nothing: another thread sends.
        case none
    }

    private func begin(
        _ method: ChannelMethod, _ request: Request, timeout: Duration?, hook: ReplyHook?,
        items: ItemQueue?
    ) -> Ticket? {
        let now = Monotonic.now
        let (ticket, action): (Ticket?, IdleWatch.Action?) = state.withLock { state in
            guard state.failure == nil else { return (nil, nil) }
            let id = state.takeCallID()
            let slot = state.spareSlots.popLast() ?? Slot()
            state.pending[id] = Pending(slot: slot, hook: hook, items: items)
            let frame = ChannelLink.frame(
                method, request, id: id, timeout: timeout, takesItems: items != nil)
            state.callerCount += 1
            state.isFollowing = now < state.lastEnd + Limits.pauseWithinBurst.wholeNanoseconds
            let action = state.callerCount == 1 ? state.watch.take(.callBegan) : nil
            let turn = state.takeTurn(frame)
            return (Ticket(id: id, slot: slot, items: items, method: method, turn: turn), action)
        }
        if let action { idleReader?.act(action, on: self) }
        return ticket
    }

    private func end(_ ticket: Ticket) {
        ticket.slot.reset()
        let now = Monotonic.now
        let action: IdleWatch.Action? = state.withLock { state in
            state.callerCount -= 1
            state.lastEnd = now
            state.spareSlots.append(ticket.slot)
            guard state.callerCount == 0, state.failure == nil else { return nil }
            return state.watch.take(.callsEnded(isBurst: state.isFollowing))
        }
        if let action { idleReader?.act(action, on: self) }
    }

    /// The time has passed within which the next call was expected.
    func stopExpecting() {
        let action = state.withLock { $0.failure == nil ? $0.watch.take(.timePassed) : nil }
        if let action { idleReader?.act(action, on: self) }
    }

    private static func frame(
        _ method: ChannelMethod, _ request: Request, id: UInt64, timeout: Duration?, takesItems: Bool = false
    ) -> OutgoingFrame {
        let milliseconds = timeout.map { UInt32(clamping: max(1, $0.wholeNanoseconds / 1_000_000)) } ?? 0
        var flags: FrameHeader.Flags = takesItems ? .takesItems : FrameHeader.Flags()
        if request.isSealed { flags.insert(.sealedMemory) }
        let header = FrameHeader(
            kind: .call, method: method, callID: id, payloadByteCount: request.byteCount,
            flags: flags, timeoutMilliseconds: milliseconds, descriptorCount: request.descriptors.count)
        return OutgoingFrame(header: header.bytes, payload: request.payload, descriptors: request.descriptors)
    }
}

extension ChannelLink.State {
    /// A number for a call; the client's are odd.
    mutating func takeCallID() -> UInt64 {
        defer { nextCall += 2 }
        return nextCall
    }

    /// Forgets a call; gives what the caller must send, the news of it included.
    mutating func giveUp(_ call: UInt64) -> [ChannelLink.OutgoingFrame]? {
        guard pending.removeValue(forKey: call) != nil else { return nil }
        let header = FrameHeader(kind: .cancel, callID: call).bytes
        outbound.append(ChannelLink.OutgoingFrame(header: header, payload: []))
        return takeOutbound()
    }

    /// What the caller must send; its frame is queued if another thread sends.
    mutating func takeTurn(_ frame: ChannelLink.OutgoingFrame) -> ChannelLink.SendingTurn {
        if !isSending, outbound.isEmpty {
            isSending = true
            return .one(frame)
        }
        outbound.append(frame)
        return takeOutbound().map { .all($0) } ?? .none
    }

    /// What the caller must send; `nil` if another thread sends and will take it too.
    mutating func takeOutbound() -> [ChannelLink.OutgoingFrame]? {
        if isSending { return nil }
        isSending = true
        defer { outbound = [] }
        return outbound
    }
}
