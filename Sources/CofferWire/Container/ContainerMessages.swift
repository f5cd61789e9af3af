/// `coffer.v1.ContainerMarker`: that a container is here.
package struct ContainerMarkerMessage: Sendable, Equatable {
    /// The version of the format that its maker writes.
    package var format: UInt32
    /// Who made it.
    package var peer: UInt64
    /// When, in microseconds since 1970.
    package var time: Int64
    /// Whether the content was removed for good.
    package var isRemoved: Bool

    /// A marker from its fields; a field that is left out has its default.
    package init(format: UInt32 = 1, peer: UInt64, time: Int64, isRemoved: Bool = false) {
        self.format = format
        self.peer = peer
        self.time = time
        self.isRemoved = isRemoved
    }
}

/// `coffer.v1.ContainerKeys`: a container's key, wrapped twice.
package struct ContainerKeysMessage: Sendable, Equatable {
    /// 16 bytes, of Argon2id.
    package var salt: [UInt8]
    /// Passes of Argon2id.
    package var operations: UInt64
    /// Bytes that Argon2id takes.
    package var memory: UInt64
    /// The key sealed with what Argon2id makes of the passphrase.
    package var passphrase: Wrapped
    /// The key sealed with the recovery code's.
    package var recovery: Wrapped

    /// A sealed key.
    package struct Wrapped: Sendable, Equatable {
        /// 24 bytes.
        package var nonce: [UInt8]
        /// 48 bytes.
        package var sealed: [UInt8]

        /// A sealed key from its fields.
        package init(nonce: [UInt8], sealed: [UInt8]) {
            self.nonce = nonce
            self.sealed = sealed
        }
    }

    /// Keys from their fields.
    package init(
        salt: [UInt8], operations: UInt64, memory: UInt64, passphrase: Wrapped, recovery: Wrapped
    ) {
        self.salt = salt
        self.operations = operations
        self.memory = memory
        self.passphrase = passphrase
        self.recovery = recovery
    }
}

/// `coffer.v1.ContainerVectorEntry`: what a state has of one peer.
package struct ContainerVectorEntryMessage: Sendable, Equatable {
    /// Whose folds.
    package var peer: UInt64
    /// The last one that it has, or that it skipped.
    package var last: UInt64
    /// The hash of the peer's chain at that fold; empty where it is not known.
    package var chain: [UInt8]
    /// Where each run of folds begins that it does not have.
    package var missingStarts: [UInt64]
    /// How many folds each run has.
    package var missingCounts: [UInt64]

    /// An entry from its fields; a field that is left out has its default.
    package init(
        peer: UInt64, last: UInt64, chain: [UInt8] = [], missingStarts: [UInt64] = [],
        missingCounts: [UInt64] = []
    ) {
        self.peer = peer
        self.last = last
        self.chain = chain
        self.missingStarts = missingStarts
        self.missingCounts = missingCounts
    }
}

/// `coffer.v1.ContainerLog`: registers of some folds of one peer.
package struct ContainerLogMessage: Sendable, Equatable {
    /// When it was written, in microseconds since 1970.
    package var time: Int64
    /// The chain's hash before the first fold.
    package var chainBefore: [UInt8]
    /// The chain's hash after each fold, one after the other.
    package var chain: [UInt8]
    /// What the writer's state has of others.
    package var vector: [ContainerVectorEntryMessage]
    /// Whether `vector` is all that the state has.
    package var isWholeVector: Bool
    /// The digest of the writer's state after the last fold.
    package var digest: [UInt8]
    /// The SHA-256 of the model that names are of; empty where no register is in it.
    package var model: [UInt8]
    /// The hashes of the baselines of others that the writer has joined.
    package var read: [[UInt8]]
    /// The registers; `nil` in a log that is only a receipt.
    package var registers: ContainerRegistersMessage?
    /// The first 8 bytes of a marker's id that the container had; 0 where none was known.
    package var container: UInt64

    /// A log from its fields; a field that is left out has its default.
    package init(
        time: Int64, chainBefore: [UInt8], chain: [UInt8], vector: [ContainerVectorEntryMessage] = [],
        isWholeVector: Bool = false, digest: [UInt8], model: [UInt8] = [], read: [[UInt8]] = [],
        registers: ContainerRegistersMessage? = nil, container: UInt64 = 0
    ) {
        self.time = time
        self.chainBefore = chainBefore
        self.chain = chain
        self.vector = vector
        self.isWholeVector = isWholeVector
        self.digest = digest
        self.model = model
        self.read = read
        self.registers = registers
        self.container = container
    }
}

/// `coffer.v1.ContainerBaseline`: a whole state.
package struct ContainerBaselineMessage: Sendable, Equatable {
    /// When it was written, in microseconds since 1970.
    package var time: Int64
    /// The hashes of its parts.
    package var parts: [[UInt8]]
    /// What the state has, of its author too.
    package var vector: [ContainerVectorEntryMessage]
    /// The state's digest.
    package var digest: [UInt8]
    /// The SHA-256 of the model that names are of.
    package var model: [UInt8]
    /// The first 8 bytes of a marker's id that the container had; 0 where none was known.
    package var container: UInt64

    /// A baseline from its fields; a field that is left out has its default.
    package init(
        time: Int64, parts: [[UInt8]], vector: [ContainerVectorEntryMessage], digest: [UInt8],
        model: [UInt8], container: UInt64 = 0
    ) {
        self.time = time
        self.parts = parts
        self.vector = vector
        self.digest = digest
        self.model = model
        self.container = container
    }
}
