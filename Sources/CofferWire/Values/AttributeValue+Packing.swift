internal import CCofferMessages
internal import CofferModel
internal import FoundationEssentials

/// Defaults of attributes are parts of models, which libprotobuf-c packs.
extension AttributeValue: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Value>) {
        unsafe coffer__v1__value__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__Value>) throws(WireError) {
        let c = unsafe message.pointee
        switch unsafe c.kind_case {
        case COFFER__V1__VALUE__KIND_NULL: self = .null
        case COFFER__V1__VALUE__KIND_INTEGER: self = unsafe .integer(c.integer)
        case COFFER__V1__VALUE__KIND_BOOLEAN: self = unsafe .boolean(c.boolean != 0)
        case COFFER__V1__VALUE__KIND_DOUBLE: self = unsafe .double(c.double_)
        case COFFER__V1__VALUE__KIND_FLOAT: self = unsafe .float(c.float_)
        case COFFER__V1__VALUE__KIND_DECIMAL:
            let parts = try unsafe required(c.decimal, "coffer.v1.Value.decimal", as: DecimalParts.self)
            guard let decimal = parts.decimal else {
                throw .malformed("coffer.v1.Value.decimal: too large")
            }
            self = .decimal(decimal)
        case COFFER__V1__VALUE__KIND_STRING:
            self = .string(try unsafe c.string.text("coffer.v1.Value.string", limit: Limits.frame))
        case COFFER__V1__VALUE__KIND_DATE:
            self = unsafe .date(Date(timeIntervalSinceReferenceDate: c.date))
        case COFFER__V1__VALUE__KIND_BINARY: self = unsafe .binary(c.binary.array())
        case COFFER__V1__VALUE__KIND_UUID: self = .uuid(try unsafe c.uuid.uuid("coffer.v1.Value.uuid"))
        case COFFER__V1__VALUE__KIND_URI:
            self = .uri(try unsafe c.uri.text("coffer.v1.Value.uri", limit: Limits.frame))
        case COFFER__V1__VALUE__KIND_TRANSFORMABLE: self = unsafe .transformable(c.transformable.array())
        case COFFER__V1__VALUE__KIND_OBJECT:
            let reference = try unsafe required(
                c.object, "coffer.v1.Value.object", as: ObjectReferenceMessage.self)
            self = .object(reference.unresolvedID)
        default: throw .malformed("coffer.v1.Value: of no kind")
        }
    }

    func fill(_ c: inout Coffer__V1__Value, in arena: inout PackArena) throws(WireError) {
        unsafe c.kind_case = kindCase
        switch self {
        case .null: unsafe c.null = 1
        case .integer(let number): unsafe c.integer = number
        case .boolean(let flag): unsafe c.boolean = flag ? 1 : 0
        case .double(let number): unsafe c.double_ = number
        case .float(let number): unsafe c.float_ = number
        case .decimal(let decimal): try unsafe c.decimal = arena.make(DecimalParts(decimal))
        case .string(let text): unsafe c.string = arena.text(text)
        case .date(let date): unsafe c.date = date.timeIntervalSinceReferenceDate
        case .binary(let bytes): unsafe c.binary = arena.data(bytes)
        case .uuid(let uuid): unsafe c.uuid = arena.uuid(uuid)
        case .uri(let text): unsafe c.uri = arena.text(text)
        case .transformable(let bytes): unsafe c.transformable = arena.data(bytes)
        case .object(let id): try unsafe c.object = arena.make(ObjectReferenceMessage(id))
        }
    }

    private var kindCase: Coffer__V1__Value__KindCase {
        switch self {
        case .null: COFFER__V1__VALUE__KIND_NULL
        case .integer: COFFER__V1__VALUE__KIND_INTEGER
        case .boolean: COFFER__V1__VALUE__KIND_BOOLEAN
        case .double: COFFER__V1__VALUE__KIND_DOUBLE
        case .float: COFFER__V1__VALUE__KIND_FLOAT
        case .decimal: COFFER__V1__VALUE__KIND_DECIMAL
        case .string: COFFER__V1__VALUE__KIND_STRING
        case .date: COFFER__V1__VALUE__KIND_DATE
        case .binary: COFFER__V1__VALUE__KIND_BINARY
        case .uuid: COFFER__V1__VALUE__KIND_UUID
        case .uri: COFFER__V1__VALUE__KIND_URI
        case .transformable: COFFER__V1__VALUE__KIND_TRANSFORMABLE
        case .object: COFFER__V1__VALUE__KIND_OBJECT
        }
    }
}

extension AttributeValue: FieldMessage {
    static var name: StaticString { "coffer.v1.Value" }

