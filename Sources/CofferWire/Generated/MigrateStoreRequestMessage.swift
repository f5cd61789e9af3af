// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Takes a store to another model: clients that have it open are asked first, see StoresWillChange.
///
/// What is in the way of it is an error.
///
/// `coffer.v1.MigrateStoreRequest`.
package struct MigrateStoreRequestMessage: Sendable, Equatable {
    /// Which store.
    package var name: StoreNameMessage
    /// 32 bytes: of the model that it gets.
    package var modelID: [UInt8]
    /// Nothing is changed, and no client asked; obstacles are told in the plan.
    package var isDryRun: Bool
    /// No copy is kept beside the store if something is lost.
    package var keepsBackup: Bool
    /// A file that Coffer did not make may be written.
    package var adopts: Bool
    /// For the clients' answers, at most 60,000; 0: 10,000.
    package var waitMilliseconds: UInt32
    /// How; absent: as the two models tell, in one step.
    package var route: MigrationRouteMessage?
    /// Over a channel, with a mapping model: what the caller does itself; absent: nothing.
    package var work: MigrationWorkMessage?

    /// A message from its fields.
    package init(
        name: StoreNameMessage, modelID: [UInt8], isDryRun: Bool = false, keepsBackup: Bool = true,
        adopts: Bool = false, waitMilliseconds: UInt32 = 0, route: MigrationRouteMessage? = nil,
        work: MigrationWorkMessage? = nil
    ) {
        self.name = name
        self.modelID = modelID
        self.isDryRun = isDryRun
        self.keepsBackup = keepsBackup
        self.adopts = adopts
        self.waitMilliseconds = waitMilliseconds
        self.route = route
        self.work = work
    }
}

extension MigrateStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .model }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrateStoreRequest>) {
        unsafe coffer__v1__migrate_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrateStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        name = try unsafe required(c.name, "coffer.v1.MigrateStoreRequest.name")
        modelID = try unsafe c.model_id.digest("coffer.v1.MigrateStoreRequest.model_id")
        isDryRun = unsafe c.dry_run != 0
        keepsBackup = unsafe c.no_backup == 0
        adopts = unsafe c.adopt != 0
        waitMilliseconds = unsafe c.wait_milliseconds
        route = try unsafe optional(c.route)
        work = try unsafe optional(c.work)
    }

    func fill(_ c: inout Coffer__V1__MigrateStoreRequest, in arena: inout PackArena) throws(WireError) {
        try unsafe c.name = arena.make(name)
        unsafe c.model_id = arena.data(modelID)
        unsafe c.dry_run = isDryRun ? 1 : 0
        unsafe c.no_backup = keepsBackup ? 0 : 1
        unsafe c.adopt = adopts ? 1 : 0
        unsafe c.wait_milliseconds = waitMilliseconds
        try unsafe c.route = arena.makeOptional(route)
        try unsafe c.work = arena.makeOptional(work)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
