internal import CLinux

/// Bytes that cannot be predicted; `getrandom(2)`.
package enum Randomness {
    /// So many bytes.
    package static func bytes(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let result = unsafe coffer_random(buffer.baseAddress, count)
            precondition(result == 0, "getrandom fails only on kernels that have no such call")
            filled = count
        }
    }

    /// Sixteen bytes as two big-endian words.
    package static func words() -> (UInt64, UInt64) {
        let bytes = bytes(16)
        let high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        let low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
        return (high, low)
    }

    /// The sixteen bytes of a new random UUID as two big-endian words; version 4 of RFC 9562.
    package static func uuid() -> (UInt64, UInt64) {
        let (high, low) = words()
        return (high & ~0xF000 | 0x4000, low & ~(0b11 << 62) | 0b10 << 62)
    }
}
