import CofferLinux
import Synchronization
import TestSupport
import Testing

/// Two ends of a stream with memory between them, which the left one made, and that memory's descriptor.
private struct Ends {
    let left: StreamEnd
    let right: StreamEnd
    let descriptor: OwnedDescriptor

    init() throws {
        let (one, two) = try SocketPair.make()
        left = StreamEnd(Socket(one))
        right = StreamEnd(Socket(two))
        let (memory, descriptor) = try SharedFrameMemory.make()
        self.descriptor = descriptor
        #expect(left.adopt(memory))
        #expect(right.adopt(try SharedFrameMemory.map(descriptor)))
    }

    /// The number at the beginning of what the left end writes.
    var word: SharedFrameWord? { get throws { try word(at: 0) } }

    private func word(at offset: Int) throws -> SharedFrameWord? {
        let bytes = try descriptor.read(upTo: 8, at: offset)
        return SharedFrameWord(rawValue: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Writes it as another process may.
    func write(word: UInt64) throws {
        try descriptor.writeAll((0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }, at: 0)
    }

    /// Receives at the right end on a thread of its own until something comes, and always spins before it
    /// looks elsewhere.
    func receiving(_ received: Received) throws -> WorkerThread { try receiving(received, at: right) }

    /// Receives what comes at one end, on a thread of its own, into `received`.
    func receiving(_ received: Received, at end: StreamEnd) throws -> WorkerThread {
        try WorkerThread(name: "receiver") {
            var input = StreamInput()
            var result = Result<ReceiveResult, LinuxError>.success(.wouldBlock)
            while result == .success(.wouldBlock) {
                // A new one each time: another gives up if others want the processor.
                var policy = SpinPolicy(limit: .seconds(1), processorCount: 2)
                result = Result { () throws(LinuxError) in
                    try input.receive(from: end, spinning: &policy)
                }
            }
            received.put(result, input.buffer.take(input.buffer.count) ?? [], input.received)
        }
    }

    /// Returns when one end looks: the right one, or the one that made the memory.
    func waitUntilOpen(_ isMaker: Bool = false) throws {
        try waitUntil("the other end looks") {
            if case .open = try word(at: isMaker ? SharedFrameMemory.callByteCount : 0)?.state {
                true
            } else {
                false
            }
        }
    }
}

/// What came of receiving.
private final class Received: Sendable {
    private let state = Mutex<(Result<ReceiveResult, LinuxError>, [UInt8], UInt64)?>(nil)

    func put(_ result: Result<ReceiveResult, LinuxError>, _ bytes: [UInt8], _ throughSocket: UInt64) {
        state.withLock { $0 = (result, bytes, throughSocket) }
    }

    var result: Result<ReceiveResult, LinuxError>? { state.withLock { $0?.0 } }
    var bytes: [UInt8]? { state.withLock { $0?.1 } }
    var throughSocket: UInt64? { state.withLock { $0?.2 } }
}

private let words: [SharedFrameWord] = [false, true].flatMap { isMarked in
    [
        .closed, .open(received: 0), .open(received: 7), .open(received: .max >> 3), .full(byteCount: 1),
        .full(byteCount: 4032),
    ].map { SharedFrameWord($0, isMarked: isMarked) }
}

@Test func `a word stands in memory as what it is`() {
    for word in words { #expect(SharedFrameWord(rawValue: word.rawValue) == word) }
    #expect(Set(words.map(\.rawValue)).count == words.count)
    #expect(SharedFrameWord(rawValue: 3) == nil)
    #expect(SharedFrameWord(rawValue: 8) == nil)
}

@Test(arguments: words)
func `bytes are put down only for a receiver that polls and has taken all else`(_ word: SharedFrameWord) {
    for sent: UInt64 in [0, 7, 8, .max >> 3, .max] {
        let allowed = word.state == .open(received: sent & .max >> 3) && !word.isMarked
        #expect(word.put(byteCount: 5, sent: sent) == (allowed ? SharedFrameWord(.full(byteCount: 5)) : nil))
    }
}

@Test func `a receiver that polls is handed the bytes, and nothing goes through the socket`() throws {
    // If others want the processor, a receiver that polls may have stopped again.
    try waitUntil("bytes are passed in memory") {
        let ends = try Ends()
        let received = Received()
        let thread = try ends.receiving(received)
        try ends.waitUntilOpen()
        #expect(try ends.left.send(header: [1, 2], payload: [3]) == .sent(3))
        thread.join()
        #expect(received.bytes == [1, 2, 3])
        #expect(received.throughSocket == UInt64(ends.left.sentThroughSocket))
        return received.throughSocket == 0
    }
}

@Test func `what has no room goes through the socket, and a receiver that polls hears of it`() throws {
    let bytes = (0..<4033).map { UInt8(truncatingIfNeeded: $0) }
    try waitUntil("4032 bytes are passed in memory") {
        for byteCount in [4033, 4032] {
            let ends = try Ends()
            let received = Received()
            let thread = try ends.receiving(received)
            try ends.waitUntilOpen()
            #expect(try ends.left.send(header: [], payload: Array(bytes[..<byteCount])) == .sent(byteCount))
            thread.join()
            #expect(received.bytes == Array(bytes[..<byteCount]))
            if byteCount == 4033 {
                #expect(received.throughSocket == 4033)
            } else if received.throughSocket == 0 {
                return true
            }
        }
        return false
    }
}

@Test func `the maker of the memory is handed parts of large answers`() throws {
    let room = SharedFrameMemory.answerByteCount - 64
    let bytes = (0...room).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try waitUntil("\(room) bytes are passed in memory") {
        for byteCount in [room + 1, room] {
            let ends = try Ends()
            let received = Received()
            let thread = try ends.receiving(received, at: ends.left)
            try ends.waitUntilOpen(true)
            #expect(try ends.right.send(header: [], payload: Array(bytes[..<byteCount])) == .sent(byteCount))
            thread.join()
            if byteCount > room {
                #expect(received.throughSocket == UInt64(received.bytes?.count ?? 0))
            } else if received.throughSocket == 0 {
                #expect(received.bytes == Array(bytes[..<byteCount]))
                return true
            }
        }
        return false
    }
}

@Test func `descriptors go through the socket`() throws {
    let ends = try Ends()
    let received = Received()
    let thread = try ends.receiving(received)
    try ends.waitUntilOpen()
    #expect(try ends.left.send(header: [1], payload: [2], descriptors: [ends.descriptor]) == .sent(2))
    thread.join()
    #expect(received.bytes == [1, 2])
    #expect(received.throughSocket == 2)
}

@Test func `between two polls bytes are passed in memory, none lost to an end that stops polling`() throws {
    let ends = try Ends()
    var input = StreamInput()
    var result = try input.poll(ends.right)
    #expect(result == .wouldBlock)
    #expect(try ends.word == SharedFrameWord(.open(received: 0)))
    var hasNews = input.hasNews(at: ends.right)
    #expect(!hasNews)
    #expect(try ends.left.send(header: [1], payload: [2]) == .sent(2))
    hasNews = input.hasNews(at: ends.right)
    #expect(hasNews)
    #expect(ends.left.sentThroughSocket == 0)
    // What comes while the first still wait takes the socket, and is behind them.
    #expect(try ends.left.send(header: [3], payload: []) == .sent(1))
    #expect(ends.left.sentThroughSocket == 1)
    result = try input.poll(ends.right)
    #expect(result == .received(2))
    result = try input.poll(ends.right)
    #expect(result == .received(1))
    result = try input.poll(ends.right)
    #expect(result == .wouldBlock)
    var isPolling = input.isPolling
    #expect(isPolling)
    #expect(try ends.left.send(header: [4], payload: [5]) == .sent(2))
    #expect(ends.left.sentThroughSocket == 1)
    result = try input.receive(from: ends.right)
    #expect(result == .received(2))
    isPolling = input.isPolling
    #expect(!isPolling)
    #expect(try ends.word == SharedFrameWord(.closed))
    let bytes = input.buffer.take(5)
    #expect(bytes == [1, 2, 3, 4, 5])
    result = try input.poll(ends.right)
    #expect(result == .wouldBlock)
    ends.right.shutDown()
    hasNews = input.hasNews(at: ends.right)
    #expect(hasNews)
    result = try input.poll(ends.right)
    #expect(result == .closed)
}

@Test func `without memory a look is a reception`() throws {
    let (one, two) = try SocketPair.make()
    let (left, right) = (StreamEnd(Socket(one)), StreamEnd(Socket(two)))
    var input = StreamInput()
    var result = try input.poll(right)
    #expect(result == .wouldBlock)
    let isPolling = input.isPolling
    #expect(!isPolling)
    #expect(try left.send(header: [1], payload: [2]) == .sent(2))
    result = try input.poll(right)
    #expect(result == .received(2))
}

@Test func `an end that does not poll finds it in the socket`() throws {
    let ends = try Ends()
    #expect(try ends.left.send(header: [1], payload: [2]) == .sent(2))
    #expect(try ends.word == SharedFrameWord(.closed, isMarked: true))
    var input = StreamInput()
    let result = try input.receive(from: ends.right)
    #expect(result == .received(2))
}

@Test func `an end that is shut down takes and gives nothing more, however the other end looks`() throws {
    let ends = try Ends()
    let received = Received()
    let thread = try ends.receiving(received)
    try ends.waitUntilOpen()
    // The right end is shut down while its own thread looks.
    ends.right.shutDown()
    thread.join()
    #expect(received.result == .success(.closed))
    #expect(try ends.word == SharedFrameWord(.closed))
    #expect(try ends.left.send(header: [1], payload: [2]) == .closed)

    let others = try Ends()
    let looking = Received()
    let other = try others.receiving(looking)
    try others.waitUntilOpen()
    others.left.shutDown()
    #expect(try others.left.send(header: [1], payload: [2]) == .closed)
    other.join()
    #expect(looking.result == .success(.closed))
    #expect(looking.bytes == [])
}

@Test func `the end of the other is seen by a receiver that polls`() throws {
    let ends = try Ends()
    ends.left.socket.shutDown()
    var input = StreamInput()
    var policy = SpinPolicy(limit: .milliseconds(2), processorCount: 2)
    let result = try input.receive(from: ends.right, spinning: &policy)
    #expect(result == .closed)
    #expect(try ends.word == SharedFrameWord(.closed))
}

@Test(arguments: [UInt64(4033) << 3 | 2, UInt64.max & ~5])
func `more bytes than there is room for are refused`(_ word: UInt64) throws {
    let ends = try Ends()
    let received = Received()
    let thread = try ends.receiving(received)
    try waitUntil("the bytes are refused") {
        if case .open = try ends.word?.state { try ends.write(word: word) }
        return received.result != nil
    }
    thread.join()
    #expect(received.result == .failure(.wrongSize(expected: 4032, actual: Int(word >> 3))))
}

@Test func `memory whose length may change, or is another, is refused`() throws {
    try withTemporaryFolder { path in
        let file = try Folder(at: path).openBeneath("memory", [.create, .readWrite])
        try file.truncate(to: SharedFrameMemory.byteCount)
        #expect(throws: LinuxError.notSealed) { try SharedFrameMemory.map(file) }
    }
    // Sealed against writing too, and of no page at all.
    #expect(throws: LinuxError.wrongSize(expected: SharedFrameMemory.byteCount, actual: 3)) {
        try SharedFrameMemory.map(Memfd.sealed([1, 2, 3]))
    }
    let readOnly = try Memfd.sealed([UInt8](repeating: 0, count: SharedFrameMemory.byteCount))
    #expect(throws: LinuxError.self) { try SharedFrameMemory.map(readOnly) }
}

@Test(arguments: Seed.several(4), [false, true])
func `one stream stays one, whichever way its pieces take`(_ seed: Seed, toMaker: Bool) throws {
    let ends = try Ends()
    let (source, target) = toMaker ? (ends.right, ends.left) : (ends.left, ends.right)
    let total = 400_000
    var input = StreamInput()
    // A receiver that looks is handed the first bytes, whatever the processors do later.
    #expect(try input.poll(target) == .wouldBlock)
    #expect(try source.send(header: [0], payload: [1, 2]) == .sent(3))
    let sender = try WorkerThread(name: "sender") {
        var random = seed.generator()
        var next = 3
        func piece(_ count: Int) -> [UInt8] {
            defer { next += count }
            return (next..<next + count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
        }
        do {
            while next < total {
                let size = Int.random(
                    in: 1...(Int.random(in: 0..<20, using: &random) == 0 ? 20_000 : 300), using: &random)
                let (header, payload) = (piece(1), piece(size))
                let parts =
                    Int.random(in: 0..<8, using: &random) == 0 ? [header, [], payload] : [header, payload]
                let descriptors = Int.random(in: 0..<8, using: &random) == 0 ? [ends.descriptor] : []
                guard case .sent = try source.sendAll(parts, descriptors: descriptors) else { break }
                // The other end shall go through all it may do while nothing comes.
                let pause = Monotonic.now + UInt64.random(in: 0..<40_000, using: &random)
                while Monotonic.now < pause {}
            }
        } catch {
            Issue.record(error)
        }
        source.socket.shutDown()
    }
    var random = SeededGenerator(seed: seed.value &+ 1)
    var position = 0
    var isClosed = false
    func receiveSpinning() throws(LinuxError) -> ReceiveResult {
        // A new one each time: another gives up if others want the processor.
        var policy = SpinPolicy(limit: .milliseconds(5), processorCount: 2)
        return try input.receive(from: target, spinning: &policy)
    }
    while !isClosed {
        let result =
            switch Int.random(in: 0..<9, using: &random) {
            case 0: try input.receive(from: target)
            case 2, 3, 4: try input.poll(target)
            case 1: try input.receive(from: target, until: Monotonic.now + 1_000_000)
            default: try receiveSpinning()
            }
        isClosed = result == .closed
        guard let bytes = input.buffer.take(input.buffer.count) else { break }
        _ = input.buffer.takeDescriptors(input.buffer.descriptorCount)
        let expected = (position..<position + bytes.count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
        guard bytes == expected else {
            Issue.record("the stream is broken within \(bytes.count) bytes from byte \(position) on")
            break
        }
        position += bytes.count
    }
    sender.join()
    #expect(position >= total)
    #expect(input.received < UInt64(position), "nothing was passed in memory")
}
