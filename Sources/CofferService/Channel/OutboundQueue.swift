import CofferLinux
import CofferWire
import Synchronization

/// Frames that wait to be sent over one channel.
///
/// Shared. Whoever flushes while nobody sends becomes the sender; nothing is sent under the lock. When the socket is full, the frames
/// wait until it can be written again.
final class OutboundQueue: Sendable {
    /// One frame.
    struct Item: Sendable {
        var header: [UInt8]
        var payload: [UInt8]
        var descriptors: [OwnedDescriptor]
        /// Bytes of the memory that the descriptors are.
        var memoryByteCount = 0
        /// Where header and payload are instead, if they are on the disk.
        var spilled: Spilled?
        var byteCount: Int { spilled?.byteCount ?? header.count + payload.count }

        fileprivate var size: OutboundSize {
            OutboundSize(
                bytes: spilled == nil ? byteCount : 0, memory: memoryByteCount, frames: 1,
                descriptors: descriptors.isEmpty && memoryByteCount == 0 ? 0 : 1,
                spilled: spilled?.byteCount ?? 0)
        }
    }

    /// A frame on the disk.
    struct Spilled: Sendable {
        let file: SpillFile
        let offset: Int
        let byteCount: Int
    }

    /// What became of a flush.
    enum FlushResult {
        /// Everything is sent, or somebody else sends it.
        case sent
        /// The socket is full: flush again when it can be written.
        case blocked
        /// The other end is gone.
        case closed
    }

    struct State {
        var items: FIFO<Item> = []
        /// What waits, which the client's budget counts too.
        private(set) var size = OutboundSize()
        let budget: ClientBudget
        var sentOfFirst = 0
        /// Where frames go that do not wait in memory, and where its next one stands; none while no frame is there.
        var spill: SpillFile?
        var spillEnd = 0
        /// Frames that have a place there and are not appended yet.
        var beingSpilled = 0
        var isSending = false
        var isBlocked = false
        var isClosed = false

        init(budget: ClientBudget) {
            self.budget = budget
        }

        mutating func count(_ change: OutboundSize) {
            size += change
            budget.count(change)
        }

        mutating func append(_ item: Item) {
            items.append(item)
            count(item.size)
        }

        /// Puts a frame first of which so much is sent.
        mutating func prepend(_ item: Item, sent: Int) {
            items.prepend(item)
            sentOfFirst = sent
            var left = item.size
            left.bytes -= sent
            count(left)
        }

        /// Takes the first frame out, whose bytes were counted as they went.
        mutating func removeFirst() {
            guard let first = items.popFirst() else { return }
            var gone = -first.size
            gone.bytes = 0
            count(gone)
            if size.spilled == 0, beingSpilled == 0 { (spill, spillEnd) = (nil, 0) }
        }

        mutating func close() {
            isClosed = true
            items = []
            spill = nil
            count(-size)
        }
    }

    private let stream: StreamEnd
    let budget: ClientBudget
    let state: Mutex<State>

    /// A queue before `stream`, whose frames are counted in the budget of its client.
    init(stream: StreamEnd, budget: ClientBudget) {
        self.stream = stream
        self.budget = budget
        state = Mutex(State(budget: budget))
    }

    /// Bytes that wait.
    var byteCount: Int { state.withLock { $0.size.bytes + $0.size.spilled } }

    /// Whether more waits than a client may leave unread, here and on its other channels.
    var isFull: Bool {
        let size = state.withLock { $0.size }
        return size.spilled > 0 || budget.isExceeded(by: size)
    }

    /// Whether so much sealed memory more may wait for the client.
    func takesMemory(_ byteCount: Int) -> Bool {
        let size = state.withLock { $0.size }
        return size.spilled == 0 && size.descriptors < Limits.outboundDescriptors
            && size.memory + byteCount <= Limits.outboundMemory
    }

    /// Takes a frame.
    func append(_ item: Item) {
        state.withLock { state in
            if !state.isClosed { state.append(item) }
        }
    }

    /// Takes a frame and sends what waits: the frame at once where nothing waits.
    func send(_ item: Item) -> FlushResult {
        let isAlone: Bool? = state.withLock { state in
            if state.isClosed { return nil }
            guard state.items.isEmpty, !state.isSending, !state.isBlocked, item.descriptors.isEmpty else {
                state.append(item)
                return false
            }
            state.isSending = true
            return true
        }
        guard let isAlone else { return .sent }  // To nobody.
        return isAlone ? sendAlone(item) : flush()
    }

