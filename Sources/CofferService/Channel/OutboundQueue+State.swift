package import CofferLinux

extension OutboundQueue {
    /// One frame.
    package struct Item: Sendable {
        /// What it begins with.
        package var header: [UInt8]
        /// What follows.
        package var payload: [UInt8]
        /// What goes along with its first byte.
        package var descriptors: [OwnedDescriptor]
        /// Bytes of the memory that the descriptors are.
        package var memoryByteCount = 0
        /// Where header and payload are instead, if they are on the disk.
        var spilled: Spilled?
        /// Bytes of header and payload, wherever they are.
        package var byteCount: Int { spilled?.byteCount ?? header.count + payload.count }

        /// A frame in memory.
        package init(
            header: [UInt8], payload: [UInt8], descriptors: [OwnedDescriptor], memoryByteCount: Int = 0
        ) {
            self.header = header
            self.payload = payload
            self.descriptors = descriptors
            self.memoryByteCount = memoryByteCount
        }

        /// What stands for a frame on the disk.
        init(spilled: Spilled) {
            self.init(header: [], payload: [], descriptors: [])
            self.spilled = spilled
        }

        fileprivate var size: OutboundSize {
            OutboundSize(
                bytes: spilled == nil ? byteCount : 0, memory: memoryByteCount, frames: 1,
                descriptors: descriptors.isEmpty && memoryByteCount == 0 ? 0 : 1,
                spilled: spilled?.byteCount ?? 0)
        }

        /// Whether it can be sent together with others.
        fileprivate var isPlain: Bool { descriptors.isEmpty && spilled == nil }
    }

    /// A frame on the disk.
    struct Spilled: Sendable {
        let file: SpillFile
        let offset: Int
        let byteCount: Int
    }

    /// What became of a flush.
    package enum FlushResult: Equatable {
        /// Everything is sent, or another thread sends it.
        case sent
        /// The socket is full: flush again when it can be written.
        case blocked
        /// The other end is gone.
        case closed
    }

    /// What is sent at once.
    package struct Piece {
        /// The frame that waits longest.
        package let first: Item
        /// What goes along; mostly nothing.
        package var others: [Item] = []
        /// How much of the first has gone.
        package let offset: Int
    }

    /// What waits, and what is to be sent next.
    ///
    /// Confined to the lock of its queue. It does no I/O: it is told what came of each sending, which it
    /// asked for.
    package struct State {
        private var items: FIFO<Item> = []
        /// What waits, which the client's budget counts too.
        package private(set) var size = OutboundSize()
        private let budget: ClientBudget
        private var sentOfFirst = 0
        /// Where frames go that do not wait in memory, and where the next one has its place; none while no
        /// frame is there.
        var spill: SpillFile?
        var spillEnd = 0
        /// Frames that have a place there and are not appended yet.
        var beingSpilled = 0
        private var isSending = false
        private var isBlocked = false
        /// Whether the other end is gone.
        package private(set) var isClosed = false

        /// Nothing waits yet, of what `budget` counts.
        package init(budget: ClientBudget) {
            self.budget = budget
        }
    }
}

// MARK: Taking frames

extension OutboundQueue.State {
    private mutating func count(_ change: OutboundSize) {
        size += change
        budget.count(change)
    }

    /// Takes a frame behind the others.
    package mutating func append(_ item: OutboundQueue.Item) {
        items.append(item)
        count(item.size)
    }

    /// Takes a push unless too much waits already.
    package mutating func append(push item: OutboundQueue.Item) -> Bool {
        if isClosed { return true }
        if budget.refuses(push: item.byteCount, own: size.bytes) { return false }
        append(item)
        return true
    }

    /// Takes a frame to send: `true` if the caller is to send it at once, `false` if it waits, `nil` if the
    /// queue is closed.
    package mutating func begin(_ item: OutboundQueue.Item) -> Bool? {
        if isClosed { return nil }
        guard items.isEmpty, !isSending, !isBlocked, item.descriptors.isEmpty else {
            append(item)
            return false
        }
        isSending = true
        return true
    }

    /// Puts a frame first of which so much is sent.
    private mutating func prepend(_ item: OutboundQueue.Item, sent: Int) {
        items.prepend(item)
        sentOfFirst = sent
        var left = item.size
        left.bytes -= sent
        count(left)
    }

    /// Takes the first frame out, whose bytes were counted as they went.
    private mutating func removeFirst() {
        guard let first = items.popFirst() else { return }
        var gone = -first.size
        gone.bytes = 0
        count(gone)
        if size.spilled == 0, beingSpilled == 0 { (spill, spillEnd) = (nil, 0) }
    }
}

// MARK: Sending

extension OutboundQueue.State {
    /// What to send next, frames without descriptors together, a frame with descriptors alone; `nil` if
    /// nothing can be sent.
    ///
    /// The caller sends it, and owes `didSend` what came of that.
    package mutating func take() -> OutboundQueue.Piece? {
        if isSending || isBlocked || items.isEmpty { return nil }
        isSending = true
        var piece = OutboundQueue.Piece(first: items[0], offset: sentOfFirst)
        if piece.first.isPlain {
            var count = 1
            while count < items.count, count < 12, items[count].isPlain {
                piece.others.append(items[count])
                count += 1
            }
        }
        return piece
    }

    /// Notes what came of sending a piece; what the flush ends with, or `nil` if it goes on.
    package mutating func didSend(
        _ piece: OutboundQueue.Piece, _ result: SendResult
    ) -> OutboundQueue.FlushResult? {
        isSending = false
        switch result {
        case .wouldBlock:
            isBlocked = true
            return .blocked
        case .closed:
            close()
            return .closed
        case .sent(let count):
            if isClosed { return .closed }
            if piece.first.spilled == nil { self.count(OutboundSize(bytes: -count)) }
            var left = piece.offset + count
            while let first = items.first, left >= first.byteCount {
                left -= first.byteCount
                removeFirst()
            }
            sentOfFirst = left
            if left > 0 { items[0].descriptors = [] }  // They rode on the first byte.
            return nil
        }
    }

    /// Notes what came of sending a frame that `begin` said to send at once; `nil` if there is more to flush.
    package mutating func didSend(
        alone item: OutboundQueue.Item, _ result: SendResult
    ) -> OutboundQueue.FlushResult? {
        isSending = false
        switch result {
        case _ where isClosed: return .closed
        case .closed:
            close()
            return .closed
        case .sent(let count) where count == item.byteCount: return items.isEmpty ? .sent : nil
        case .sent(let count):
            prepend(item, sent: count)
            return nil
        case .wouldBlock:
            prepend(item, sent: 0)
            isBlocked = true
            return .blocked
        }
    }

    /// The socket can be written again.
    package mutating func unblock() { isBlocked = false }

    /// Forgets everything; the other end is gone.
    package mutating func close() {
        isClosed = true
        items = []
        spill = nil
        count(-size)
    }
}
