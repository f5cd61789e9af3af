import CCofferMessages

/// A value of a field, as libprotobuf-c understands it; numbers by their bits.
indirect enum CValue: Equatable {
    case number(UInt64)
    case bytes([UInt8])
    case message([CField])
}

/// A field of a message that is neither zero nor empty.
struct CField: Equatable {
    let name: String
    let number: UInt64
    let type: ProtobufCType
    let isRepeated: Bool
    let isOneof: Bool
    var values: [CValue]
}

/// A message as libprotobuf-c read it, and as it packs it again.
struct CReading {
    let fields: [CField]
    let packed: [UInt8]

    /// Reads `bytes`; `nil` if libprotobuf-c refuses them.
    init?(_ bytes: [UInt8], as descriptor: ProtobufCMessageDescriptor) {
        let message = unsafe withUnsafePointer(to: descriptor) {
            unsafe protobuf_c_message_unpack($0, nil, bytes.count, bytes)
        }
        guard let message = unsafe message else { return nil }
        defer { unsafe protobuf_c_message_free_unpacked(message, nil) }
        fields = unsafe Self.fields(of: message)
        let size = unsafe protobuf_c_message_get_packed_size(message)
        packed = unsafe [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, count in
            unsafe count = protobuf_c_message_pack(message, buffer.baseAddress)
        }
    }

    private static func fields(of message: UnsafePointer<ProtobufCMessage>) -> [CField] {
        let descriptor = unsafe message.pointee.descriptor.pointee
        var fields: [CField] = []
        for index in 0..<Int(unsafe descriptor.n_fields) {
            let field = unsafe descriptor.fields[index]
            let values = unsafe Self.values(of: field, UnsafeRawPointer(message))
            if values.isEmpty { continue }
            fields.append(
                unsafe CField(
                    name: String(cString: field.name), number: UInt64(field.id), type: field.type,
                    isRepeated: field.label == PROTOBUF_C_LABEL_REPEATED,
                    isOneof: field.flags & PROTOBUF_C_FIELD_FLAG_ONEOF.rawValue != 0, values: values))
        }
        return fields
    }

    private static func values(
        of field: ProtobufCFieldDescriptor, _ message: UnsafeRawPointer
    ) -> [CValue] {
        let place = unsafe message + Int(field.offset)
        let quantifier = unsafe message + Int(field.quantifier_offset)
        if unsafe field.label == PROTOBUF_C_LABEL_REPEATED {
            let count = unsafe quantifier.load(as: Int.self)
            guard count > 0, let list = unsafe place.load(as: UnsafeRawPointer?.self) else { return [] }
            return (0..<count).compactMap {
                unsafe Self.value(field.type, at: list + $0 * stride(field.type))
            }
        }
        let isOneof = unsafe field.flags & PROTOBUF_C_FIELD_FLAG_ONEOF.rawValue != 0
        if isOneof, unsafe quantifier.load(as: UInt32.self) != field.id { return [] }
        guard let value = unsafe Self.value(field.type, at: place) else { return [] }
        if !isOneof && (value == .number(0) || value == .bytes([])) { return [] }
        return [value]
    }

    private static func stride(_ type: ProtobufCType) -> Int {
        if type == PROTOBUF_C_TYPE_BYTES { return unsafe MemoryLayout<ProtobufCBinaryData>.stride }
        return type.is32Bits ? 4 : 8
    }

    private static func value(_ type: ProtobufCType, at place: UnsafeRawPointer) -> CValue? {
        switch type {
        case PROTOBUF_C_TYPE_MESSAGE:
            guard let message = unsafe place.load(as: UnsafePointer<ProtobufCMessage>?.self) else {
                return nil
            }
            return unsafe .message(fields(of: message))
        case PROTOBUF_C_TYPE_BYTES:
            let data = unsafe place.load(as: ProtobufCBinaryData.self)
            return unsafe .bytes(Array(UnsafeBufferPointer(start: data.data, count: data.len)))
        case _ where type.is32Bits: return unsafe .number(UInt64(place.load(as: UInt32.self)))
        default: return unsafe .number(place.load(as: UInt64.self))
        }
    }
}

extension ProtobufCType {
    /// Whether a structure has 4 bytes for it.
    var is32Bits: Bool {
        switch self {
        case PROTOBUF_C_TYPE_INT32, PROTOBUF_C_TYPE_SINT32, PROTOBUF_C_TYPE_SFIXED32, PROTOBUF_C_TYPE_UINT32,
            PROTOBUF_C_TYPE_FIXED32, PROTOBUF_C_TYPE_FLOAT, PROTOBUF_C_TYPE_BOOL, PROTOBUF_C_TYPE_ENUM:
            true
        default: false
        }
    }

    /// The wire type of one value.
    var form: UInt64 {
        switch self {
        case PROTOBUF_C_TYPE_BYTES, PROTOBUF_C_TYPE_MESSAGE: 2
        case PROTOBUF_C_TYPE_FIXED32, PROTOBUF_C_TYPE_SFIXED32, PROTOBUF_C_TYPE_FLOAT: 5
        case PROTOBUF_C_TYPE_FIXED64, PROTOBUF_C_TYPE_SFIXED64, PROTOBUF_C_TYPE_DOUBLE: 1
        default: 0
        }
    }
}
