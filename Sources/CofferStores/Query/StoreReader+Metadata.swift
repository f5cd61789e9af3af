import CofferFormats
package import CofferWire

extension StoreReader {
    /// What the file that is read says of itself.
    package func metadata(of file: StoreFile) throws(StoreError) -> MetadataReplyMessage {
        let metadata = try file.metadata(on: connection)
        return MetadataReplyMessage(
            uuid: file.uuid, entries: metadata.entries, versionHashes: metadata.versionHashes)
    }
}
