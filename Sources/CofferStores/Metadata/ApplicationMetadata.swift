internal import CofferFormats
internal import CofferModel
internal import CofferWire
internal import FoundationEssentials

/// What applications have noted about a store, among the keys of Core Data and of Coffer.
struct ApplicationMetadata {
    /// The whole list.
    private(set) var list: [String: PropertyListValue]

    /// The key of a dictionary of those values that may not stand at the top of the list: keys that begin as
    /// Core Data's do, and in older stores all of them.
    private static let asideKey = "CofferMetadata"
    /// How the keys begin under which a store says what it is.
    private static let ownPrefixes = ["NSStore", "NSPersistence", "_NS"]

    init(_ list: [String: PropertyListValue]) { self.list = list }

    /// The values by key.
    ///
    /// They stand at the top of the list, where Core Data has them. What only keyed archives have is not
    /// shown, and stays as it is unless its key is set.
    var values: [String: MetadataValue] {
        var values = aside.compactMapValues { MetadataValue($0) }
        for (key, value) in list where Self.isAtTop(key) { values[key] = MetadataValue(value) }
        return values
    }

    /// What a copy of the store has of it: all that does not say what the store is.
    var carried: [String: PropertyListValue] {
        list.filter { $0.key == Self.asideKey || !Self.isOwn($0.key) }
    }

    /// Changes values; `nil` removes a key.
    ///
    /// A text that is the one that a value was read as keeps its type, and a number, a flag or a date may be
    /// replaced by the text of another.
    /// - Throws: `StoreError.unfitMetadata` for a key that is the store's own, and for a value that cannot be
    ///   read as a property list.
    mutating func apply(_ changes: [String: MetadataValueMessage?]) throws(StoreError) {
        var aside = aside
        for (key, change) in changes.sorted(by: { $0.key < $1.key }) {
            if Self.isOwn(key) {
                throw .unfitMetadata(key: key, detail: "it says what the store is, and stays")
            }
            let former = list[key] ?? aside.removeValue(forKey: key)
            let value = try Self.value(of: change, key: key, like: former)
            if Self.isAtTop(key) { list[key] = value } else { aside[key] = value }
        }
        list[Self.asideKey] = aside.isEmpty ? nil : .dictionary(aside)
    }

    /// Throws if a list has grown too large, or could not be read again, which would keep the store from
    /// ever being opened.
    ///
    /// - Throws: `StoreError.tooLarge`.
    static func requireReadable(_ bytes: [UInt8]) throws(StoreError) {
        guard bytes.count <= Limits.metadataBytes else {
            throw .tooLarge("metadata of \(bytes.count) bytes, \(Limits.metadataBytes) are allowed")
        }
        do throws(FormatError) { _ = try BinaryPropertyListReader.read(bytes) } catch {
            throw .tooLarge("metadata that could not be read again (\(error))")
        }
    }

    private var aside: [String: PropertyListValue] { list[Self.asideKey]?.dictionary ?? [:] }

    private static func isOwn(_ key: String) -> Bool {
        key == asideKey || AtomicMetadata.ownKeys.contains(key) || ownPrefixes.contains { key.hasPrefix($0) }
    }

    private static func isAtTop(_ key: String) -> Bool { !isOwn(key) && !key.hasPrefix("NS") }
}

extension ApplicationMetadata {
    /// What a change makes of a value that was there; `nil` if it is removed.
    private static func value(
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

    /// Converts a text to the type of the value that was there, if that is possible.
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

extension MetadataReplyMessage {
    /// What a store says of itself, for clients that ask; for a string, only the text is sent.
    init(uuid: UUID, type: String, values: [String: MetadataValue], versionHashes: [String: [UInt8]]) {
        self.init(
            uuid: uuid, type: type,
            entries: values.mapValues { value in
                if case .string(let text) = value { return MetadataValueMessage(text: text) }
                return MetadataValueMessage(text: value.text ?? "", propertyList: value.propertyList)
            }, versionHashes: versionHashes)
    }
}
