package import CofferFormats
package import CofferLinux
package import CofferModel
internal import CofferSQLite
package import FoundationEssentials

/// What a store's file says of itself, without the store being opened: no model is needed.
///
/// A value, as of one moment.
package struct FileMetadata: Sendable, Equatable {
    /// New values of applications by key; `nil` removes a key.
    package struct Changes: Sendable {
        package let values: [String: PropertyListValue?]

        package init(_ values: [String: PropertyListValue?] = [:]) { self.values = values }
    }

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
    ///   `notAdopted`, `readOnly`, `unknownSQL` where the file would run SQL of its own, and
    ///   `malformedRequest` for a key that says what the store is.
    @discardableResult
    package static func set(
        _ changes: [String: PropertyListValue?], of fileName: String, in folder: Folder,
        type: StoreType? = nil, adopts: Bool = false
    ) throws(StoreError) -> FileMetadata {
        for key in changes.keys.sorted() where !isWritable(key) {
            throw .malformedRequest("'\(key)' is a key of the store's own, which nobody sets")
        }
        let access = try FileMetadataAccess(fileName, in: folder, type: type)
        if changes.isEmpty { return try access.read() }
        return try access.write(changes, adopts: adopts)
    }

    private static func isWritable(_ key: String) -> Bool {
        StoreMetadata.isApplications(key) && !AtomicMetadata.ownKeys.contains(key)
    }
}

extension [String: PropertyListValue] {
    /// Lets values of applications be others.
    ///
    /// - Throws: `tooLarge`; `malformedRequest` for what no property list of a store can hold.
    mutating func apply(_ changes: [String: PropertyListValue?]) throws(StoreError) {
        for (key, value) in changes {
            if let value, !value.isPlain {
                throw .malformedRequest("the value of '\(key)' has a reference or null in it, or is too deep")
            }
            self[key] = value
        }
        let byteCount = BinaryPropertyListWriter.bytes(of: .dictionary(self)).count
        guard byteCount <= Limits.metadataBytes else {
            throw .tooLarge("metadata of \(byteCount) bytes, \(Limits.metadataBytes) are allowed")
        }
    }
}

extension PropertyListValue {
    /// Whether every form of property lists has it.
    fileprivate var isPlain: Bool { isPlain(depth: 0) }

    private func isPlain(depth: Int) -> Bool {
        if depth > Limits.metadataDepth { return false }
        return switch self {
        case .dictionary(let values): values.values.allSatisfy { $0.isPlain(depth: depth + 1) }
        case .array(let values): values.allSatisfy { $0.isPlain(depth: depth + 1) }
        case .reference, .null: false
        case .string, .data, .date, .integer, .largeInteger, .real, .boolean: true
        }
    }
}
