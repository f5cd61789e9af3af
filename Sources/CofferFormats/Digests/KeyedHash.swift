internal import CSodium

/// HMAC with SHA-256 of RFC 2104, through libsodium, which needs no `sodium_init` for it.
package enum KeyedHash {
    /// Bytes of a key.
    package static let keyByteCount = 32

    /// The 32 bytes that can be computed from the message only with the key; two messages that differ have
    /// different ones.
    ///
    /// Safe: libsodium reads what it is lent, and writes a digest of the size that it documents.
    @safe package static func digest(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var state = crypto_auth_hmacsha256_state()
        var digest = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
        unsafe crypto_auth_hmacsha256_init(&state, key, key.count)
        unsafe crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
        unsafe crypto_auth_hmacsha256_final(&state, &digest)
        return digest
    }
}
