// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import CofferModel
package import FoundationEssentials

/// Opens a store, or makes it.
///
/// `coffer.v1.OpenStoreRequest`.
package struct OpenStoreRequestMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// 32 bytes; empty: with the model that the store keeps.
    package var modelID: [UInt8]
    /// A store that is not there is an error; else it is made.
    package var mustExist: Bool
    /// Nothing of it is changed; saves are refused.
    package var isReadOnly: Bool
    /// From the safe list: see the documentation of SQLite options.
    package var pragmaList: [StoreOptionMessage]
    /// Announce every change; else only those of objects that are held.
    package var watch: Bool
    /// A file that Coffer did not make may get what Coffer needs to write; else it is refused to writers.
    package var adopts: Bool
    /// How it keeps its objects; UNSPECIFIED: as what is there does, else as STORE_TYPE_SQLITE.
    package var type: StoreType?
    /// A store of another model is taken to this one, as MigrateStore does, unless it had this one before;
    /// else it is refused.
    package var migrates: Bool
    /// With `migrate`: how; absent: as the two models tell, in one step.
    package var route: MigrationRouteMessage?
    /// What it is called in the containers of accounts: it is shared with other machines while an account is
    /// signed in to; empty: as it is.
    package var ubiquitousContentName: String
    /// With `ubiquitous_content_name`: what becomes of what was saved while no account was signed in to.
    package var localContent: LocalContentMessage?
    /// With `ubiquitous_content_name`: nothing is saved while no account is signed in to.
    package var needsAccount: Bool
    /// With `ubiquitous_content_name`: the account's store is made again from its container.
    package var rebuilds: Bool
    /// With `ubiquitous_content_name`: the folder in the container, or its file URL below the account's
    /// folder; empty: the container itself.
    package var ubiquitousContentPath: String
    /// With `ubiquitous_content_name`: which of the account's containers; empty: that of the application.
    package var ubiquitousContainer: String
    /// 16 bytes, of MigrateObjects: instead of the store the one that is filled, or with `read_only` the one
    /// of before; empty: none.
    package var migration: UUID?
    /// 16 bytes: the UUID of the store that the client had open until it lost the service; if its content is
    /// to become another account's it is served, and the client asked first; empty: none.
    package var former: UUID?

    /// A message from its fields.
    package init(
        name: StoreNameMessage, modelID: [UInt8], mustExist: Bool = false, isReadOnly: Bool = false,
        pragmaList: [StoreOptionMessage] = [], watch: Bool = false, adopts: Bool = false,
        type: StoreType? = nil, migrates: Bool = false, route: MigrationRouteMessage? = nil,
        ubiquitousContentName: String = "", localContent: LocalContentMessage? = nil,
        needsAccount: Bool = false, rebuilds: Bool = false, ubiquitousContentPath: String = "",
        ubiquitousContainer: String = "", migration: UUID? = nil, former: UUID? = nil
    ) {
        self.name = name
        self.modelID = modelID
        self.mustExist = mustExist
        self.isReadOnly = isReadOnly
        self.pragmaList = pragmaList
        self.watch = watch
        self.adopts = adopts
        self.type = type
        self.migrates = migrates
        self.route = route
        self.ubiquitousContentName = ubiquitousContentName
        self.localContent = localContent
        self.needsAccount = needsAccount
        self.rebuilds = rebuilds
        self.ubiquitousContentPath = ubiquitousContentPath
        self.ubiquitousContainer = ubiquitousContainer
        self.migration = migration
        self.former = former
    }
}

extension OpenStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .model }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__OpenStoreRequest>) {
        unsafe coffer__v1__open_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__OpenStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        name = try unsafe required(c.name, "coffer.v1.OpenStoreRequest.name")
        modelID = try unsafe c.model_id.digest("coffer.v1.OpenStoreRequest.model_id")
        mustExist = unsafe c.must_exist != 0
        isReadOnly = unsafe c.read_only != 0
        pragmaList = try unsafe messages(
            c.pragmas, count: c.n_pragmas, field: "coffer.v1.OpenStoreRequest.pragmas", limit: Limits.list)
        watch = unsafe c.watch != 0
        adopts = unsafe c.adopt != 0
        type = try unsafe optionalChoice(c.type.rawValue, "coffer.v1.OpenStoreRequest.type")
        migrates = unsafe c.migrate != 0
        route = try unsafe optional(c.route)
        ubiquitousContentName = try unsafe c.ubiquitous_content_name.text(
            "coffer.v1.OpenStoreRequest.ubiquitous_content_name")
        localContent = try unsafe optionalChoice(
            c.local_content.rawValue, "coffer.v1.OpenStoreRequest.local_content")
        needsAccount = unsafe c.needs_account != 0
        rebuilds = unsafe c.rebuild != 0
        ubiquitousContentPath = try unsafe c.ubiquitous_content_path.text(
            "coffer.v1.OpenStoreRequest.ubiquitous_content_path")
        ubiquitousContainer = try unsafe c.ubiquitous_container.text(
            "coffer.v1.OpenStoreRequest.ubiquitous_container")
        migration = try unsafe c.migration.optionalUUID("coffer.v1.OpenStoreRequest.migration")
        former = try unsafe c.former.optionalUUID("coffer.v1.OpenStoreRequest.former")
        try checkFields()
    }

    func fill(_ c: inout Coffer__V1__OpenStoreRequest, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe c.model_id = arena.data(modelID)
        unsafe c.must_exist = mustExist ? 1 : 0
        unsafe c.read_only = isReadOnly ? 1 : 0
        try unsafe (c.n_pragmas, c.pragmas) = arena.list(pragmaList)
        unsafe c.watch = watch ? 1 : 0
        unsafe c.adopt = adopts ? 1 : 0
        unsafe c.type = Coffer__V1__StoreType(rawValue: type?.wire ?? 0)
        unsafe c.migrate = migrates ? 1 : 0
        try unsafe c.route = arena.makeOptional(route)
        unsafe c.ubiquitous_content_name = arena.text(ubiquitousContentName)
        unsafe c.local_content = Coffer__V1__LocalContent(rawValue: localContent?.wire ?? 0)
        unsafe c.needs_account = needsAccount ? 1 : 0
        unsafe c.rebuild = rebuilds ? 1 : 0
        unsafe c.ubiquitous_content_path = arena.text(ubiquitousContentPath)
        unsafe c.ubiquitous_container = arena.text(ubiquitousContainer)
        if let migration { unsafe c.migration = arena.uuid(migration) }
        if let former { unsafe c.former = arena.uuid(former) }
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
