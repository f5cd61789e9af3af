import CofferLinux
import CofferService
import Synchronization
import TestSupport
import Testing

/// The queue's state, with a socket that does what the test says.
@Suite struct OutboundQueueTests {
    private typealias Item = OutboundQueue.Item

    private let budget: ClientBudget

    init() {
        budget = ClientBudget(of: ClientBudget.AllSpilled())
        budget.channels.add(1, ordering: .relaxed)
    }

    private func state() -> OutboundQueue.State { OutboundQueue.State(budget: budget) }

    private func item(_ bytes: [UInt8], memory: Int = 0) -> Item {
        Item(
            header: Array(bytes.prefix(1)), payload: Array(bytes.dropFirst()), descriptors: [],
            memoryByteCount: memory)
    }

    private func item(descriptorWith bytes: [UInt8]) throws -> Item {
        Item(header: bytes, payload: [], descriptors: [try Memfd.sealed([1])], memoryByteCount: 1)
    }

    /// The bytes of a piece that have not gone yet.
    private func bytes(_ piece: OutboundQueue.Piece) -> [UInt8] {
        Array(([piece.first] + piece.others).flatMap { $0.header + $0.payload }.dropFirst(piece.offset))
    }

    @Test func `a frame is sent at once where nothing waits, and waits where somebody sends`() {
        var state = state()
        let first = item([1, 2, 3])
        let isFirst = state.begin(first)
        #expect(isFirst == true)
        let isSecond = state.begin(item([4]))
        #expect(isSecond == false)
        let during = state.take()
        #expect(during == nil, "one sends at a time")
        let result = state.didSend(alone: first, .sent(3))
        #expect(result == nil, "what came meanwhile is to be flushed")
        let next = state.take()
        #expect(next.map(bytes) == [4])
    }

    @Test func `what the socket does not take of a lone frame goes first when it does`() {
        var state = state()
        let first = item([1, 2, 3])
        _ = state.begin(first)
        _ = state.begin(item([4]))
        let result = state.didSend(alone: first, .sent(2))
        #expect(result == nil && state.size == OutboundSize(bytes: 2, frames: 2))
        let piece = state.take()
        #expect(piece.map(bytes) == [3, 4] && piece?.offset == 2)
    }

    @Test func `nothing is sent through a full socket until it can be written again`() {
        var state = state()
        let first = item([1, 2, 3])
        _ = state.begin(first)
        let result = state.didSend(alone: first, .wouldBlock)
        #expect(result == .blocked)
        let isSecond = state.begin(item([4]))
        #expect(isSecond == false)
        let blocked = state.take()
        #expect(blocked == nil)
        state.unblock()
        let piece = state.take()
        #expect(piece.map(bytes) == [1, 2, 3, 4])
    }

    @Test func `small frames go together, a dozen at a time, and one with descriptors goes alone`() throws {
        var state = state()
        for number in 0..<14 as Range<UInt8> { state.append(item([number])) }
        state.append(try item(descriptorWith: [14, 15]))
        state.append(item([16]))
        #expect(state.size == OutboundSize(bytes: 17, memory: 1, frames: 16, descriptors: 1))
        var sent: [[UInt8]] = []
        while let piece = state.take() {
            sent.append(bytes(piece))
            let isOver = state.didSend(piece, .sent(bytes(piece).count)) != nil
            #expect(!isOver)
        }
        #expect(sent == [Array(0..<12), [12, 13], [14, 15], [16]])
        #expect(state.size == OutboundSize())
    }

    @Test func `descriptors go with the first byte of their frame, and not again with the rest`() throws {
        var state = state()
        state.append(try item(descriptorWith: [1, 2, 3]))
        let whole = state.take()
        let first = try #require(whole)
        #expect(first.first.descriptors.count == 1)
        _ = state.didSend(first, .sent(1))
        let left = state.take()
        let rest = try #require(left)
        #expect(rest.first.descriptors.isEmpty && bytes(rest) == [2, 3])
        _ = state.didSend(rest, .sent(2))
        #expect(state.size == OutboundSize())
    }

