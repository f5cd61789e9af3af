package import CofferModel
package import FoundationEssentials

/// `coffer.v1.HelloRequest`: first on every channel.
package struct HelloRequestMessage: Sendable, Equatable {
    /// The version of the protocol that this library speaks.
    package static let protocolVersion: UInt32 = 1

    /// The protocol's version, 1.
    package var protocolVersion: UInt32
    /// A reverse-DNS id.
    package var application: String
    /// Made by the process when it starts.
    package var client: UUID
    /// The process's name.
    package var processName: String

    /// A greeting from its fields; a field that is left out has its default.
    package init(
        protocolVersion: UInt32 = Self.protocolVersion, application: String, client: UUID, processName: String
    ) {
        self.protocolVersion = protocolVersion
        self.application = application
        self.client = client
        self.processName = processName
    }
}

/// `coffer.v1.HelloReply`.
package struct HelloReplyMessage: Sendable, Equatable {
    /// The protocol's version.
    package var protocolVersion: UInt32
    /// The service's version, for people.
    package var serviceVersion: String
    /// The application as the service sees it.
    package var application: String
    /// Differs for each start of the service.
    package var service: UUID
    /// The largest frame, in bytes.
    package var frameLimit: UInt32
    /// Whether the memory that came with the request is used from now on.
    package var sharesMemory: Bool

    /// A reply from its fields; a field that is left out has its default.
    package init(
        protocolVersion: UInt32 = HelloRequestMessage.protocolVersion, serviceVersion: String,
        application: String, service: UUID, frameLimit: UInt32, sharesMemory: Bool = false
    ) {
        self.protocolVersion = protocolVersion
        self.serviceVersion = serviceVersion
        self.application = application
        self.service = service
        self.frameLimit = frameLimit
        self.sharesMemory = sharesMemory
    }
}

/// `coffer.v1.StoreName`.
package struct StoreNameMessage: Sendable, Hashable {
    /// The caller's own application where it is empty.
    package var application: String
    /// The model's configuration.
    package var configuration: String
    /// The store's name.
    package var name: String

    /// A name from its fields; a field that is left out has its default.
    package init(
        application: String = "", configuration: String = ManagedObjectModel.defaultConfiguration,
        name: String
    ) {
        self.application = application
        self.configuration = configuration
        self.name = name
    }
}

/// `coffer.v1.OpenStoreRequest`.
package struct OpenStoreRequestMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// SHA-256 of the packed model; empty: with the model that the store keeps.
    package var modelID: [UInt8]
    /// Whether a store that does not exist is an error.
    package var mustExist: Bool
    /// Whether nothing is ever written.
    package var isReadOnly: Bool
    /// SQLite options from the safe list.
    package var pragmas: [String: String]
    /// Whether every change is announced, not only those of objects that are held.
    package var watch: Bool
    /// Whether a file that Coffer did not make may get what Coffer needs to write.
    package var adopts: Bool
    /// How it keeps its objects; `nil`: as what is there does.
    package var type: StoreType?
    /// Whether a store of another model is taken to this one.
    package var migrates: Bool
    /// How such a store comes to it; `nil`: as the two models tell, in one step.
    package var route: MigrationRouteMessage?
    /// What it is called in the containers of accounts; empty where nothing is said of that.
    package var ubiquitousContentName: String
    /// What becomes of what was saved while nobody was signed in; `nil` where nothing is said of that.
    package var localContent: LocalContentMessage?
    /// Where it is in the accounts' folders, and what else is asked for of a store that is shared.
    package var sharing = SharingOptionsMessage()
    /// The migration whose new store is meant, or that of before where it is only read; `nil` for the store
    /// itself.
    package var migration: UUID?
    /// The UUID of the store that the client had open until it lost the service; `nil` for none.
    ///
    /// If its content is to become another account's, it is served, and the client is asked first.
    package var former: UUID?

    /// A request from its fields; a field that is left out has its default.
    package init(
        name: StoreNameMessage, modelID: [UInt8], mustExist: Bool = false, isReadOnly: Bool = false,
        pragmas: [String: String] = [:], watch: Bool = false, adopts: Bool = false,
        type: StoreType? = nil, migrates: Bool = false, route: MigrationRouteMessage? = nil,
        ubiquitousContentName: String = "", localContent: LocalContentMessage? = nil, migration: UUID? = nil,
        former: UUID? = nil
    ) {
        self.former = former
        self.migration = migration
        self.route = route
        self.localContent = localContent
        self.ubiquitousContentName = ubiquitousContentName
        self.migrates = migrates
        self.name = name
        self.modelID = modelID
        self.mustExist = mustExist
        self.isReadOnly = isReadOnly
        self.pragmas = pragmas
        self.watch = watch
        self.adopts = adopts
        self.type = type
    }
}

