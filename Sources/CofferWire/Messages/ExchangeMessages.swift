package import FoundationEssentials

/// `coffer.v1.RemoveStoreRequest`: deletes the files of a store that nobody has open, or of any.
package struct RemoveStoreRequestMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// Whether those who have it open are asked and then parted from it; else it is an error.
    package var isEvenIfOpen: Bool
    /// How long their answers are waited for; 0 for what the service thinks right.
    package var waitMilliseconds: UInt32

    /// A request from its fields; a field that is left out has its default.
    package init(name: StoreNameMessage, isEvenIfOpen: Bool = false, waitMilliseconds: UInt32 = 0) {
        self.name = name
        self.isEvenIfOpen = isEvenIfOpen
        self.waitMilliseconds = waitMilliseconds
    }
}

/// `coffer.v1.ReplaceStoreRequest`: puts the file whose descriptor comes along in the place of a store's.
package struct ReplaceStoreRequestMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// How long the answers of those who have it open are waited for; 0 for what the service thinks right.
    package var waitMilliseconds: UInt32
    /// What becomes of content that is shared with other machines; `nil` where nobody said so.
    package var sharedReplacement: SharedReplacementMessage?

    /// A request from its fields; a field that is left out has its default.
    package init(
        name: StoreNameMessage, waitMilliseconds: UInt32 = 0,
        sharedReplacement: SharedReplacementMessage? = nil
    ) {
        self.name = name
        self.waitMilliseconds = waitMilliseconds
        self.sharedReplacement = sharedReplacement
    }
}

/// `coffer.v1.SharedReplacement`: what becomes of content that is shared when another file takes a store's
/// place.
package enum SharedReplacementMessage: UInt32, Sendable, CaseIterable {
    /// The file gets all that came since it was made.
    case catchUp = 1
    /// What the file holds becomes the content on all machines.
    case makeContent = 2
}

/// `coffer.v1.ReplaceStoreReply`.
package struct ReplaceStoreReplyMessage: Sendable, Equatable {
    /// The new file's UUID.
    package var uuid: UUID
    /// Its last transaction, behind all that the old file had.
    package var number: UInt64

    /// A reply from its fields.
    package init(uuid: UUID, number: UInt64) {
        self.uuid = uuid
        self.number = number
    }
}

/// `coffer.v1.StoresWillChangeRequest`: what the service asks a client before a store's file is exchanged or
/// deleted.
package struct StoresWillChangeRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// Whether there will be none to open again.
    package var isRemoved: Bool
    /// Why, where the store has a ubiquitous content name and its content follows an account.
    package var transition: StoreTransitionMessage?

    /// A request from its fields.
    package init(store: UInt32, isRemoved: Bool, transition: StoreTransitionMessage? = nil) {
        self.store = store
        self.isRemoved = isRemoved
        self.transition = transition
    }
}
