import CofferWire
import Testing

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
    let bytes: [UInt8] = [0, 0, 0, 0x40, 1] + [UInt8](repeating: 0, count: 19)
    let expected = WireError.tooLarge(what: "frame payload", byteCount: 1 << 30, limit: 64 << 20)
    #expect(throws: expected) { try unsafe FrameHeader(bytes.span.bytes) }
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
    for kind in [6, 8, 9] as [UInt8] { #expect(fault(4, kind).contains("frame kind: \(kind) is unknown")) }
    #expect(fault(5, 4).contains("frame flags"))
    #expect(fault(5, 1).contains("frame descriptors"))
    #expect(fault(20, 17).contains("frame descriptors"))
    #expect(fault(22, 17, kind: 2).contains("frame status"))
    #expect(fault(22, 1, kind: 1).contains("frame status"))
    #expect(fault(22, 1, kind: 2) == "none")
}

@Test(arguments: 0..<200 as Range<UInt64>)
func `noise on a channel is an error of a frame, or a header`(seed: UInt64) {
    var dice = Dice(seed: seed)
    let bytes = dice.bytes(FrameHeader.byteCount)
    do {
        let header = try unsafe FrameHeader(bytes.span.bytes)
        #expect(header.bytes[..<20] == bytes[..<20])
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
