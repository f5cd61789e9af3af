// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// The answer, and over a channel what comes before it if the caller takes items: how far it has come.
///
/// `coffer.v1.SeedStoreReply`.
package struct SeedStoreReplyMessage: Sendable, Equatable {
    /// How many of its objects are in the store.
    package var seededCount: UInt64
    /// How many objects it has.
    package var totalCount: UInt64
    /// It was done here before, and so nothing was done.
    package var isRepeated: Bool

    /// A message from its fields.
    package init(seededCount: UInt64, totalCount: UInt64, isRepeated: Bool = false) {
        self.seededCount = seededCount
        self.totalCount = totalCount
        self.isRepeated = isRepeated
    }
}

extension SeedStoreReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SeedStoreReply>) {
        unsafe coffer__v1__seed_store_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SeedStoreReply>) throws(WireError) {
        let c = unsafe message.pointee
        seededCount = unsafe c.seeded_objects
        totalCount = unsafe c.total_objects
        isRepeated = unsafe c.repeated != 0
    }

    func fill(_ c: inout Coffer__V1__SeedStoreReply, in arena: inout PackArena) {
        unsafe c.seeded_objects = seededCount
        unsafe c.total_objects = totalCount
        unsafe c.repeated = isRepeated ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
