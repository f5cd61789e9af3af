import CofferModel
import CofferWire
import FoundationEssentials
import Testing

private func again<Message: WireMessage>(_ message: Message) throws -> Bool {
    try Message(packed: message.packed()) == message
}

private func read(_ bytes: [UInt8], as type: any WireMessage.Type) -> (any WireMessage)? {
    do {
        let message = try type.init(packed: bytes)
        _ = try message.packed()  // What was read can be written.
        return message
    } catch {
        return nil  // A precise error is as good as a value.
    }
}

@Test(arguments: 0..<200 as Range<UInt64>)
func `every message comes back as it was`(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    for message in dice.messages() {
        #expect(try again(message), "seed \(seed): \(message)")
    }
}

@Test func `fields that are not known are passed over, and those of another form refused`() throws {
    let request = FetchRequestMessage(store: 5, fetch: FetchDescription(entityName: "Note"))
    let bytes = try request.packed()
    // Fields 100 to 103: a number, 8 bytes, a run and 4 bytes.
    let unknown: [UInt8] =
        [0xA0, 0x06, 0x81, 0x01] + [0xA9, 0x06, 1, 2, 3, 4, 5, 6, 7, 8] + [0xB2, 0x06, 2, 9, 9]
        + [0xBD, 0x06, 1, 2, 3, 4]
    #expect(try FetchRequestMessage(packed: unknown + bytes + unknown) == request)
    for broken in [[0x08], [0x09, 1, 2, 3, 4, 5, 6, 7, 8], [0x0A, 1, 5], [0x12, 5, 1], [0x0B], [0x00, 0]]
        as [[UInt8]]
    {
        #expect(throws: WireError.malformed("coffer.v1.FetchRequest: not this message")) {
            _ = try FetchRequestMessage(packed: bytes + broken)
        }
    }
}

@Test(arguments: 0..<4 as Range<UInt64>)
func `messages that are cut short give an error or a value`(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    for message in dice.messages() {
        let bytes = try message.packed()
        for count in 0..<min(bytes.count, 600) { _ = read(Array(bytes[..<count]), as: type(of: message)) }
    }
}

@Test(arguments: 0..<10 as Range<UInt64>)
func `messages with flipped bits give an error or a value`(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    for message in dice.messages() {
        let bytes = try message.packed()
        for _ in 0..<100 where !bytes.isEmpty {
            var broken = bytes
            for _ in 0...dice.below(3) { broken[dice.below(bytes.count)] ^= 1 << UInt8(dice.below(8)) }
            _ = read(broken, as: type(of: message))
        }
    }
}

@Test func `bytes of nothing but noise give an error or a value`() {
    var dice = Dice(seed: 7)
    for message in dice.messages() {
        for length in 0..<100 { _ = read(dice.bytes(length), as: type(of: message)) }
    }
}

@Test func `deep nesting gives an error or a value`() {
    var dice = Dice(seed: 8)
    var nested: [UInt8] = []
    for _ in 0..<3_000 {
        var length = nested.count
        var prefix: [UInt8] = []
        repeat {
            prefix.append(UInt8(length & 0x7F) | (length > 0x7F ? 0x80 : 0))
            length >>= 7
        } while length > 0
        nested = [UInt8((1 + dice.below(9)) << 3 | 2)] + prefix + nested
    }
    let groups = [UInt8](repeating: 0x0B, count: 100_000)
    for message in dice.messages() {
        _ = read(nested, as: type(of: message))
        _ = read(groups, as: type(of: message))
    }
}

@Test func `an error that is too long is cut, not lost`() throws {
    let long = String(repeating: "ü", count: 100_000)
    let detail = ErrorDetailMessage(code: .dataLoss, reason: "damaged", text: "x" + long, place: long)
    let read = try ErrorDetailMessage(packed: detail.packed())
    #expect((8_190...8_192).contains(read.text.utf8.count))
    #expect(read.text.hasPrefix("xüü") && read.text.hasSuffix("ü…"))
}

@Test func `a message is read in place from a larger buffer`() throws {
    let message = CloseStoreRequestMessage(store: 77)
    let packed = try message.packed()
    let buffer = [9, 9, 9] + packed + [9]
    let span = buffer.span.extracting(3..<(3 + packed.count))
    #expect(try unsafe CloseStoreRequestMessage(packed: span.bytes) == message)
}
