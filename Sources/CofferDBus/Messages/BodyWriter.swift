import CDBus
import CofferLinux

/// Writes values into a message of libdbus, and counts what they hold.
struct BodyWriter {
    private var byteCount = 0
    private var descriptorCount = 0

    /// Appends `value`, whose signature has been checked as part of the body's.
    mutating func append(_ value: DBusValue, to iterator: inout DBusMessageIter, depth: Int) throws(DBusError)
    {
        guard depth <= Limits.nesting else { throw .tooLarge("nesting, at most \(Limits.nesting)") }
        switch value {
        case .byte(let value): try unsafe fixed(value, code: TypeCode.byte, to: &iterator)
        case .boolean(let value):
            try unsafe fixed(dbus_bool_t(value ? 1 : 0), code: TypeCode.boolean, to: &iterator)
        case .int16(let value): try unsafe fixed(value, code: TypeCode.int16, to: &iterator)
        case .uint16(let value): try unsafe fixed(value, code: TypeCode.uint16, to: &iterator)
        case .int32(let value): try unsafe fixed(value, code: TypeCode.int32, to: &iterator)
        case .uint32(let value): try unsafe fixed(value, code: TypeCode.uint32, to: &iterator)
        case .int64(let value): try unsafe fixed(value, code: TypeCode.int64, to: &iterator)
        case .uint64(let value): try unsafe fixed(value, code: TypeCode.uint64, to: &iterator)
        case .double(let value): try unsafe fixed(value, code: TypeCode.double, to: &iterator)
        case .string(let value): try unsafe text(value, code: TypeCode.string, to: &iterator)
        case .objectPath(let value):
            guard DBusPath.isValid(value) else { throw .invalidPath(value) }
            try unsafe text(value, code: TypeCode.objectPath, to: &iterator)
        case .signature(let value):
            guard DBusSignature.isValid(value) else { throw .invalidSignature(value) }
            try unsafe text(value, code: TypeCode.signature, to: &iterator)
        case .unixFD(let descriptor): try unsafe append(descriptor, &iterator)
        case .array, .bytes, .structure, .dictionary, .variant:
            try unsafe appendContainer(value, to: &iterator, depth: depth)
        }
    }

    private mutating func fixed<Value: BitwiseCopyable>(
        _ value: Value, code: Int32, to iterator: inout DBusMessageIter
    ) throws(DBusError) {
        try count(MemoryLayout<Value>.size)
        let isDone = unsafe withUnsafePointer(to: value) { pointer in
            unsafe dbus_message_iter_append_basic(&iterator, code, pointer)
        }
        guard isDone != 0 else { throw .outOfMemory }
    }

    private mutating func text(
        _ value: String, code: Int32, to iterator: inout DBusMessageIter
    ) throws(DBusError) {
        guard !value.utf8.contains(0) else { throw .invalidValue("text with a NUL") }
        try count(value.utf8.count + 5)
        let isDone = unsafe value.withCString { characters in
            unsafe withUnsafePointer(to: characters) { pointer in
                unsafe dbus_message_iter_append_basic(&iterator, code, pointer)
            }
        }
        guard isDone != 0 else { throw .outOfMemory }
    }

    /// Appends a duplicate, which the message owns.
    private mutating func append(
        _ descriptor: OwnedDescriptor, _ iterator: inout DBusMessageIter
    ) throws(DBusError) {
        descriptorCount += 1
        guard descriptorCount <= Limits.descriptors else {
            throw .tooLarge("descriptors of a message, at most \(Limits.descriptors)")
        }
        try unsafe fixed(descriptor.number, code: TypeCode.unixFD, to: &iterator)
    }

    private mutating func appendContainer(
        _ value: DBusValue, to iterator: inout DBusMessageIter, depth: Int
    ) throws(DBusError) {
        switch value {
        case .bytes(let bytes): try unsafe append(bytes, to: &iterator)
        case .array(let element, let values):
            try unsafe container(TypeCode.array, signature: element, to: &iterator) {
                writer, inner throws(DBusError) in
                for value in values {
                    guard value.signature == element else {
                        throw .invalidValue("'\(value.signature)' in an array of '\(element)'")
                    }
                    try unsafe writer.append(value, to: &inner, depth: depth + 1)
                }
            }
        case .structure(let members):
            try unsafe container(TypeCode.structure, signature: nil, to: &iterator) {
                writer, inner throws(DBusError) in
                for member in members { try unsafe writer.append(member, to: &inner, depth: depth + 1) }
            }
        case .dictionary(let key, let value, let entries):
            let signature = "{" + key + value + "}"
            try unsafe container(TypeCode.array, signature: signature, to: &iterator) {
                writer, inner throws(DBusError) in
                for entry in entries {
                    guard entry.key.signature == key, entry.value.signature == value else {
                        throw .invalidValue("an entry unlike its dictionary of '\(signature)'")
                    }
                    try unsafe writer.append(entry, to: &inner, depth: depth + 1)
                }
            }
        case .variant(let value):
            let signature = value.signature
            guard DBusSignature.isSingleType(signature) else { throw .invalidSignature(signature) }
            try unsafe container(TypeCode.variant, signature: signature, to: &iterator) {
                writer, inner throws(DBusError) in
                try unsafe writer.append(value, to: &inner, depth: depth + 1)
            }
        default: preconditionFailure("append(_:to:depth:) writes basic values itself")
        }
    }

    private mutating func append(
        _ entry: DBusValue.Entry, to iterator: inout DBusMessageIter, depth: Int
    ) throws(DBusError) {
        try unsafe container(TypeCode.entry, signature: nil, to: &iterator) {
            writer, inner throws(DBusError) in
            try unsafe writer.append(entry.key, to: &inner, depth: depth + 1)
            try unsafe writer.append(entry.value, to: &inner, depth: depth + 1)
        }
    }

    private mutating func append(_ bytes: [UInt8], to iterator: inout DBusMessageIter) throws(DBusError) {
        try count(bytes.count)
        try unsafe container(TypeCode.array, signature: "y", to: &iterator) { _, inner throws(DBusError) in
            guard !bytes.isEmpty else { return }
            let isDone = unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe withUnsafePointer(to: buffer.baseAddress) { pointer in
                    unsafe dbus_message_iter_append_fixed_array(
                        &inner, TypeCode.byte, pointer, Int32(buffer.count))
                }
            }
            guard isDone != 0 else { throw .outOfMemory }
        }
    }

    /// Opens a container, lets `body` fill it, and closes it; after an error it is abandoned with its
    /// message.
    private mutating func container(
        _ code: Int32, signature: String?, to iterator: inout DBusMessageIter,
        _ body: (inout BodyWriter, inout DBusMessageIter) throws(DBusError) -> Void
    ) throws(DBusError) {
        try count(8)
        var inner = unsafe DBusMessageIter()
        guard unsafe dbus_message_iter_open_container(&iterator, code, signature, &inner) != 0 else {
            throw .outOfMemory
        }
        do {
            try unsafe body(&self, &inner)
        } catch {
            unsafe dbus_message_iter_abandon_container(&iterator, &inner)
            throw error
        }
        guard unsafe dbus_message_iter_close_container(&iterator, &inner) != 0 else { throw .outOfMemory }
    }

    private mutating func count(_ bytes: Int) throws(DBusError) {
        byteCount += bytes
        guard byteCount <= Limits.bodyByteCount else {
            throw .tooLarge("body, at most \(Limits.bodyByteCount) bytes")
        }
    }
}
