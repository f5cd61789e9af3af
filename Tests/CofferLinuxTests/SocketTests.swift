import CofferLinux
import TestSupport
import Testing

private func pair() throws -> (Socket, Socket) {
    let (left, right) = try SocketPair.make()
    return (Socket(left), Socket(right))
}

/// An expectation may change what it is given in place, but no variable around it.
private func taken(_ count: Int, from buffer: inout ReceiveBuffer) -> [UInt8]? { buffer.take(count) }

private func takenDescriptors(_ count: Int, from buffer: inout ReceiveBuffer) -> [OwnedDescriptor]? {
    buffer.takeDescriptors(count)
}

@Test func `bytes and descriptors arrive together and in order`() throws {
    let (left, right) = try pair()
    let (reader, writer) = try Pipe.make()
    #expect(try left.send(header: [1, 0, 0, 0], payload: [7, 8, 9], descriptors: [writer]) == .sent(7))
    var buffer = ReceiveBuffer()
    #expect(try right.receive(into: &buffer) == .received(7))
    #expect(taken(8, from: &buffer) == nil)
    #expect(taken(4, from: &buffer) == [1, 0, 0, 0])
    #expect(taken(3, from: &buffer) == [7, 8, 9])
    let descriptors = try #require(takenDescriptors(1, from: &buffer))
    #expect(descriptors[0].number != writer.number)
    try descriptors[0].writeAll([42])
    #expect(try reader.read(upTo: 4) == [42])
    #expect(try right.receive(into: &buffer) == .wouldBlock)
}

@Test func `an end that is gone is told, not thrown`() throws {
    let (left, right) = try pair()
    #expect(try left.send([1]) == .sent(1))
    left.shutDown()
    var buffer = ReceiveBuffer()
    #expect(try right.receive(into: &buffer) == .received(1))
    #expect(try right.receive(into: &buffer) == .closed)
    #expect(try right.send([1]) == .closed)
    #expect(try left.send([1, 2], from: 1) == .closed)
}

@Test func `a full socket takes a part and then would block`() throws {
    let (left, right) = try pair()
    let bytes = [UInt8](repeating: 5, count: 4 << 20)
    guard case .sent(let count) = try left.send(bytes) else { throw LinuxError.notSealed }
    #expect(count < bytes.count)
    #expect(try left.send(bytes, from: count) == .wouldBlock)
    #expect(try !left.waitUntilWritable(timeout: .milliseconds(1)))
    var buffer = ReceiveBuffer()
    while try right.receive(into: &buffer) != .wouldBlock {}
    #expect(buffer.count == count)
    #expect(try left.waitUntilWritable(timeout: nil))
}

@Test
func `many parts cross a full socket unharmed`() throws {
    let (left, right) = try pair()
    let parts = (0..<100).map { [UInt8](repeating: UInt8($0), count: $0 * 997) }
    let byteCount = parts.reduce(0) { $0 + $1.count }
    let sender = try WorkerThread(name: "sender") {
        let result = try? StreamEnd(left).sendAll(parts)
        #expect(result == .sent(byteCount))
    }
    var buffer = ReceiveBuffer(limit: byteCount)
    try buffer.reserve(byteCount)
    while buffer.count < byteCount {
        guard case .received = try right.receive(into: &buffer, until: Monotonic.now + 60_000_000_000) else {
            break
        }
    }
    sender.join()
    #expect(taken(byteCount, from: &buffer) == parts.flatMap(\.self))
}

@Test func `waiting for bytes ends with its time`() throws {
    let (left, right) = try pair()
    var buffer = ReceiveBuffer()
    let start = Monotonic.now
    #expect(try right.receive(into: &buffer, until: start + 3_000_000) == .wouldBlock)
    #expect(Monotonic.now - start >= 3_000_000)
    #expect(try left.send([[], [1], [], [2, 3]], from: 1) == .sent(2))
    #expect(try right.receive(into: &buffer, until: nil) == .received(2))
    #expect(taken(2, from: &buffer) == [2, 3])
}

@Test func `a buffer holds no more than its limit`() throws {
    let (left, right) = try pair()
    #expect(try left.send([UInt8](repeating: 1, count: 100)) == .sent(100))
    var buffer = ReceiveBuffer(limit: 64)
    #expect(try right.receive(into: &buffer) == .received(64))
    #expect(throws: LinuxError.bufferFull(limit: 64)) { try right.receive(into: &buffer) }
    #expect(throws: LinuxError.bufferFull(limit: 64)) { try buffer.reserve(65) }
    #expect(taken(10, from: &buffer) != nil)
    #expect(try right.receive(into: &buffer) == .received(10))
    #expect(buffer.count == 64)
}

@Test func `a flood of descriptors is refused and leaks none`() throws {
    let (left, right) = try pair()
    let (_, writer) = try Pipe.make()
    let most = Array(repeating: writer, count: Limits.descriptorsPerMessage)
    #expect(throws: LinuxError.self) { try left.send([1], descriptors: most + [writer]) }
    var buffer = ReceiveBuffer()
    #expect(throws: LinuxError.tooManyDescriptors(limit: Limits.waitingDescriptors)) {
        for _ in 0..<5 {
            _ = try left.send([1], descriptors: most)
            _ = try right.receive(into: &buffer)
        }
    }
    #expect(buffer.descriptorCount == 0)
}

@Test func `a large frame leaves no large buffer behind where the next has begun`() throws {
    let (left, right) = try pair()
    let bytes = (0..<4_000_100).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let sender = try WorkerThread(name: "sender") {
        let result = try? StreamEnd(left).sendAll([bytes])
        #expect(result == .sent(bytes.count))
    }
    var buffer = ReceiveBuffer()
    try buffer.reserve(bytes.count)
    while buffer.count < bytes.count {
        guard case .received = try right.receive(into: &buffer, until: Monotonic.now + 60_000_000_000) else {
            break
        }
    }
    sender.join()
    #expect(taken(4_000_000, from: &buffer) == Array(bytes[..<4_000_000]))
    #expect(buffer.capacity < 10_000)
    #expect(taken(100, from: &buffer) == Array(bytes[4_000_000...]))
}

@Test func `a large frame leaves no large buffer behind`() throws {
    let (left, right) = try pair()
    var buffer = ReceiveBuffer()
    for size in [10, 8192, 200_000, 3] {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        var sent = 0
        while buffer.count < size {
            if sent < size, case .sent(let count) = try left.send(bytes, from: sent) { sent += count }
            _ = try right.receive(into: &buffer)
        }
        #expect(buffer.withBytes { $0.byteCount } == size)
        #expect(taken(size, from: &buffer) == bytes)
        #expect(buffer.count == 0)
    }
}
