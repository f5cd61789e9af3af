package import CofferLinux

/// What a value holds, or `nil` if it is of another type; a handler reads its arguments with these.
extension DBusValue {
    /// The truth value.
    package var booleanValue: Bool? { if case .boolean(let value) = self { value } else { nil } }
    /// The number, if it is an `i`.
    package var int32Value: Int32? { if case .int32(let value) = self { value } else { nil } }
    /// The number, if it is a `u`.
    package var uint32Value: UInt32? { if case .uint32(let value) = self { value } else { nil } }
    /// The number, if it is an `x`.
    package var int64Value: Int64? { if case .int64(let value) = self { value } else { nil } }
    /// The number, if it is a `t`.
    package var uint64Value: UInt64? { if case .uint64(let value) = self { value } else { nil } }
    /// The number, if it is a `d`.
    package var doubleValue: Double? { if case .double(let value) = self { value } else { nil } }
    /// The text, if it is an `s`.
    package var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    /// The path, if it is an `o`.
    package var objectPathValue: String? { if case .objectPath(let value) = self { value } else { nil } }
    /// The bytes, if it is an `ay`.
    package var bytesValue: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    /// The descriptor, if it is an `h`.
    package var descriptorValue: OwnedDescriptor? { if case .unixFD(let value) = self { value } else { nil } }
    /// The elements of an array, not of bytes, or the members of a structure.
    package var elements: [DBusValue]? {
        switch self {
        case .array(_, let elements), .structure(let elements): elements
        default: nil
        }
    }
    /// The entries, if it is a dictionary.
    package var entries: [Entry]? { if case .dictionary(_, _, let entries) = self { entries } else { nil } }
    /// What a variant holds, or the value itself if it is not a variant.
    package var unwrapped: DBusValue { if case .variant(let value) = self { value } else { self } }

    /// The texts of an `as`.
    package var stringValues: [String]? {
        guard case .array("s", let elements) = self else { return nil }
        return elements.compactMap(\.stringValue)
    }

    /// The descriptors of an `ah`.
    package var descriptorValues: [OwnedDescriptor]? {
        guard case .array("h", let elements) = self else { return nil }
        return elements.compactMap(\.descriptorValue)
    }

    /// The values of an `a{sv}` by their keys, out of their variants; a key's last value counts.
    package var propertyValues: [String: DBusValue]? {
        guard case .dictionary("s", "v", let entries) = self else { return nil }
        var result: [String: DBusValue] = [:]
        for entry in entries {
            guard let key = entry.key.stringValue else { continue }
            result[key] = entry.value.unwrapped
        }
        return result
    }
}
