import CofferWire
import Testing

private func frames(_ count: Int, _ dice: inout Dice) throws -> [Frame] {
    try (0..<count).map { index in
        let header = FrameHeader(
            kind: .reply, method: ChannelMethod.allCases[dice.below(15)], callID: dice.next(),
            timeoutMilliseconds: dice.number32(), descriptorCount: dice.below(3),
            status: StatusCode.allCases[dice.below(17)])
        return try Frame(header: header, payload: dice.bytes(dice.below(200)))
    }
}

@Test(arguments: 0..<50 as Range<UInt64>)
func `frames come out of a stream however it is cut`(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let sent = try frames(20, &dice)
    var stream = sent.flatMap(\.bytes)[...]
    var reader = FrameReader()
    var received: [Frame] = []
    while !stream.isEmpty {
        let piece = stream.prefix(1 + dice.below(300))
        stream = stream.dropFirst(piece.count)
        reader.append(piece)
        while let frame = try reader.next() { received.append(frame) }
        #expect(reader.missingByteCount > 0)
    }
    #expect(received == sent, "seed \(seed)")
    #expect(reader.bufferedByteCount == 0)
}

@Test func `a header has the bytes that the protocol describes`() throws {
    let header = FrameHeader(
        kind: .end, method: .fetch, callID: 0x0102_0304_0506_0708, payloadByteCount: 0x0001_0203,
        flags: .sealedMemory, timeoutMilliseconds: 5_000, descriptorCount: 1, status: .dataLoss)
    let bytes: [UInt8] = [
        3, 2, 1, 0, 4, 1, 7, 0, 8, 7, 6, 5, 4, 3, 2, 1, 0x88, 0x13, 0, 0, 1, 0, 15, 0,
    ]
    #expect(header.bytes == bytes)
    #expect(try unsafe FrameHeader(bytes.span.bytes) == header)
    #expect(header.streamedByteCount == 0)
}

@Test func `a frame that promises a gigabyte is refused at once`() {
    var reader = FrameReader()
    reader.append([0, 0, 0, 0x40, 1] + [UInt8](repeating: 0, count: 19))
    let expected = WireError.tooLarge(what: "frame payload", byteCount: 1 << 30, limit: 64 << 20)
    #expect(throws: expected) { try reader.next() }
}

@Test func `headers that break a rule are refused`() {
    func fault(_ offset: Int, _ value: UInt8, kind: UInt8 = 1) -> String {
        var bytes = [UInt8](repeating: 0, count: 24)
        bytes[4] = kind
        bytes[offset] = value
        do {
            _ = try unsafe FrameHeader(bytes.span.bytes)
            return "none"
        } catch {
            return "\(error)"
        }
    }
    #expect(fault(6, 200) == "none")  // An unknown method is answered, not refused.
    #expect(fault(4, 0).contains("frame kind: 0 is unknown"))
    #expect(fault(4, 9).contains("frame kind: 9 is unknown"))
    #expect(fault(5, 4).contains("frame flags"))
    #expect(fault(5, 1).contains("frame descriptors"))
    #expect(fault(20, 17).contains("frame descriptors"))
    #expect(fault(22, 17, kind: 2).contains("frame status"))
    #expect(fault(22, 1, kind: 1).contains("frame status"))
    #expect(fault(22, 1, kind: 2) == "none")
}

@Test(arguments: 0..<200 as Range<UInt64>)
func `noise on a channel gives errors or frames`(seed: UInt64) {
    var dice = Dice(seed: seed)
    var reader = FrameReader()
    reader.append(dice.bytes(200))
    do {
        while try reader.next() != nil {}
    } catch {
        #expect("\(error)".contains("frame"))
    }
}

@Test func `every method has the name of its rpc`() {
    for method in ChannelMethod.allCases {
        #expect(ChannelMethod(rpcName: method.rpcName) == method)
        let word = "\(method)"
        #expect(method.rpcName == word.prefix(1).uppercased() + word.dropFirst())
    }
    #expect(ChannelMethod(rpcName: "OpenChannel") == nil)
}
