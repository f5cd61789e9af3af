// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// Copies a store as it is at one moment, while others write: into the folder whose descriptor comes along;
/// or, if none does, where the service may write only in its own folders, or the caller in those of its
/// sandbox, into a file whose descriptor comes with the reply.
///
/// `coffer.v1.BackupStoreRequest`.
package struct BackupStoreRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32
    /// In that folder.
    ///
    /// After a crash it is what it was, or the whole copy.
    package var fileName: String
    /// That folder's path, for messages.
    package var place: String
    /// A file of that name gives way; else it is an error.
    package var replaces: Bool
    /// Values in files beside the store go into the copy itself, as in one that comes with the reply.
    package var isOneFile: Bool

    /// A message from its fields.
    package init(
        store: UInt32, fileName: String = "", place: String = "", replaces: Bool = false,
        isOneFile: Bool = false
    ) {
        self.store = store
        self.fileName = fileName
        self.place = place
        self.replaces = replaces
        self.isOneFile = isOneFile
    }
}

extension BackupStoreRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__BackupStoreRequest>) {
        unsafe coffer__v1__backup_store_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__BackupStoreRequest>) throws(WireError) {
        let c = unsafe message.pointee
        store = unsafe c.store
        fileName = try unsafe c.file_name.text("coffer.v1.BackupStoreRequest.file_name")
        place = try unsafe c.place.text("coffer.v1.BackupStoreRequest.place")
        replaces = unsafe c.replaces != 0
        isOneFile = unsafe c.one_file != 0
    }

    func fill(_ c: inout Coffer__V1__BackupStoreRequest, in arena: inout PackArena) {
        unsafe c.store = store
        unsafe c.file_name = arena.text(fileName)
        unsafe c.place = arena.text(place)
        unsafe c.replaces = replaces ? 1 : 0
        unsafe c.one_file = isOneFile ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
