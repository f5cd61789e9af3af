package import FoundationEssentials

/// `coffer.v1.CopyStoreReply`: how far a copy of objects is; the last one says that the new store is there.
package struct CopyStoreReplyMessage: Sendable, Equatable {
    /// Objects that were copied.
    package var copiedCount: UInt64
    /// All of them.
    package var totalCount: UInt64
    /// What was made; `nil` before it is there.
    package var made: CopiedStoreMessage?

    /// A reply from its fields.
    package init(copiedCount: UInt64, totalCount: UInt64, made: CopiedStoreMessage? = nil) {
        self.copiedCount = copiedCount
        self.totalCount = totalCount
        self.made = made
    }
}

/// `coffer.v1.CopiedStore`: a new store that was made of another, and how ids became those of the new one.
package struct CopiedStoreMessage: Sendable, Equatable {
    /// The UUID of the old store.
    package var formerUUID: UUID
    /// The UUID of the new one.
    package var uuid: UUID
    /// The last transaction in its history.
    package var number: UInt64
    /// What is added to the keys of objects, by the name of their tree's root, where that is not 0.
    package var offsets: [KeyOffsetMessage]
    /// What stayed behind, each a sentence.
    package var leftOut: [String]
    /// How many values are null since their files were missing.
    package var missingCount: UInt64
    /// The first of them.
    package var missingValues: [String]

    /// What was made, from its fields.
    package init(
        formerUUID: UUID, uuid: UUID, number: UInt64, offsets: [KeyOffsetMessage] = [],
        leftOut: [String] = [], missingCount: UInt64 = 0, missingValues: [String] = []
    ) {
        self.formerUUID = formerUUID
        self.uuid = uuid
        self.number = number
        self.offsets = offsets
        self.leftOut = leftOut
        self.missingCount = missingCount
        self.missingValues = missingValues
    }
}

/// `coffer.v1.KeyOffset`: what is added to the keys of one inheritance tree's objects.
package struct KeyOffsetMessage: Sendable, Equatable {
    /// The name of the tree's root.
    package var root: String
    /// What is added, above 0.
    package var offset: UInt64

    /// An offset from its fields.
    package init(root: String, offset: UInt64) {
        self.root = root
        self.offset = offset
    }
}
