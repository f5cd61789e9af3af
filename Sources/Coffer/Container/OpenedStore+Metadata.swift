internal import CofferFormats
package import CofferModel
package import CofferWire

extension OpenedStore.Metadata {
    /// What a store said of itself.
    package init(_ reply: MetadataReplyMessage) {
        self.init(
            uuid: reply.uuid, type: reply.type,
            values: reply.entries.compactMapValues { MetadataValue($0) },
            versionHashes: reply.versionHashes)
    }
}

extension MetadataValueMessage {
    /// A value, with its type.
    package init(_ value: MetadataValue) {
        self.init(text: value.text ?? "", propertyList: value.propertyList)
    }
}

extension MetadataValue {
    /// A value as it came; `nil` if that cannot be read.
    package init?(_ message: MetadataValueMessage) {
        if message.propertyList.isEmpty {
            self = .string(message.text)
            // A value that only a later version can read is left out.
        } else if let value = try? MetadataValue(propertyList: message.propertyList) {
            self = value
        } else {
            return nil
        }
    }
}
