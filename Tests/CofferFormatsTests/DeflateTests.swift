import CofferFormats
import FoundationEssentials
import TestSupport
import Testing

@Suite struct DeflateTests {
    @Test(arguments: Seed.several(4))
    func `whatever is compressed comes back`(seed: Seed) throws {
        print("deflate, seed \(seed)")
        var random = seed.generator()
        for _ in 0..<60 {
            let alphabet = Int.random(in: 1...256, using: &random)
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...300, using: &random) {
                if !bytes.isEmpty, Bool.random(using: &random) {
                    let start = Int.random(in: 0..<bytes.count, using: &random)
                    bytes += bytes[start..<min(bytes.count, start + Int.random(in: 1...700, using: &random))]
                } else {
                    bytes.append(UInt8(Int.random(in: 0..<alphabet, using: &random)))
                }
            }
            let compressed = RawDeflate.compress(bytes)
            #expect(try RawDeflate.decompress(compressed, limit: bytes.count) == bytes)
            if !bytes.isEmpty {
                #expect(throws: FormatError.self) {
                    try RawDeflate.decompress(compressed, limit: bytes.count - 1)
                }
            }
        }
    }

    @Test func `what repeats far away is found again, and shrinks`() throws {
        let text = Array(repeating: Array("NSAttributeDescription ".utf8), count: 2_000).flatMap(\.self)
        let compressed = RawDeflate.compress(text)
        #expect(compressed.count < text.count / 50)
        #expect(try RawDeflate.decompress(compressed, limit: text.count) == text)
    }

    /// What zlib makes of texts, without its header.
    @Test func `streams of zlib are read`() throws {
        let stored: [UInt8] = [0x01, 0x03, 0x00, 0xFC, 0xFF, 0x61, 0x62, 0x63]
        #expect(try RawDeflate.decompress(stored, limit: 10) == Array("abc".utf8))
        // zlib.compressobj(9, zlib.DEFLATED, -15) of 'ab' * 20, with fixed codes.
        let fixed: [UInt8] = [
            0x4B, 0x4C, 0x4A, 0x24, 0x0A, 0x02, 0x00,
        ]
        #expect(try RawDeflate.decompress(fixed, limit: 40) == Array(String(repeating: "ab", count: 20).utf8))
        // The text of bytes(i * i % 251 % 17 for i in range(600)), with codes of its own.
        let dynamic: [UInt8] = [
            0xED, 0xCF, 0xC9, 0x71, 0x05, 0x31, 0x08, 0x40, 0x41, 0x10, 0x9B, 0x24, 0xD6, 0xFC,
            0xA3, 0xFD, 0x33, 0x65, 0x1F, 0xEC, 0x00, 0x7C, 0xF3, 0x95, 0xA2, 0x1E, 0x34, 0x20,
            0x9F, 0xD9, 0xAB, 0x33, 0x7B, 0xED, 0x39, 0x2C, 0x2C, 0x3B, 0x29, 0xAE, 0x32, 0x6B,
            0x91, 0x33, 0xC1, 0x80, 0xC5, 0xEA, 0x23, 0x66, 0x07, 0xB4, 0x5C, 0x49, 0xAD, 0x56,
            0xCA, 0x4C, 0x21, 0x39, 0x84, 0x30, 0xB2, 0x04, 0xBB, 0x21, 0x12, 0x9D, 0x54, 0xF4,
            0xEB, 0xB7, 0xE5, 0x32, 0xB8, 0x27, 0xAC, 0x4B, 0x1D, 0xB6, 0x7D, 0xD4, 0x05, 0x67,
            0x50, 0xAC, 0xF7, 0x9B, 0xA4, 0xDD, 0x86, 0x15, 0x51, 0xF8, 0x63, 0xF0, 0xB5, 0xE1,
            0x3A, 0xBE, 0x2D, 0x9A, 0xEE, 0x82, 0x74, 0x07, 0xBE, 0xD2, 0x4F, 0xD2, 0x51, 0xF3,
            0x10, 0x21, 0x9A, 0xF3, 0xF7, 0x51, 0x70, 0xC2, 0x9A, 0x91, 0x5C, 0x65, 0xCF, 0x5B,
            0x5E, 0x0A, 0xC7, 0x4C, 0x4E, 0xAF, 0xB0, 0x37, 0xC9, 0x4E, 0xF5, 0x3A, 0x6E, 0x50,
            0xEE, 0x07, 0xF6, 0x5B, 0x8A, 0xF0, 0x4F, 0xFF, 0x3B, 0xFA, 0x07,
        ]
        #expect(
            try RawDeflate.decompress(dynamic, limit: 600) == (0..<600).map { UInt8($0 * $0 % 251 % 17) })
    }

    @Test(arguments: Seed.several(2))
    func `a stream that is broken is refused or ends, and never traps`(seed: Seed) throws {
        print("broken deflate, seed \(seed)")
        var random = seed.generator()
        let whole = RawDeflate.compress((0..<500).map { UInt8(truncatingIfNeeded: $0 / 3) })
        for length in 0..<whole.count {
            #expect(throws: FormatError.self) {
                try RawDeflate.decompress(Array(whole[..<length]), limit: 10_000)
            }
        }
        var refused = 0
        for _ in 0..<3_000 {
            let bytes = random.bytes(Int.random(in: 0..<60, using: &random))
            do { _ = try RawDeflate.decompress(bytes, limit: 10_000) } catch { refused += 1 }
        }
        #expect(refused > 1_000)
    }

    @Test func `a bomb is refused before it has grown beyond the limit`() throws {
        let bomb = RawDeflate.compress([UInt8](repeating: 0, count: 64 << 20))
        #expect(bomb.count < 100_000)
        #expect(throws: FormatError.damagedDeflate(reason: "they would grow beyond 1000 bytes")) {
            try RawDeflate.decompress(bomb, limit: 1_000)
        }
    }

    @Test func `what follows the last block is passed over`() throws {
        let compressed = RawDeflate.compress(Array("coffer".utf8)) + [1, 2, 3]
        #expect(try RawDeflate.decompress(compressed, limit: 6) == Array("coffer".utf8))
        #expect(try RawDeflate.decompress(RawDeflate.compress([]), limit: 0) == [])
    }
}
