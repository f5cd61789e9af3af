package import CofferFormats
package import CofferModel
internal import CofferSQLite
package import CofferWire
package import FoundationEssentials

extension StoreMetadata {
    /// The key of a dictionary of those values that may not stand at the top of the property list: keys that
    /// look like Core Data's own, and in older stores all of them.
    static let entriesKey = "CofferMetadata"
    /// What a store is and how it is called: always there, and fixed.
    private static let fixedKeys: Set<String> = ["NSStoreType", "NSStoreUUID"]

    /// The metadata that applications have set, by key.
    ///
    /// They stand at the top of the property list, where Core Data has them. What only keyed archives have is
    /// not shown, and stays as it is unless its key is set.
    package var values: [String: MetadataValue] {
        var values = (other[Self.entriesKey]?.dictionary ?? [:]).compactMapValues { MetadataValue($0) }
        for (key, value) in other where Self.isApplications(key) { values[key] = MetadataValue(value) }
        return values
    }

    /// Changes what applications have set; `nil` removes a key.
    ///
    /// A text that is the one that a value was read as keeps its type, and a number, a flag or a date may be
    /// replaced by the text of another.
    /// - Throws: `StoreError.unfitMetadata` for a key that is the store's own, and for a value that cannot be
    ///   read as a property list.
    mutating func apply(_ changes: [String: MetadataValueMessage?]) throws(StoreError) {
        var aside = other[Self.entriesKey]?.dictionary ?? [:]
        for (key, change) in changes.sorted(by: { $0.key < $1.key }) {
            if Self.fixedKeys.contains(key) {
                throw .unfitMetadata(key: key, detail: "it says what the store is, and stays")
            }
            if Self.isApplications(key) {
                other[key] = try Self.value(of: change, key: key, like: other[key])
            } else {
                aside[key] = try Self.value(of: change, key: key, like: aside[key])
            }
        }
        other[Self.entriesKey] = aside.isEmpty ? nil : .dictionary(aside)
    }

    /// Makes this what a store says of itself, inside a transaction.
    ///
    /// - Throws: `StoreError.tooLarge`.
    func write(to connection: SQLiteConnection) throws(StoreError) {
        let list = propertyList()
        guard list.count <= Limits.metadataBytes else {
            throw .tooLarge("metadata of \(list.count) bytes, \(Limits.metadataBytes) are allowed")
        }
        // What could not be read again would keep the store from ever being opened.
        do throws(FormatError) { _ = try BinaryPropertyListReader.read(list) } catch {
            throw .tooLarge("metadata that could not be read again (\(error))")
        }
        try translating { () throws(SQLiteError) in
            let statement = try connection.cached("UPDATE Z_METADATA SET Z_PLIST = ?1")
            try statement.bind(list, at: 1)
            try statement.run()
        }
    }

    /// What a store says of itself, for those who ask.
    package func reply(uuid: UUID, type: StoreType) -> MetadataReplyMessage {
        MetadataReplyMessage(
            uuid: uuid, type: type.metadataName,
            entries: values.mapValues { MetadataValueMessage($0) }, versionHashes: versionHashes)
    }

    /// Whether applications may use a key as they like.
    static func isApplications(_ key: String) -> Bool {
        !key.hasPrefix("NS") && !key.hasPrefix("_NS") && key != entriesKey
    }

    /// What a change makes of a value that was there; `nil` where it is removed.
    ///
    /// - Throws: `StoreError.unfitMetadata`.
    static func value(
        of change: MetadataValueMessage?, key: String, like former: PropertyListValue?
    ) throws(StoreError) -> PropertyListValue? {
        guard let change else { return nil }
        if change.propertyList.isEmpty { return value(change.text, like: former) }
        let value: MetadataValue
        do throws(FormatError) { value = try MetadataValue(propertyList: change.propertyList) } catch {
            throw .unfitMetadata(key: key, detail: "\(error)")
        }
        guard value.depth <= Limits.metadataDepth else {
            throw .unfitMetadata(
                key: key, detail: "its arrays and dictionaries are more than \(Limits.metadataDepth) deep")
        }
        return value.propertyListValue
    }

    /// Converts a text to the type of the value that was there, where that is possible.
    private static func value(_ text: String, like former: PropertyListValue?) -> PropertyListValue {
        if let former, MetadataValue(former)?.text == text { return former }
        let value: PropertyListValue? =
            switch former {
            case .integer, .largeInteger: Int64(text).map { .integer($0) }
            case .real: Double(text).map { .real($0) }
            case .boolean: Bool(text).map { .boolean($0) }
            case .date: DateText.date(text).map { .date($0) }
            default: nil
            }
        return value ?? .string(text)
    }
}
