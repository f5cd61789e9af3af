package import CofferFormats
package import CofferModel
internal import CofferSQLite
package import CofferWire
package import FoundationEssentials

extension StoreMetadata {
    /// The metadata that applications have set, by key.
    package var values: [String: MetadataValue] { ApplicationMetadata(other).values }

    /// Changes what applications have set; `nil` removes a key.
    ///
    /// - Throws: `StoreError.unfitMetadata`.
    mutating func apply(_ changes: [String: MetadataValueMessage?]) throws(StoreError) {
        var metadata = ApplicationMetadata(other)
        try metadata.apply(changes)
        other = metadata.list
    }

    /// Takes over what is not the store's own from the metadata of another, of which this one's is a copy.
    mutating func carry(from other: StoreMetadata) {
        self.other.merge(ApplicationMetadata(other.other).carried) { _, carried in carried }
    }

    /// Makes this what a store says of itself, inside a transaction.
    ///
    /// - Throws: `StoreError.tooLarge`.
    func write(to connection: SQLiteConnection) throws(StoreError) {
        let list = propertyList()
        try ApplicationMetadata.requireReadable(list)
        try translating { () throws(SQLiteError) in
            let statement = try connection.cached("UPDATE Z_METADATA SET Z_PLIST = ?1")
            try statement.bind(list, at: 1)
            try statement.run()
        }
    }

    /// What a store says of itself, for clients that ask.
    package func reply(uuid: UUID, type: String) -> MetadataReplyMessage {
        MetadataReplyMessage(uuid: uuid, type: type, values: values, versionHashes: versionHashes)
    }
}
