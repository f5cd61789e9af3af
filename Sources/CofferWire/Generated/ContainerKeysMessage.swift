// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// A container's key, wrapped twice.
///
/// `coffer.v1.ContainerKeys`.
package struct ContainerKeysMessage: Sendable, Equatable {
    /// 16 bytes, of Argon2id.
    package var salt: [UInt8]
    /// Passes of Argon2id.
    package var operations: UInt64
    /// Bytes that Argon2id takes.
    package var memory: UInt64
    /// 24 bytes.
    package var passphraseNonce: [UInt8]
    /// The key sealed with what Argon2id makes of the passphrase: 48 bytes.
    package var passphraseWrapped: [UInt8]
    /// 24 bytes.
    package var recoveryNonce: [UInt8]
    /// The key sealed with the recovery code's: 48 bytes.
    package var recoveryWrapped: [UInt8]

    /// A message from its fields.
    package init(
        salt: [UInt8], operations: UInt64, memory: UInt64, passphraseNonce: [UInt8],
        passphraseWrapped: [UInt8], recoveryNonce: [UInt8], recoveryWrapped: [UInt8]
    ) {
        self.salt = salt
        self.operations = operations
        self.memory = memory
        self.passphraseNonce = passphraseNonce
        self.passphraseWrapped = passphraseWrapped
        self.recoveryNonce = recoveryNonce
        self.recoveryWrapped = recoveryWrapped
    }
}

extension ContainerKeysMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ContainerKeys>) {
        unsafe coffer__v1__container_keys__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ContainerKeys>) throws(WireError) {
        let c = unsafe message.pointee
        salt = unsafe c.salt.array()
        operations = unsafe c.operations
        memory = unsafe c.memory
        passphraseNonce = unsafe c.passphrase_nonce.array()
        passphraseWrapped = unsafe c.passphrase_wrapped.array()
        recoveryNonce = unsafe c.recovery_nonce.array()
        recoveryWrapped = unsafe c.recovery_wrapped.array()
    }

    func fill(_ c: inout Coffer__V1__ContainerKeys, in arena: inout PackArena) {
        unsafe c.salt = arena.data(salt)
        unsafe c.operations = operations
        unsafe c.memory = memory
        unsafe c.passphrase_nonce = arena.data(passphraseNonce)
        unsafe c.passphrase_wrapped = arena.data(passphraseWrapped)
        unsafe c.recovery_nonce = arena.data(recoveryNonce)
        unsafe c.recovery_wrapped = arena.data(recoveryWrapped)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
