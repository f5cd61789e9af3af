import CofferDBus
import CofferFormats
import CofferModel
import CofferWire
import FoundationEssentials

/// Metadata of stores as `a{sv}`: texts, numbers, flags, bytes, lists and dictionaries as themselves; a
/// date is its text, which sets a date again if there was one.
enum MetadataArguments {
    /// What `SetMetadata` is given.
    ///
    /// - Throws: `BusCallError.invalidArgument` if a value is of a type that no property list has.
    static func changes(
        _ values: DBusValue, removing removed: DBusValue
    ) throws(BusCallError) -> [String: MetadataValueMessage?] {
        var changes: [String: MetadataValueMessage?] = [:]
        for key in removed.stringValues ?? [] { changes[key] = .some(nil) }
        for entry in values.entries ?? [] {
            guard let key = entry.key.stringValue else { continue }
            if case .variant(.string(let text)) = entry.value {
                changes[key] = MetadataValueMessage(text: text)
            } else {
                changes[key] = MetadataValueMessage(propertyList: try value(entry.value, key).propertyList)
            }
        }
        return changes
    }

    private static func value(_ value: DBusValue, _ key: String) throws(BusCallError) -> MetadataValue {
        switch value {
        case .variant(let inner): return try Self.value(inner, key)
        case .string(let text): return .string(text)
        case .boolean(let truth): return .boolean(truth)
        case .double(let number): return .real(number)
        case .byte(let number): return .integer(Int64(number))
        case .int16(let number): return .integer(Int64(number))
        case .uint16(let number): return .integer(Int64(number))
        case .int32(let number): return .integer(Int64(number))
        case .uint32(let number): return .integer(Int64(number))
        case .int64(let number): return .integer(number)
        case .uint64(let number):
            guard let number = Int64(exactly: number) else {
                throw .invalidArgument("the number of '\(key)' is above \(Int64.max)")
            }
            return .integer(number)
        case .bytes(let bytes): return .data(bytes)
        case .array(_, let values):
            var members: [MetadataValue] = []
            for member in values { members.append(try Self.value(member, key)) }
            return .array(members)
        case .dictionary("s", _, let entries):
            var members: [String: MetadataValue] = [:]
            for entry in entries {
                if let name = entry.key.stringValue { members[name] = try Self.value(entry.value, key) }
            }
            return .dictionary(members)
        case .objectPath, .signature, .unixFD, .structure, .dictionary:
            throw .invalidArgument("'\(key)' is of the type '\(value.signature)', which no property list has")
        }
    }
}

extension DBusValue {
    /// All that a store says of itself, with Core Data's own keys for type, UUID and hashes.
    static func metadata(_ reply: MetadataReplyMessage) -> DBusValue {
        var values: [String: DBusValue] = [:]
        for (key, value) in reply.entries {
            guard !value.propertyList.isEmpty,
                // The value of a later version goes as its text.
                let typed = try? MetadataValue(propertyList: value.propertyList)
            else {
                values[key] = .string(value.text)
                continue
            }
            values[key] = DBusValue(typed)
        }
        values["NSStoreType"] = .string(reply.type)
        values["NSStoreUUID"] = .string(reply.uuid.uuidString)
        values["NSStoreModelVersionHashes"] = .properties(reply.versionHashes.mapValues { .bytes($0) })
        return .properties(values)
    }

    private init(_ value: MetadataValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .int64(number)
        case .real(let number): self = .double(number)
        case .boolean(let truth): self = .boolean(truth)
        case .date: self = .string(value.text ?? "")
        case .data(let bytes): self = .bytes(bytes)
        case .array(let values): self = .array("v", values.map { .variant(DBusValue($0)) })
        case .dictionary(let values): self = .properties(values.mapValues { DBusValue($0) })
        }
    }
}