/// `coffer.v1.OpenStoreReply`.
package enum OpenStoreReplyMessage: Sendable, Equatable {
    /// The store is open.
    case opened(StoreOpenedMessage)
    /// The service does not know the model: RegisterModel, then open again.
    case needModel
    /// The file was made with another model.
    case incompatible(IncompatibleModelMessage)
}

/// `coffer.v1.IncompatibleModel`.
package struct IncompatibleModelMessage: Sendable, Equatable {
    /// Entities that both have, with other version hashes.
    package var differing: [String]
    /// Entities that the model has and the file has not.
    package var missing: [String]
    /// Entities that the file has and the model has not.
    package var unknown: [String]
    /// What differs in each, for people.
    package var changes: [String]

    /// Of the changes the first `Limits.modelChanges` are told.
    package init(differing: [String], missing: [String], unknown: [String], changes: [String] = []) {
        self.differing = differing
        self.missing = missing
        self.unknown = unknown
        self.changes = Array(changes.prefix(Limits.modelChanges))
    }
}

/// `coffer.v1.StoreOpened`.
package struct StoreOpenedMessage: Sendable, Equatable {
    /// Handle, good on this channel or bus name.
    package var store: UInt32
    /// The store's UUID.
    package var uuid: UUID
    /// Last transaction.
    package var number: UInt64
    /// The oldest number that a token may have.
    package var floor: UInt64
    /// Opaque.
    package var path: String
    /// SHA-256 of the packed model.
    package var modelID: [UInt8]
    /// Whether it did not exist before.
    package var isCreated: Bool
    /// The model that the store keeps, where the request named none.
    package var model: ManagedObjectModel?

    /// An answer from its fields; a field that is left out has its default.
    package init(
        store: UInt32, uuid: UUID, number: UInt64, floor: UInt64, path: String, modelID: [UInt8],
        isCreated: Bool,
        model: ManagedObjectModel? = nil
    ) {
        self.store = store
        self.uuid = uuid
        self.number = number
        self.floor = floor
        self.path = path
        self.modelID = modelID
        self.isCreated = isCreated
        self.model = model
    }
}

/// `coffer.v1.StoreDescription`: one store of a list.
package struct StoreDescriptionMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// Opaque.
    package var path: String
    /// Of the file and its companions.
    package var byteCount: UInt64
    /// Whether the service has it open.
    package var isOpen: Bool
    /// How it keeps its objects; `nil` where its service does not say.
    package var type: StoreType?

    /// A description from its fields; a field that is left out has its default.
    package init(
        name: StoreNameMessage, path: String, byteCount: UInt64, isOpen: Bool, type: StoreType? = nil
    ) {
        self.name = name
        self.path = path
        self.byteCount = byteCount
        self.isOpen = isOpen
        self.type = type
    }
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
    /// The value as text, which is all of it where `propertyList` is empty.
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

/// `coffer.v1.WatchRequest`: over D-Bus, announce every change of a store, or stop doing so.
package struct WatchRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// Whether to stop.
    package var isStop: Bool

    /// A request from its fields; a field that is left out has its default.
    package init(store: UInt32, isStop: Bool = false) {
        self.store = store
        self.isStop = isStop
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
    /// The reason of a call with a descriptor of something that could still change, where only sealed memory
    /// is taken.
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
