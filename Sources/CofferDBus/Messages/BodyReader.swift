import CDBus
import CofferLinux

/// Reads values from a message of libdbus, and counts what they hold.
struct BodyReader {
    private var byteCount = 0
    private var valueCount = 0

    /// The values from `iterator` to the end of its container.
    mutating func values(of iterator: inout DBusMessageIter) throws(DBusError) -> [DBusValue] {
        var result: [DBusValue] = []
        while unsafe dbus_message_iter_get_arg_type(&iterator) != TypeCode.invalid {
            result.append(try unsafe value(at: &iterator))
            unsafe dbus_message_iter_next(&iterator)
        }
        return result
    }

    private mutating func value(at iterator: inout DBusMessageIter) throws(DBusError) -> DBusValue {
        valueCount += 1
        guard valueCount <= Limits.bodyValueCount else {
            throw .tooLarge("values of a body, at most \(Limits.bodyValueCount)")
        }
        switch unsafe dbus_message_iter_get_arg_type(&iterator) {
        case TypeCode.byte: return .byte(unsafe fixed(&iterator, 0))
        case TypeCode.boolean: return .boolean(unsafe fixed(&iterator, dbus_bool_t(0)) != 0)
        case TypeCode.int16: return .int16(unsafe fixed(&iterator, 0))
        case TypeCode.uint16: return .uint16(unsafe fixed(&iterator, 0))
        case TypeCode.int32: return .int32(unsafe fixed(&iterator, 0))
        case TypeCode.uint32: return .uint32(unsafe fixed(&iterator, 0))
        case TypeCode.int64: return .int64(unsafe fixed(&iterator, 0))
        case TypeCode.uint64: return .uint64(unsafe fixed(&iterator, 0))
        case TypeCode.double: return .double(unsafe fixed(&iterator, 0))
        case TypeCode.string: return .string(try unsafe text(&iterator))
        case TypeCode.objectPath: return .objectPath(try unsafe text(&iterator))
        case TypeCode.signature: return .signature(try unsafe text(&iterator))
        case TypeCode.unixFD: return .unixFD(try unsafe descriptor(&iterator))
        default: return try unsafe container(at: &iterator)
        }
    }

    private mutating func container(at iterator: inout DBusMessageIter) throws(DBusError) -> DBusValue {
        var inner = unsafe DBusMessageIter()
        unsafe dbus_message_iter_recurse(&iterator, &inner)
        switch unsafe dbus_message_iter_get_arg_type(&iterator) {
        case TypeCode.structure:
            return .structure(try unsafe values(of: &inner))
        case TypeCode.variant:
            return .variant(try unsafe value(at: &inner))
        case TypeCode.array:
            return try unsafe array(at: &iterator, inner: &inner)
        case let code:
            throw .malformed("a type code that libdbus knows, not \(code)")
        }
    }

    private mutating func array(
        at iterator: inout DBusMessageIter, inner: inout DBusMessageIter
    ) throws(DBusError) -> DBusValue {
        switch unsafe dbus_message_iter_get_element_type(&iterator) {
        case TypeCode.byte:
            return .bytes(try unsafe bytes(&inner))
        case TypeCode.entry:
            let signature = try unsafe signature(of: &iterator).dropFirst(2).dropLast()  // Of `a{sv}`, `sv`.
            let entries = try unsafe entries(of: &inner)
            return .dictionary(String(signature.prefix(1)), String(signature.dropFirst()), entries)
        default:
            let signature = try unsafe signature(of: &iterator).dropFirst()
            return .array(String(signature), try unsafe values(of: &inner))
        }
    }

    private mutating func entries(of iterator: inout DBusMessageIter) throws(DBusError) -> [DBusValue.Entry] {
        var result: [DBusValue.Entry] = []
        while unsafe dbus_message_iter_get_arg_type(&iterator) == TypeCode.entry {
            var inner = unsafe DBusMessageIter()
            unsafe dbus_message_iter_recurse(&iterator, &inner)
            let key = try unsafe value(at: &inner)
            unsafe dbus_message_iter_next(&inner)
            result.append(DBusValue.Entry(key, try unsafe value(at: &inner)))
            unsafe dbus_message_iter_next(&iterator)
        }
        return result
    }

    private func signature(of iterator: inout DBusMessageIter) throws(DBusError) -> String {
        guard let characters = unsafe dbus_message_iter_get_signature(&iterator) else { throw .outOfMemory }
        defer { unsafe dbus_free(characters) }
        return unsafe String(cString: characters)
    }

    private func fixed<Value: BitwiseCopyable>(_ iterator: inout DBusMessageIter, _ zero: Value) -> Value {
        var value = zero
        unsafe dbus_message_iter_get_basic(&iterator, &value)
        return value
    }

    private mutating func text(_ iterator: inout DBusMessageIter) throws(DBusError) -> String {
        var characters: UnsafePointer<CChar>?
        unsafe dbus_message_iter_get_basic(&iterator, &characters)
        guard let characters = unsafe characters else { throw .malformed("text") }
        let text = unsafe String(cString: characters)
        try count(text.utf8.count)
        return text
    }

    /// The descriptor at `iterator`, which libdbus has duplicated for us.
    private func descriptor(_ iterator: inout DBusMessageIter) throws(DBusError) -> OwnedDescriptor {
        let number = unsafe fixed(&iterator, Int32(-1))
        guard number >= 0 else { throw .descriptorsRefused }
        return OwnedDescriptor(owning: number)
    }

    private mutating func bytes(_ iterator: inout DBusMessageIter) throws(DBusError) -> [UInt8] {
        var start: UnsafePointer<UInt8>?
        var length: Int32 = 0
        unsafe dbus_message_iter_get_fixed_array(&iterator, &start, &length)
        guard let start = unsafe start, length > 0 else { return [] }
        try count(Int(length))
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(length)))
    }

    private mutating func count(_ bytes: Int) throws(DBusError) {
        byteCount += bytes
        guard byteCount <= Limits.bodyByteCount else {
            throw .tooLarge("body, at most \(Limits.bodyByteCount) bytes")
        }
    }
}
