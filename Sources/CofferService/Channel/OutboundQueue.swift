import CofferLinux
import CofferWire
import Synchronization

/// Frames that wait to be sent over one channel.
///
/// Shared. A thread that flushes while no other one sends becomes the sender; nothing is sent under the
/// lock. When the socket is full, the frames wait until it can be written again.
package final class OutboundQueue: Sendable {
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

    /// Takes a frame and sends what waits: the frame at once if nothing waits.
    func send(_ item: Item) -> FlushResult {
        let isAlone = state.withLock { $0.begin(item) }
        guard let isAlone else { return .sent }  // To nobody.
        return isAlone ? sendAlone(item) : flush()
    }

    /// Sends a frame that no other waits before; what the socket does not take waits.
    private func sendAlone(_ item: Item) -> FlushResult {
        let result = Self.send(Piece(first: item, offset: 0), over: stream)
        let final = state.withLock { $0.didSend(alone: item, result) }
        return final ?? flush()
    }

    /// Takes a push unless too much waits already.
    func append(push item: Item) -> Bool {
        state.withLock { $0.append(push: item) }
    }

    /// The socket can be written again.
    func unblock() {
        state.withLock { $0.unblock() }
    }

    /// Forgets everything; the other end is gone.
    func close() {
        state.withLock { state in
            state.close()
        }
    }

    /// Sends what waits.
    func flush() -> FlushResult {
        while let piece = state.withLock({ $0.take() }) {
            let result = Self.send(piece, over: stream)
            if let final = state.withLock({ $0.didSend(piece, result) }) { return final }
        }
        return .sent
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
