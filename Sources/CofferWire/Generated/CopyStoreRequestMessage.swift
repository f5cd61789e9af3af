// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import CofferModel

/// Makes a new store with all that is in a store at one moment, while others write: of any type that has a
/// file, in the folder whose descriptor comes along.
///
/// The store stays as it is.
///
/// `coffer.v1.CopyStoreRequest`.
package struct CopyStoreRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// In that folder, where nothing may have that name.
    ///
    /// After a crash there is nothing, or the whole new store.
    package var fileName: String
    /// That folder's path, for messages.
    package var place: String
    /// How the new store keeps its objects; there must be one.
    package var type: StoreType
    /// Without history, and without what only Coffer keeps.
    package var isPlain: Bool
    /// Of the model, which the new store keeps; empty: that of the store.
    package var configuration: String

    /// A message from its fields.
    package init(
        store: UInt32, fileName: String, place: String = "", type: StoreType, isPlain: Bool = false,
        configuration: String = ""
    ) {
        self.store = store
        self.fileName = fileName
        self.place = place
        self.type = type
        self.isPlain = isPlain
        self.configuration = configuration
    }
}

extension CopyStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__CopyStoreRequest>) {
        unsafe coffer__v1__copy_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__CopyStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
        fileName = try unsafe c.file_name.text("coffer.v1.CopyStoreRequest.file_name")
        place = try unsafe c.place.text("coffer.v1.CopyStoreRequest.place")
        type = try unsafe requiredChoice(c.type.rawValue, "coffer.v1.CopyStoreRequest.type")
        isPlain = unsafe c.plain != 0
        configuration = try unsafe c.configuration.text("coffer.v1.CopyStoreRequest.configuration")
    }

    func fill(_ c: inout Coffer__V1__CopyStoreRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.file_name = arena.text(fileName)
        unsafe c.place = arena.text(place)
        unsafe c.type = Coffer__V1__StoreType(rawValue: type.wire)
        unsafe c.plain = isPlain ? 1 : 0
        unsafe c.configuration = arena.text(configuration)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
