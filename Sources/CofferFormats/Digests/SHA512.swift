internal import CSodium

/// SHA-512 of FIPS 180-4, through libsodium, which needs no `sodium_init` for it.
///
/// Safe: libsodium reads what it is lent, and writes a digest of the size that it documents.
@safe package struct SHA512: HashFunction {
    private var state = crypto_hash_sha512_state()

    package init() { unsafe crypto_hash_sha512_init(&state) }

    package mutating func update(_ bytes: [UInt8]) {
        unsafe crypto_hash_sha512_update(&state, bytes, UInt64(bytes.count))
    }

    package func digest() -> [UInt8] {
        // Finishing spends the state; this one may go on.
        var state = state
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha512_BYTES))
        unsafe crypto_hash_sha512_final(&state, &digest)
        return digest
    }
}
