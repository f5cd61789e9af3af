// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Fills a store from a file that an application comes with.
///
/// It may be done again: what is there is not doubled, nor brought back.
///
/// `coffer.v1.SeedStoreRequest`.
package struct SeedStoreRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// The file's name in its folder.
    package var fileName: String
    /// The folder, for people.
    package var place: String

    /// A message from its fields.
    package init(store: UInt32, fileName: String, place: String) {
        self.store = store
        self.fileName = fileName
        self.place = place
    }
}

extension SeedStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SeedStoreRequest>) {
        unsafe coffer__v1__seed_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SeedStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
        fileName = try unsafe c.file_name.text("coffer.v1.SeedStoreRequest.file_name")
        place = try unsafe c.place.text("coffer.v1.SeedStoreRequest.place")
    }

    func fill(_ c: inout Coffer__V1__SeedStoreRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.file_name = arena.text(fileName)
        unsafe c.place = arena.text(place)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
