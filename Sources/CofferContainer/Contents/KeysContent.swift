internal import CofferWire

/// What a key's object holds: a container's key, wrapped by a passphrase and by a recovery code.
package struct KeysContent: Hashable, Sendable {
    /// 16 bytes, of Argon2id.
    package var salt: [UInt8]
    /// Passes of Argon2id.
    package var passCount: UInt64
    /// Bytes that Argon2id takes.
    package var memoryByteCount: UInt64
    /// The key sealed with what Argon2id makes of the passphrase.
    package var passphrase: Sealed
    /// The key sealed with the recovery code's.
    package var recovery: Sealed

    /// A sealed key.
    package struct Sealed: Hashable, Sendable {
        /// 24 bytes.
        package var nonce: [UInt8]
        /// The key's 32 bytes and a check of 16.
        package var bytes: [UInt8]

        package init(nonce: [UInt8], bytes: [UInt8]) {
            self.nonce = nonce
            self.bytes = bytes
        }
    }

    package init(
        salt: [UInt8], passCount: UInt64, memoryByteCount: UInt64, passphrase: Sealed, recovery: Sealed
    ) {
        self.salt = salt
        self.passCount = passCount
        self.memoryByteCount = memoryByteCount
        self.passphrase = passphrase
        self.recovery = recovery
    }
}

extension KeysContent {
    /// The content of a key's object, which may come from anybody.
    ///
    /// - Throws: `ObjectFault.malformed`, saying what is wrong: also if opening it would take more time
    ///   or memory than any real key does.
    package init(reading content: [UInt8]) throws(ObjectFault) {
        let message = try RegisterContent.reading { () throws(WireError) in
            try ContainerKeysMessage(packed: content)
        }
        for (name, bytes, count) in [
            ("salt", message.salt, 16), ("passphrase_nonce", message.passphraseNonce, 24),
            ("passphrase_wrapped", message.passphraseWrapped, 48),
            ("recovery_nonce", message.recoveryNonce, 24), ("recovery_wrapped", message.recoveryWrapped, 48),
        ] where bytes.count != count {
            throw Self.malformed(name, "\(bytes.count) bytes instead of \(count)")
        }
        guard Limits.passes.contains(message.operations) else {
            throw Self.malformed("operations", "\(message.operations)")
        }
        guard Limits.keyMemory.contains(message.memory) else {
            throw Self.malformed("memory", "\(message.memory)")
        }
        self.init(
            salt: message.salt, passCount: message.operations, memoryByteCount: message.memory,
            passphrase: Sealed(nonce: message.passphraseNonce, bytes: message.passphraseWrapped),
            recovery: Sealed(nonce: message.recoveryNonce, bytes: message.recoveryWrapped))
    }

    private static func malformed(_ field: String, _ reason: String) -> ObjectFault {
        .malformed(reason: "coffer.v1.ContainerKeys.\(field): \(reason)")
    }

    /// Its bytes, before deflate.
    package func bytes() throws(ObjectFault) -> [UInt8] {
        let message = ContainerKeysMessage(
            salt: salt, operations: passCount, memory: memoryByteCount,
            passphraseNonce: passphrase.nonce, passphraseWrapped: passphrase.bytes,
            recoveryNonce: recovery.nonce, recoveryWrapped: recovery.bytes)
        return try RegisterContent.packing { () throws(WireError) in try message.packed() }
    }
}
