package import CofferLinux

/// One value of any D-Bus type.
package indirect enum DBusValue: Sendable {
    /// `y`.
    case byte(UInt8)
    /// `b`.
    case boolean(Bool)
    /// `n`.
    case int16(Int16)
    /// `q`.
    case uint16(UInt16)
    /// `i`.
    case int32(Int32)
    /// `u`.
    case uint32(UInt32)
    /// `x`.
    case int64(Int64)
    /// `t`.
    case uint64(UInt64)
    /// `d`.
    case double(Double)
    /// `s`, without a NUL.
    case string(String)
    /// `o`.
    case objectPath(String)
    /// `g`.
    case signature(String)
    /// `h`: sending duplicates it, and what arrives closes with its last reference.
    case unixFD(OwnedDescriptor)
    /// `a…` of anything but bytes and dictionary entries; each element has the given signature.
    case array(String, [DBusValue])
    /// `ay`, the cheapest type there is.
    case bytes([UInt8])
    /// `(…)`, with one member at least.
    case structure([DBusValue])
    /// `a{…}`: signatures of key and value, and the entries in their order.
    case dictionary(String, String, [Entry])
    /// `v`.
    case variant(DBusValue)

    /// One key and its value in a dictionary.
    package struct Entry: Sendable, Equatable {
        /// The key, of a basic type.
        package var key: DBusValue
        /// The value.
        package var value: DBusValue

        /// Makes an entry.
        package init(_ key: DBusValue, _ value: DBusValue) {
            self.key = key
            self.value = value
        }
    }
}

extension DBusValue {
    /// The signature of this value's type, one complete type.
    package var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .unixFD: "h"
        case .array(let element, _): "a" + element
        case .bytes: "ay"
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        case .dictionary(let key, let value, _): "a{" + key + value + "}"
        case .variant: "v"
        }
    }

    /// A dictionary `a{sv}` of `values`, in the order of its keys.
    package static func properties(_ values: [String: DBusValue]) -> DBusValue {
        let entries = values.sorted { $0.key < $1.key }.map { Entry(.string($0.key), .variant($0.value)) }
        return .dictionary("s", "v", entries)
    }

    /// An array `as` of `values`.
    package static func strings(_ values: [String]) -> DBusValue {
        .array("s", values.map(DBusValue.string))
    }
}

extension DBusValue: Equatable {
    /// Whether both have one type and equal values; a descriptor is equal only to itself.
    package static func == (left: DBusValue, right: DBusValue) -> Bool {
        switch (left, right) {
        case (.byte(let a), .byte(let b)): a == b
        case (.boolean(let a), .boolean(let b)): a == b
        case (.int16(let a), .int16(let b)): a == b
        case (.uint16(let a), .uint16(let b)): a == b
        case (.int32(let a), .int32(let b)): a == b
        case (.uint32(let a), .uint32(let b)): a == b
        case (.int64(let a), .int64(let b)): a == b
        case (.uint64(let a), .uint64(let b)): a == b
        case (.double(let a), .double(let b)): a == b
        case (.string(let a), .string(let b)): a == b
        case (.objectPath(let a), .objectPath(let b)): a == b
        case (.signature(let a), .signature(let b)): a == b
        case (.unixFD(let a), .unixFD(let b)): a === b
        case (.array(let a, let x), .array(let b, let y)): a == b && x == y
        case (.bytes(let a), .bytes(let b)): a == b
        case (.structure(let a), .structure(let b)): a == b
        case (.dictionary(let k, let v, let x), .dictionary(let l, let w, let y)): k == l && v == w && x == y
        case (.variant(let a), .variant(let b)): a == b
        default: false
        }
    }
}
