import CofferFormats
package import CofferWire

extension StoreReader {
    /// What the file that is read says of itself.
    package func metadata(of file: StoreFile) throws(StoreError) -> MetadataReplyMessage {
        try file.metadata(on: connection).reply(uuid: file.uuid, type: file.typeName)
    }
}
