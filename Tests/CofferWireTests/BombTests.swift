import CofferModel
import CofferWire
import Testing

/// Messages of few bytes that would become much memory.
@Suite struct BombTests {
    /// A field that is given empty `1 << doublings` times.
    private func bomb(_ field: UInt32, doublings: Int) -> [UInt8] {
        let tag = UInt8(field & 15) << 3 | 2
        var bytes: [UInt8] = field < 16 ? [tag, 0] : [tag | 0x80, UInt8(field >> 4), 0]
        for _ in 0..<doublings { bytes += bytes }
        return bytes
    }

    /// What Protos calls a message.
    private func name(_ message: any WireMessage) -> String {
        let type = "\(type(of: message))"
        if message is EmptyMessage { return "coffer.v1.ReleaseReply" }
        return "coffer.v1." + (type.hasSuffix("Message") ? String(type.dropLast(7)) : type)
    }

    /// Reads a bomb, of which nothing may be kept; whether it was read at all, and not refused for its
    /// length.
    private func check(_ bomb: [UInt8], of message: any WireMessage) -> Bool {
        do {
            let packed = try type(of: message).init(packed: bomb).packed()
            // The last of many, or nothing: a list of them would be as long again.
            #expect(packed.count <= 64, "\(type(of: message)) keeps them")
        } catch .tooLarge(_, let byteCount, let limit) {
            // Either the message is too long, or its reading was stopped: never more than 64 MiB and twice
            // the message.
            #expect(byteCount <= max(bomb.count, limit) && limit <= 68 << 20)
            return byteCount != bomb.count
        } catch {
            #expect("\(error)".contains("coffer.v1."))
        }
        return true
    }

    @Test func `of a million empty submessages all are refused, or at most one is kept`() throws {
        let shapes = messageShapes()
        var dice = Dice(seed: 9)
        let messages = Dictionary(dice.messages().map { (name($0), $0) }) { $1 }
        var fieldCount = 0
        for (name, message) in messages {
            for field in try #require(shapes[name], "\(name)").growing {
                fieldCount += 1
                if check(bomb(field, doublings: 20), of: message) { continue }
                #expect(check(bomb(field, doublings: 16), of: message), "\(name) is small")
            }
        }
        #expect(fieldCount > 50)
    }

    @Test(arguments: [1 << 20, 1_000])
    func `lists of submessages are refused where they are longer than allowed`(count: Int) throws {
        let bytes = bomb(2, doublings: 20)
        let request = [0x08, 5] + bytes[..<(2 * count)]
        let reserve = { try ReserveKeysRequestMessage(packed: request) }
        guard count > 1_000 else {
            #expect(try reserve().reservations.count == count)
            return
        }
        #expect(
            throws: WireError.tooLarge(
                what: "coffer.v1.ReserveKeysRequest", byteCount: request.count, limit: 256 << 10)
        ) { try reserve() }
        #expect(
            throws: WireError.malformed(
                "coffer.v1.RowsReply.batches: 100001 elements, 100000 are allowed")
        ) { try RowsReplyMessage(packed: bytes) }
    }

    @Test func `a million fields that are not known are passed over`() throws {
        let request = FetchRequestMessage(store: 5, fetch: FetchDescription(entityName: "Note"))
        let bytes = try request.packed()
        let unknown = bomb(100, doublings: 20)
        #expect(try FetchRequestMessage(packed: unknown + bytes) == request)
    }
}
