/// What a store says of itself: the property list in its `Z_METADATA` table.
///
/// The store's UUID is not in it; it has a column of its own.
package struct StoreMetadata: Sendable, Equatable {
    /// The kind of store, `SQLite` for files.
    package var storeType: String?
    /// Each entity's version hash, 32 bytes.
    package var versionHashes: [String: [UInt8]]
    /// How the hashes are made; Core Data has written 3 since 2007.
    package var versionHashesVersion: Int64?
    /// SHA-512 over names and hashes, in base 64.
    package var digest: String?
    /// SHA-256 over the hashes, in base 64; only in newer stores.
    package var checksum: String?
    /// Names of the model's version, for people.
    package var versionIdentifiers: [String]?
    /// The version of Core Data that wrote the store last.
    package var frameworkVersion: Int64?
    /// The newest version of Core Data that ever wrote the store; Core Data itself writes it from version
    /// 1513 on only.
    package var maximumFrameworkVersion: Int64?
    /// SQLite's `auto_vacuum`, as text.
    package var autoVacuumLevel: String?
    /// All that has no field here, among it what applications keep.
    package var other: [String: PropertyListValue]

    /// The metadata of a new store that holds the entities of `hashes`.
    package init(hashes: VersionHashes, versionIdentifiers: [String], frameworkVersion: Int64) {
        storeType = "SQLite"
        versionHashes = hashes.entities
        versionHashesVersion = 3
        digest = hashes.digest
        checksum = hashes.checksum
        self.versionIdentifiers = versionIdentifiers
        self.frameworkVersion = frameworkVersion
        autoVacuumLevel = "2"
        other = [:]
    }
}

extension StoreMetadata {
    private enum Key {
        static let storeType = "NSStoreType"
        static let versionHashes = "NSStoreModelVersionHashes"
        static let versionHashesVersion = "NSStoreModelVersionHashesVersion"
        static let digest = "NSStoreModelVersionHashesDigest"
        static let checksum = "NSStoreModelVersionChecksumKey"
        static let versionIdentifiers = "NSStoreModelVersionIdentifiers"
        static let frameworkVersion = "NSPersistenceFrameworkVersion"
        static let maximumFrameworkVersion = "NSPersistenceMaximumFrameworkVersion"
        static let autoVacuumLevel = "_NSAutoVacuumLevel"
    }

    /// Reads a binary property list.
    ///
    /// A known key whose value is of another kind than expected goes to `other` and so is kept, except the
    /// hashes.
    /// - Throws: `FormatError.damagedPropertyList` if it cannot be read, is not a dictionary, or has hashes
    ///   that are not bytes.
    package init(propertyList bytes: [UInt8]) throws(FormatError) {
        guard var values = try BinaryPropertyListReader.read(bytes).dictionary else {
            throw .damagedPropertyList(reason: "the metadata is not a dictionary")
        }
        func take<Value>(_ key: String, _ read: (PropertyListValue) -> Value?) -> Value? {
            guard let value = values[key].flatMap(read) else { return nil }
            values[key] = nil
            return value
        }
        storeType = take(Key.storeType, \.string)
        versionHashesVersion = take(Key.versionHashesVersion, \.integer)
        digest = take(Key.digest, \.string)
        checksum = take(Key.checksum, \.string)
        versionIdentifiers = take(Key.versionIdentifiers) { Self.strings($0) }
        frameworkVersion = take(Key.frameworkVersion, \.integer)
        maximumFrameworkVersion = take(Key.maximumFrameworkVersion, \.integer)
        autoVacuumLevel = take(Key.autoVacuumLevel, \.string)
        versionHashes = take(Key.versionHashes) { Self.hashes($0) } ?? [:]
        other = values
        guard other[Key.versionHashes] == nil else {
            throw .damagedPropertyList(reason: "the version hashes are not a dictionary of bytes")
        }
    }

    /// A binary property list; equal metadata give equal bytes.
    package func propertyList() -> [UInt8] {
        var values = other
        func put(_ key: String, _ value: PropertyListValue?) {
            if let value { values[key] = value }  // Else `other` may have one of another kind.
        }
        put(Key.storeType, storeType.map { .string($0) })
        put(Key.versionHashes, .dictionary(versionHashes.mapValues { .data($0) }))
        put(Key.versionHashesVersion, versionHashesVersion.map { .integer($0) })
        put(Key.digest, digest.map { .string($0) })
        put(Key.checksum, checksum.map { .string($0) })
        put(Key.versionIdentifiers, versionIdentifiers.map { .array($0.map { .string($0) }) })
        put(Key.frameworkVersion, frameworkVersion.map { .integer($0) })
        put(Key.maximumFrameworkVersion, maximumFrameworkVersion.map { .integer($0) })
        put(Key.autoVacuumLevel, autoVacuumLevel.map { .string($0) })
        return BinaryPropertyListWriter.bytes(of: .dictionary(values))
    }

    private static func hashes(_ value: PropertyListValue) -> [String: [UInt8]]? {
        guard let values = value.dictionary else { return nil }
        let hashes = values.compactMapValues(\.data)
        return hashes.count == values.count ? hashes : nil
    }

    private static func strings(_ value: PropertyListValue) -> [String]? {
        guard let values = value.array else { return nil }
        let strings = values.compactMap(\.string)
        return strings.count == values.count ? strings : nil
    }
}