    /// Sends a frame that no other waits before; what the socket does not take waits.
    private func sendAlone(_ item: Item) -> FlushResult {
        let result = Self.send(Piece(first: item, offset: 0), over: stream)
        let (final, hasMore): (FlushResult, Bool) = state.withLock { state in
            state.isSending = false
            switch result {
            case _ where state.isClosed: return (.closed, false)
            case .closed:
                state.close()
                return (.closed, false)
            case .sent(let count) where count == item.byteCount: return (.sent, !state.items.isEmpty)
            case .sent(let count):
                state.prepend(item, sent: count)
                return (.sent, true)
            case .wouldBlock:
                state.prepend(item, sent: 0)
                state.isBlocked = true
                return (.blocked, false)
            }
        }
        return hasMore ? flush() : final
    }

    /// Takes a push unless too much waits already.
    func append(push item: Item) -> Bool {
        state.withLock { state in
            if state.isClosed { return true }
            if budget.refuses(push: item.byteCount, own: state.size.bytes) { return false }
            state.append(item)
            return true
        }
    }

    /// The socket can be written again.
    func unblock() {
        state.withLock { $0.isBlocked = false }
    }

    /// Forgets everything; the other end is gone.
    func close() {
        state.withLock { state in
            state.close()
        }
    }

    /// Sends what waits.
    func flush() -> FlushResult {
        while let piece = take() {
            let result = Self.send(piece, over: stream)
            if let final = settle(piece, result) { return final }
        }
        return .sent
    }

    /// What is sent at once.
    private struct Piece {
        let first: Item
        /// What goes along; mostly nothing.
        var others: [Item] = []
        /// How much of the first has gone.
        let offset: Int
    }

    /// What to send next: frames without descriptors together, a frame with descriptors alone.
    private func take() -> Piece? {
        state.withLock { state in
            if state.isSending || state.isBlocked || state.items.isEmpty { return nil }
            state.isSending = true
            var piece = Piece(first: state.items[0], offset: state.sentOfFirst)
            if piece.first.isPlain {
                var count = 1
                while count < state.items.count, count < 12, state.items[count].isPlain {
                    piece.others.append(state.items[count])
                    count += 1
                }
            }
            return piece
        }
    }

    private func settle(_ piece: Piece, _ result: SendResult) -> FlushResult? {
        state.withLock { state in
            state.isSending = false
            switch result {
            case .wouldBlock:
                state.isBlocked = true
                return .blocked
            case .closed:
                state.close()
                return .closed
            case .sent(let count):
                if state.isClosed { return .closed }
                if piece.first.spilled == nil { state.count(OutboundSize(bytes: -count)) }
                var left = piece.offset + count
                while let first = state.items.first, left >= first.byteCount {
                    left -= first.byteCount
                    state.removeFirst()
                }
                state.sentOfFirst = left
                if left > 0 { state.items[0].descriptors = [] }  // They rode on the first byte.
                return nil
            }
        }
    }

    private static func send(
        _ spilled: Spilled, from offset: Int, over stream: StreamEnd
    ) throws(LinuxError) -> SendResult {
        let count = min(spilled.byteCount - offset, Limits.spillPiece)
        let bytes = try spilled.file.read(upTo: count, at: spilled.offset + offset)
        return bytes.isEmpty ? .closed : try stream.send([bytes])
    }

    private static func send(_ piece: Piece, over stream: StreamEnd) -> SendResult {
        let (first, offset) = (piece.first, piece.offset)
        do throws(LinuxError) {
            if let spilled = first.spilled { return try send(spilled, from: offset, over: stream) }
            if piece.others.isEmpty {
                return try stream.send(
                    header: first.header, payload: first.payload, from: offset, descriptors: first.descriptors
                )
            }
            let all = piece.others.reduce(into: [first.header, first.payload]) { all, item in
                all += [item.header, item.payload]
            }
            return try stream.send(all, from: offset)
        } catch {
            return .closed  // A socket that fails otherwise is of no use either.
        }
    }
}

extension OutboundQueue.Item {
    /// Whether it can be sent together with others.
    fileprivate var isPlain: Bool { descriptors.isEmpty && spilled == nil }
}
