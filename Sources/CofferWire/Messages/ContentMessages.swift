/// `coffer.v1.RemoveUbiquitousContentRequest`: removes a shared store with its content, for all machines.
package struct RemoveUbiquitousContentRequestMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// How long its clients are waited for that were asked to save; 0: as long as the service thinks fit.
    package var waitMilliseconds: UInt32

    /// A request from its fields.
    package init(name: StoreNameMessage, waitMilliseconds: UInt32 = 0) {
        (self.name, self.waitMilliseconds) = (name, waitMilliseconds)
    }
}

/// `coffer.v1.RemoveUbiquitousContentReply`.
package struct RemoveUbiquitousContentReplyMessage: Sendable, Equatable {
    /// How many objects went from the container.
    package var removedCount: UInt64

    /// A reply from its field.
    package init(removedCount: UInt64) { self.removedCount = removedCount }
}

/// `coffer.v1.SeedStoreRequest`: fills a store from the file of another one, the descriptor of whose folder
/// comes along.
package struct SeedStoreRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// The file's name in its folder.
    package var fileName: String
    /// The folder, for people.
    package var place: String

    /// A request about the store of a handle.
    package init(store: UInt32, fileName: String, place: String) {
        (self.store, self.fileName, self.place) = (store, fileName, place)
    }
}

/// `coffer.v1.SeedStoreReply`: the answer, and what comes before it.
package struct SeedStoreReplyMessage: Sendable, Equatable {
    /// How many of its objects are in the store.
    package var seededCount: UInt64
    /// How many it has.
    package var totalCount: UInt64
    /// It was done here before, and so nothing was done.
    package var isRepeated: Bool

    /// A reply from its fields.
    package init(seededCount: UInt64, totalCount: UInt64, isRepeated: Bool = false) {
        (self.seededCount, self.totalCount, self.isRepeated) = (seededCount, totalCount, isRepeated)
    }
}
