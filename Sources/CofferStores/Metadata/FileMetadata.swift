package import CofferFormats
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
    /// All values by key, those of Core Data too, but not what Coffer keeps among them for itself; with
    /// `NSStoreType` and `NSStoreUUID` in any case.
    package let values: [String: PropertyListValue]

    /// The keys under which a store of any type says what it is.
    private static let typeKey = "NSStoreType"
    private static let uuidKey = "NSStoreUUID"

    init(type: StoreType, uuid: UUID, list: [String: PropertyListValue]) {
        self.type = type
        self.uuid = uuid
        var values = list.filter { !AtomicMetadata.ownKeys.contains($0.key) }
        // Texts that do not stand at the top of the list.
        let aside = values.removeValue(forKey: StoreMetadata.entriesKey)?.dictionary ?? [:]
        values.merge(aside) { present, _ in present }
        values[Self.typeKey] = .string(type.metadataName)
        values[Self.uuidKey] = .string(uuid.uuidString)
        self.values = values
    }

    /// What the file `fileName` in `folder` says, which has to be of `type` where one is named.
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
    /// - Throws: What `read` does, `lockedByOther` where somebody has the store open for writing,
    ///   `notAdopted`, `readOnly`, `unknownSQL` where the file would run SQL of its own, and `unfitMetadata`
    ///   for a key that says what the store is.
    @discardableResult
    package static func set(
        _ changes: [String: MetadataValueMessage?], of fileName: String, in folder: Folder,
        type: StoreType? = nil, adopts: Bool = false
    ) throws(StoreError) -> FileMetadata {
        for key in changes.keys.sorted() where !isWritable(key) {
            throw .unfitMetadata(key: key, detail: "it says what the store is, and stays")
        }
        let access = try FileMetadataAccess(fileName, in: folder, type: type)
        if changes.isEmpty { return try access.read() }
        return try access.write(changes, adopts: adopts)
    }

    private static func isWritable(_ key: String) -> Bool {
        StoreMetadata.isApplications(key) && !AtomicMetadata.ownKeys.contains(key)
    }
}

extension FileMetadata {
    /// What is sent of it to those who ask for the metadata of a store.
    package var reply: MetadataReplyMessage {
        MetadataReplyMessage(
            uuid: uuid, type: type.metadataName,
            entries: values.filter { Self.isWritable($0.key) }.compactMapValues { value in
                MetadataValue(value).map { MetadataValueMessage($0) }
            },
            versionHashes: (values[Self.hashesKey]?.dictionary ?? [:]).compactMapValues(\.data))
    }

    private static let hashesKey = "NSStoreModelVersionHashes"
}

extension MetadataValueMessage {
    /// A value as it is told: of a text, its text is all.
    init(_ value: MetadataValue) {
        if case .string(let text) = value {
            self.init(text: text)
        } else {
            self.init(text: value.text ?? "", propertyList: value.propertyList)
        }
    }
}

extension [String: PropertyListValue] {
    /// Lets values of applications be others.
    ///
    /// - Throws: `tooLarge`; `unfitMetadata` for what no property list of a store can hold.
    mutating func apply(_ changes: [String: MetadataValueMessage?]) throws(StoreError) {
        for (key, change) in changes {
            self[key] = try StoreMetadata.value(of: change, key: key, like: self[key])
        }
        let byteCount = BinaryPropertyListWriter.bytes(of: .dictionary(self)).count
        guard byteCount <= Limits.metadataBytes else {
            throw .tooLarge("metadata of \(byteCount) bytes, \(Limits.metadataBytes) are allowed")
        }
    }
}
