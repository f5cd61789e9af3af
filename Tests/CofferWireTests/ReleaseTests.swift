import CofferWire
import TestSupport
import Testing

/// Keys of rows that are given up travel as runs.
@Suite struct ReleaseTests {
    private func request(_ keys: [Int64]) -> ReleaseRequestMessage {
        ReleaseRequestMessage(store: 3, entity: 2, primaryKeys: keys)
    }

    /// The bytes of a request as any client may send them.
    private func bytes(starts: [Int64], counts: [UInt32]) -> [UInt8] {
        func length(_ count: Int) -> [UInt8] { [UInt8(count)] }
        let starts = starts.flatMap { key in (0..<8).map { UInt8(truncatingIfNeeded: key >> (8 * $0)) } }
        let counts = counts.flatMap { count in
            var (rest, bytes) = (count, [UInt8]())
            while rest > 0x7F {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            return bytes + [UInt8(rest)]
        }
        return [0x1A] + length(starts.count) + starts + [0x32] + length(counts.count) + counts
    }

    @Test func `ten thousand adjacent keys take a few bytes`() throws {
        let all = request(Array(5_000..<15_000))
        let packed = try all.packed()
        #expect(packed.count < 32)
        #expect(try ReleaseRequestMessage(packed: packed) == all)
    }

    @Test(arguments: Seed.several(1))
    func `any keys come through the wire unchanged, in their order`(seed: Seed) throws {
        var dice = Dice(seed)
        for _ in 0..<200 {
            var keys: [Int64] = []
            for _ in 0..<dice.below(8) {
                let start = dice.flag() ? dice.key() : .max - Int64(dice.below(4))
                for step in 0..<Int64(1 + dice.below(9)) where start <= .max - step {
                    keys.append(start + step)
                }
            }
            let message = request(keys)
            #expect(try ReleaseRequestMessage(packed: message.packed()) == message, "seed \(seed)")
        }
    }

    @Test func `runs that make more of few bytes than a release may name are refused`() throws {
        #expect(
            throws: WireError.tooLarge(
                what: "coffer.v1.ReleaseRequest: keys", byteCount: 8 * 0xFFFF_FFFF, limit: 8 << 20)
        ) {
            try ReleaseRequestMessage(packed: bytes(starts: [1], counts: [.max]))
        }
        let most = bytes(starts: [1, 1 << 30], counts: [1 << 19, 1 << 19])
        #expect(try ReleaseRequestMessage(packed: most).primaryKeys.count == 1 << 20)
    }

    @Test func `counts that are not one for each run, and keys past the last, are malformed`() {
        for wrong in [
            bytes(starts: [1, 9], counts: [1]), bytes(starts: [1], counts: [1, 2]),
            bytes(starts: [], counts: [4]), bytes(starts: [.max], counts: [2]),
        ] {
            let error = #expect(throws: WireError.self) {
                try ReleaseRequestMessage(packed: wrong)
            }
            guard case .malformed = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }
}
