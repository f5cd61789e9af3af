package import CofferLinux
package import CofferModel
package import CofferWire
package import FoundationEssentials

/// What a store's file says of itself, without the store being opened: no model is needed.
///
/// A value, as of one moment.
package struct FileMetadata: Sendable, Equatable {
    /// How the file keeps its objects.
    package let type: StoreType
    /// The store's UUID.
    package let uuid: UUID
    /// What applications have noted, by key.
    package let values: [String: MetadataValue]
    /// Core Data's version hash of each entity.
    package let versionHashes: [String: [UInt8]]

    /// What is sent of it to clients that ask for the metadata of a store.
    package var reply: MetadataReplyMessage {
        MetadataReplyMessage(
            uuid: uuid, type: type.metadataName, values: values, versionHashes: versionHashes)
    }

    /// What the file `fileName` in `folder` says, which has to be of `type` if one is named.
    ///
    /// Nothing of it or beside it changes.
    /// - Throws: `notFound`, `otherType`, `notAStore`, `damaged`.
    package static func read(
        _ fileName: String, in folder: Folder, type: StoreType? = nil
    ) throws(StoreError) -> FileMetadata {
        try FileMetadataAccess(fileName, in: folder, type: type).read()
    }

    /// Changes values of applications, durably and at once.
    ///
    /// Nothing but these values changes, in a file that Coffer did not make too.
    /// - Parameters:
    ///   - changes: New values by key; `nil` removes a key.
    ///   - fileName: The file's name.
    ///   - folder: Where it is.
    ///   - type: Of which type the file has to be; `nil` for any.
    ///   - adopts: Whether a file that Coffer did not make is written.
    /// - Returns: What the file says then.
    /// - Throws: What `read` does, `lockedByOther` if the store is open for writing, `notAdopted`,
    ///   `readOnly`, `unknownSQL` if the file would run SQL of its own, and `unfitMetadata` for a key that
    ///   says what the store is.
    @discardableResult
    package static func set(
        _ changes: [String: MetadataValueMessage?], of fileName: String, in folder: Folder,
        type: StoreType? = nil, adopts: Bool = false
    ) throws(StoreError) -> FileMetadata {
        let access = try FileMetadataAccess(fileName, in: folder, type: type)
        return changes.isEmpty ? try access.read() : try access.write(changes, adopts: adopts)
    }
}
