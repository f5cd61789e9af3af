// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import CofferModel
package import FoundationEssentials

/// The next objects of a new store are to be made, related or judged, by the mapping model and the policies
/// of the client.
///
/// It opens both stores by OpenStore with `migration`, reads the one and saves into the other. It answers
/// after some hundred objects and is asked again. A client that does not answer in time, or with an error,
/// ends the migration, and the store is as it was.
///
/// `coffer.v1.MigrateObjectsRequest`.
package struct MigrateObjectsRequestMessage: Sendable, Equatable {
    /// 16 bytes, of MigrateStore.
    package var work: UUID
    /// 16 bytes: a new one begins again, with new stores.
    package var migration: UUID
    /// The model of before; absent if the client goes on.
    package var source: ManagedObjectModel?

    /// A message from its fields.
    package init(work: UUID, migration: UUID, source: ManagedObjectModel?) {
        self.work = work
        self.migration = migration
        self.source = source
    }
}

extension MigrateObjectsRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .model }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__MigrateObjectsRequest>) {
        unsafe coffer__v1__migrate_objects_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__MigrateObjectsRequest>) throws(WireError) {
        let c = unsafe message.pointee
        work = try unsafe c.work.uuid("coffer.v1.MigrateObjectsRequest.work")
        migration = try unsafe c.migration.uuid("coffer.v1.MigrateObjectsRequest.migration")
        source = try unsafe optional(c.source, as: ModelMessage.self)?.model
    }

    func fill(_ c: inout Coffer__V1__MigrateObjectsRequest, in arena: inout PackArena) throws(WireError) {
        unsafe c.work = arena.uuid(work)
        unsafe c.migration = arena.uuid(migration)
        try unsafe c.source = arena.makeOptional(source.map { ModelMessage($0) })
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