    init(reading reader: inout FieldReader) throws(WireError) {
        var value: AttributeValue?
        while let field = try reader.nextField() {
            guard (1...13).contains(field.number) else {
                try reader.skip(field)
                continue
            }
            value = try Self.value(field, &reader)
        }
        guard let value else { throw .malformed("coffer.v1.Value: of no kind") }
        self = value
    }

    private static func value(
        _ field: FieldReader.Field, _ reader: inout FieldReader
    ) throws(WireError) -> AttributeValue {
        switch field.number {
        case 1:
            _ = try reader.flag(field)
            return .null
        case 2: return .integer(try reader.fixed(field))
        case 3: return .boolean(try reader.flag(field))
        case 4: return .double(try reader.fixed(field))
        case 5: return .float(try reader.fixed(field))
        case 6:
            guard let decimal = try reader.message(field, as: DecimalParts.self).decimal else {
                throw .malformed("coffer.v1.Value.decimal: too large")
            }
            return .decimal(decimal)
        case 7: return .string(try reader.text(field, "coffer.v1.Value.string", limit: Limits.frame))
        case 8: return .date(Date(timeIntervalSinceReferenceDate: try reader.fixed(field)))
        case 9: return .binary(try reader.bytes(field))
        case 10: return .uuid(try reader.uuid(field, "coffer.v1.Value.uuid"))
        case 11: return .uri(try reader.text(field, "coffer.v1.Value.uri", limit: Limits.frame))
        case 12: return .transformable(try reader.bytes(field))
        default:
            return .object(try reader.message(field, as: ObjectReferenceMessage.self).unresolvedID)
        }
    }

    func write(to writer: inout FieldWriter) throws(WireError) {
        switch self {
        case .null: writer.always(1, number: 1)
        case .integer(let number): writer.always(2, fixed: number)
        case .boolean(let flag): writer.always(3, number: flag ? 1 : 0)
        case .double(let number): writer.always(4, fixed: number)
        case .float(let number): writer.always(5, fixed: number)
        case .decimal(let decimal): try writer.put(6, message: DecimalParts(decimal))
        case .string(let text): writer.always(7, text: text)
        case .date(let date): writer.always(8, fixed: date.timeIntervalSinceReferenceDate)
        case .binary(let bytes): writer.always(9, bytes: bytes)
        case .uuid(let uuid): writer.always(10, uuid: uuid)
        case .uri(let text): writer.always(11, text: text)
        case .transformable(let bytes): writer.always(12, bytes: bytes)
        case .object(let id): try writer.put(13, message: ObjectReferenceMessage(id))
        }
    }
}

extension DecimalParts: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Decimal>) {
        unsafe coffer__v1__decimal__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__Decimal>) throws(WireError) {
        let c = unsafe message.pointee
        guard let exponent = unsafe Int8(exactly: c.exponent) else {
            throw .malformed("coffer.v1.Decimal.exponent: \(unsafe c.exponent) is out of range")
        }
        guard unsafe c.mantissa.len == 16 else {
            throw .malformed("coffer.v1.Decimal.mantissa: \(unsafe c.mantissa.len) bytes, 16 are needed")
        }
        unsafe self.init(
            isNegative: c.negative != 0, exponent: exponent, mantissa: Self.mantissa(c.mantissa.array()))
    }

    func fill(_ c: inout Coffer__V1__Decimal, in arena: inout PackArena) {
        unsafe c.negative = isNegative ? 1 : 0
        unsafe c.exponent = Int32(exponent)
        unsafe c.mantissa = arena.data(mantissaBytes)
    }
}

extension DecimalParts: FieldMessage {
    static var name: StaticString { "coffer.v1.Decimal" }

    init(reading reader: inout FieldReader) throws(WireError) {
        var isNegative = false
        var number: Int32 = 0
        var mantissa: [UInt8] = []
        while let field = try reader.nextField() {
            switch field.number {
            case 1: isNegative = try reader.flag(field)
            case 2: number = try reader.zigzag32(field)
            case 3: mantissa = try reader.bytes(field)
            default: try reader.skip(field)
            }
        }
        guard let exponent = Int8(exactly: number) else {
            throw .malformed("coffer.v1.Decimal.exponent: \(number) is out of range")
        }
        guard mantissa.count == 16 else {
            throw .malformed("coffer.v1.Decimal.mantissa: \(mantissa.count) bytes, 16 are needed")
        }
        self.init(isNegative: isNegative, exponent: exponent, mantissa: Self.mantissa(mantissa))
    }

    func write(to writer: inout FieldWriter) {
        writer.put(1, flag: isNegative)
        writer.put(2, zigzag: Int32(exponent))
        writer.put(3, bytes: mantissaBytes)
    }
}