    @Test(arguments: [false, true])
    func `a queue whose other end is gone forgets what waits, and takes nothing more`(isAlone: Bool) {
        var state = state()
        let first = item([1, 2])
        if isAlone {
            _ = state.begin(first)
            state.append(item([3], memory: 5))
            let result = state.didSend(alone: first, .closed)
            #expect(result == .closed)
        } else {
            state.append(first)
            state.append(item([3], memory: 5))
            guard let piece = state.take() else {
                Issue.record("nothing to send")
                return
            }
            let result = state.didSend(piece, .closed)
            #expect(result == .closed)
        }
        #expect(state.isClosed && state.size == OutboundSize())
        let isSent = state.begin(item([4]))
        #expect(isSent == nil)
        let isTaken = state.append(push: item([5]))
        #expect(isTaken, "a push to nobody is not dropped, or it would be told again")
        let left = state.take()
        #expect(left == nil && state.size == OutboundSize())
    }

    @Test func `a frame that is sent while the queue is closed is no longer counted`() {
        var state = state()
        state.append(item([1, 2]))
        guard let piece = state.take() else {
            Issue.record("nothing to send")
            return
        }
        state.close()
        let result = state.didSend(piece, .sent(2))
        #expect(result == .closed && state.size == OutboundSize())
    }

    @Test func `a push is refused where much waits for the client, on this channel and in all`() {
        var state = state()
        let half = item([UInt8](repeating: 0, count: 256 << 10))
        let isFirstTaken = state.append(push: half)
        let isSecondTaken = state.append(push: half)
        let isThirdTaken = state.append(push: item([1]))
        #expect(isFirstTaken && isSecondTaken && !isThirdTaken)
        state.append(item([1]))
        #expect(state.size.bytes == 512 << 10 + 1, "answers are taken all the same")
    }

    @Test(arguments: Seed.several(50))
    func `whatever a socket takes, all bytes go in their order, and are counted until then`(seed: Seed) throws
    {
        var dice = seed.generator()
        var state = state()
        var (given, taken): ([UInt8], [UInt8]) = ([], [])
        var lone: Item?
        var descriptors = (given: 0, taken: 0)
        func isDone() -> Bool { given.count == taken.count }
        for step in 0..<400 {
            // From some step on nothing is added.
            switch Int.random(in: step < 300 ? 0..<5 : 2..<5, using: &dice) {
            case 0 where lone == nil:
                let new = item(dice.bytes(Int.random(in: 1...20, using: &dice)))
                if state.begin(new) == true { lone = new }
                given += new.header + new.payload
            case 1:
                let bytes = dice.bytes(Int.random(in: 1...20, using: &dice))
                let hasDescriptor = Int.random(in: 0..<3, using: &dice) == 0
                state.append(hasDescriptor ? try item(descriptorWith: bytes) : item(bytes))
                descriptors.given += hasDescriptor ? 1 : 0
                given += bytes
            default: break
            }
            if let item = lone {
                let all = item.header + item.payload
                let result = self.result(upTo: all.count, &dice)
                if case .sent(let count) = result { taken += all.prefix(count) }
                _ = state.didSend(alone: item, result)
                lone = nil
            } else if let piece = state.take() {
                let left = bytes(piece)
                let result = self.result(upTo: left.count, &dice)
                if case .sent(let count) = result {
                    taken += left.prefix(count)
                    descriptors.taken += piece.first.descriptors.count
                }
                _ = state.didSend(piece, result)
            } else {
                state.unblock()
            }
            #expect(state.size.bytes == given.count - taken.count)
        }
        state.unblock()
        while let piece = state.take() {
            taken += bytes(piece)
            descriptors.taken += piece.first.descriptors.count
            _ = state.didSend(piece, .sent(bytes(piece).count))
        }
        #expect(given == taken && descriptors.given == descriptors.taken)
        #expect(state.size == OutboundSize() && !budget.refuses(push: 512 << 10, own: 1))
    }

    /// What a socket may do with so many bytes.
    private func result(upTo count: Int, _ dice: inout SeededGenerator) -> SendResult {
        switch Int.random(in: 0..<4, using: &dice) {
        case 0: .wouldBlock
        case 1: .sent(count)
        default: .sent(Int.random(in: 1...count, using: &dice))
        }
    }
}
