package import FoundationEssentials

/// `coffer.v1.OpenStoreReply`.
package enum OpenStoreReplyMessage: Sendable, Equatable {
    /// The store is open.
    case opened(StoreOpenedMessage)
    /// The service does not know the model: RegisterModel, then open again.
    case needModel
    /// The file was made with another model.
    case incompatible(IncompatibleModelMessage)
}

/// `coffer.v1.MetadataRequest`: reads a store's metadata, after changing what is named.
package struct MetadataRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// New values by key; `nil` removes the key.
    package var changes: [String: MetadataValueMessage?]

    /// A request from its fields; a field that is left out has its default.
    package init(store: UInt32, changes: [String: MetadataValueMessage?] = [:]) {
        self.store = store
        self.changes = changes
    }
}

/// The value of a `coffer.v1.MetadataEntry`.
package struct MetadataValueMessage: Sendable, Equatable {
    /// The value as text, which is all of it if `propertyList` is empty.
    ///
    /// Set so, it takes the type of the number, flag or date that was there, if it is one.
    package var text: String
    /// The value as a binary property list.
    package var propertyList: [UInt8]

    /// A value from its fields.
    package init(text: String = "", propertyList: [UInt8] = []) {
        self.text = text
        self.propertyList = propertyList
    }
}

/// `coffer.v1.MetadataReply`.
package struct MetadataReplyMessage: Sendable, Equatable {
    /// The store's UUID.
    package var uuid: UUID
    /// What kind of store it is, by the names that `NSStoreType` has.
    package var type: String
    /// Values by key.
    package var entries: [String: MetadataValueMessage]
    /// Core Data's version hash of each entity.
    package var versionHashes: [String: [UInt8]]

    /// A reply from its fields.
    package init(
        uuid: UUID, type: String, entries: [String: MetadataValueMessage], versionHashes: [String: [UInt8]]
    ) {
        self.uuid = uuid
        self.type = type
        self.entries = entries
        self.versionHashes = versionHashes
    }
}

/// `coffer.v1.ErrorDetail`: why a call failed.
package struct ErrorDetailMessage: Sendable, Equatable {
    /// gRPC's status code.
    package var code: StatusCode
    /// A word for programs, for example `unknown_entity`.
    package var reason: String
    /// For people: what was wrong, where, and what to do.
    package var text: String
    /// The field, path or element at fault; may be empty.
    package var place: String

    /// The reason of a call about a store whose file was exchanged or deleted since it was opened.
    package static let storeExchanged = "store_exchanged"
    /// The reason of a call with a descriptor of something that could still change, although only sealed
    /// memory is taken.
    package static let notSealed = "not_sealed"

    /// The reason of a call that puts a file in the place of a shared store and does not say what becomes of
    /// the content.
    package static let sharedContent = "shared_content"

    /// A detail with so much of the text and the place as a person reads: both may repeat what a caller said.
    package init(code: StatusCode, reason: String, text: String, place: String = "") {
        self.code = code
        self.reason = reason
        self.text = text.clipped(toBytes: Limits.errorText)
        self.place = place.clipped(toBytes: Limits.name)
    }
}
