/// SHA-256, the hash function of FIPS 180-4, in safe Swift.
///
/// A value: a copy goes on by itself, so that texts with the same beginning hash that beginning once.
package struct SHA256: Sendable {
    /// Bytes of a digest.
    package static let digestSize = 32
    private static let blockSize = 64

    private var state: InlineArray<8, UInt32> = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
        0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    /// Bytes of a block that is not yet whole.
    private var pending: [UInt8] = []
    private var byteCount: UInt64 = 0

    /// A hash of nothing so far.
    package init() {}

    /// The digest of `bytes`.
    package static func digest(of bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash = Self()
        hash.update(bytes)
        return hash.digest()
    }

    /// Adds `bytes` to what is hashed.
    package mutating func update(_ bytes: some Sequence<UInt8>) {
        let bytes = (bytes as? [UInt8]) ?? Array(bytes)
        update(bytes.span)
    }

    /// Adds `bytes` to what is hashed, without a copy.
    package mutating func update(_ bytes: Span<UInt8>) {
        byteCount &+= UInt64(bytes.count)
        var offset = 0
        if !pending.isEmpty {
            offset = min(Self.blockSize - pending.count, bytes.count)
            for i in 0..<offset { pending.append(bytes[i]) }
            guard pending.count == Self.blockSize else { return }
            let block = pending
            pending = []
            compress(block.span, at: 0)
        }
        while bytes.count - offset >= Self.blockSize {
            compress(bytes, at: offset)
            offset += Self.blockSize
        }
        for i in offset..<bytes.count { pending.append(bytes[i]) }
    }

    /// The digest of all bytes added so far; more can be added after it.
    package func digest() -> [UInt8] {
        var padded = self
        var padding: [UInt8] = [0x80]
        while (pending.count + padding.count) % Self.blockSize != Self.blockSize - 8 { padding.append(0) }
        for shift in stride(from: 56, through: 0, by: -8) {
            padding.append(UInt8(truncatingIfNeeded: (byteCount << 3) >> UInt64(shift)))
        }
        padded.update(padding.span)
        var digest: [UInt8] = []
        digest.reserveCapacity(Self.digestSize)
        for i in 0..<8 {
            for shift in stride(from: 24, through: 0, by: -8) {
                digest.append(UInt8(truncatingIfNeeded: padded.state[i] >> UInt32(shift)))
            }
        }
        return digest
    }
}

extension SHA256 {
    /// Mixes the block of `bytes` that begins at `offset` into the state.
    private mutating func compress(_ bytes: Span<UInt8>, at offset: Int) {
        var words = InlineArray<16, UInt32>(repeating: 0)
        for i in 0..<16 {
            var word: UInt32 = 0
            for j in 0..<4 { word = word << 8 | UInt32(bytes[offset + i * 4 + j]) }
            words[i] = word
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for round in 0..<64 {
            let next = h &+ Self.big1(e) &+ (g ^ (e & (f ^ g))) &+ roundConstants[round] &+ words[round & 15]
            let mixed = Self.big0(a) &+ ((a & b) | (c & (a | b)))
            (h, g, f, e) = (g, f, e, d &+ next)
            (d, c, b, a) = (c, b, a, next &+ mixed)
            // The word is spent: its place takes the word of 16 rounds later.
            let later = Self.small1(words[(round &+ 14) & 15]) &+ words[(round &+ 9) & 15]
            words[round & 15] = words[round & 15] &+ Self.small0(words[(round &+ 1) & 15]) &+ later
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    @inline(__always)
    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word &>> count | word &<< (32 &- count)
    }

    @inline(__always)
    private static func big0(_ word: UInt32) -> UInt32 {
        rotate(word, 2) ^ rotate(word, 13) ^ rotate(word, 22)
    }

    @inline(__always)
    private static func big1(_ word: UInt32) -> UInt32 {
        rotate(word, 6) ^ rotate(word, 11) ^ rotate(word, 25)
    }

    @inline(__always)
    private static func small0(_ word: UInt32) -> UInt32 { rotate(word, 7) ^ rotate(word, 18) ^ word &>> 3 }

    @inline(__always)
    private static func small1(_ word: UInt32) -> UInt32 { rotate(word, 17) ^ rotate(word, 19) ^ word &>> 10 }
}

/// The first 32 bits behind the point of the cube roots of the first 64 primes.
private let roundConstants: InlineArray<64, UInt32> = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
]
