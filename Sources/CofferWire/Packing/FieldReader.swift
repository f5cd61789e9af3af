internal import FoundationEssentials

/// Reads the fields of a packed message one after the other, where they lie, and makes no C structures of
/// them.
///
/// For the messages of which a client sends thousands a second; others go through libprotobuf-c. If a
/// field is given twice, its last value counts; code that reads a message field that may be there once
/// keeps its pieces in a `MergedRun`. Safe in that it reads nothing beyond the bytes that it was given;
/// the code that makes a reader ensures that they stay.
@safe struct FieldReader {
    /// The number of a field and how its value is packed.
    struct Field {
        let number: UInt64
        let form: Form
    }

    /// How a value is packed: a wire type.
    enum Form: UInt64 {
        case varint = 0
        case eightBytes = 1
        case run = 2
        case fourBytes = 5
    }

    /// The message's name, for errors.
    let message: StaticString
    private let bytes: UnsafeRawBufferPointer
    /// Where the next field, or its value, begins.
    private var place = 0
    /// How many messages may still be read within this one.
    private var parts: MessageParts

    /// A reader of `bytes`, which stay while it is used; without `parts` it reads no messages within the
    /// message.
    init(_ message: StaticString, _ bytes: UnsafeRawBufferPointer, parts: MessageParts = MessageParts()) {
        self.message = message
        unsafe self.bytes = bytes
        self.parts = parts
    }

    /// The fields that were not read yet, where they lie.
    var rest: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: bytes[place...]) }

    private var remaining: Int { unsafe bytes.count - place }

    /// Out of the way of the code that reads what is well formed.
    private var noMessage: WireError {
        @inline(never) get { .malformed("\(message): not this message") }
    }

    /// The next field, whose value is to be read or skipped; `nil` at the end.
    @inline(__always)
    mutating func nextField() throws(WireError) -> Field? {
        if remaining == 0 { return nil }
        let tag = try varint()
        guard let form = Form(rawValue: tag & 7), tag >> 3 > 0, tag >> 3 < 1 << 29 else { throw noMessage }
        return Field(number: tag >> 3, form: form)
    }

    /// Passes over the value of a field that is not known.
    mutating func skip(_ field: Field) throws(WireError) {
        switch field.form {
        case .varint: _ = try varint()
        case .eightBytes: _ = try unsafe take(8)
        case .fourBytes: _ = try unsafe take(4)
        case .run: _ = try unsafe run(field)
        }
    }

    @inline(__always)
    private mutating func varint() throws(WireError) -> UInt64 {
        guard remaining > 0 else { throw noMessage }
        let first = unsafe bytes[place]
        place += 1
        return first < 0x80 ? UInt64(first) : try longVarint(UInt64(first & 0x7F))
    }

    @inline(never)
    private mutating func longVarint(_ first: UInt64) throws(WireError) -> UInt64 {
        var result = first
        for shift in stride(from: UInt64(7), to: 70, by: 7) {
            guard remaining > 0 else { break }
            let byte = unsafe bytes[place]
            place += 1
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
        }
        throw noMessage
    }

    @inline(__always)
    private mutating func take(_ count: Int) throws(WireError) -> UnsafeRawBufferPointer {
        guard count <= remaining else { throw noMessage }
        let start = unsafe bytes.baseAddress.map { unsafe $0 + place }
        place += count
        return unsafe UnsafeRawBufferPointer(start: start, count: count)
    }

    /// The bytes of a run, where they lie.
    @inline(__always)
    mutating func run(_ field: Field) throws(WireError) -> UnsafeRawBufferPointer {
        guard field.form == .run, let count = Int(exactly: try varint()) else { throw noMessage }
        return try unsafe take(count)
    }
}

extension FieldReader {
    /// A number of any width, or an enum's case.
    mutating func number(_ field: Field) throws(WireError) -> UInt64 {
        guard field.form == .varint else { throw noMessage }
        return try varint()
    }

    /// A number of 32 bits.
    mutating func number32(_ field: Field) throws(WireError) -> UInt32 {
        UInt32(truncatingIfNeeded: try number(field))
    }

    /// A number of 32 bits that is short if it is near zero, of either sign.
    mutating func zigzag32(_ field: Field) throws(WireError) -> Int32 {
        let bits = try number32(field)
        return Int32(bitPattern: bits >> 1) ^ -Int32(bitPattern: bits & 1)
    }

    /// A flag.
    mutating func flag(_ field: Field) throws(WireError) -> Bool { try number(field) != 0 }

    /// A number of fixed width, 4 or 8 bytes.
    mutating func fixed<Number: BitwiseCopyable>(
        _ field: Field, as type: Number.Type = Number.self
    ) throws(WireError) -> Number {
        guard field.form == (MemoryLayout<Number>.size == 8 ? .eightBytes : .fourBytes) else {
            throw noMessage
        }
        return try unsafe take(MemoryLayout<Number>.size).loadUnaligned(as: type)
    }

    /// A repeated number of fixed width, as one run or one by one: appends to `numbers`.
    mutating func append<Number: BitwiseCopyable>(
        _ field: Field, to numbers: inout [Number]
    ) throws(WireError) {
        let width = MemoryLayout<Number>.size
        guard field.form == .run else { return numbers.append(try fixed(field)) }
        let run = try unsafe self.run(field)
        guard run.count % width == 0 else { throw noMessage }
        if unsafe run.isEmpty { return }
        guard numbers.isEmpty, run.count > width else {
            for offset in stride(from: 0, to: run.count, by: width) {
                numbers.append(unsafe run.loadUnaligned(fromByteOffset: offset, as: Number.self))
            }
            return
        }
        numbers = unsafe Array(copying: run)
    }

    /// Bytes, copied.
    mutating func bytes(_ field: Field) throws(WireError) -> [UInt8] { try unsafe Array(copying: run(field)) }

    /// Text, which is checked; `name` is the field's, for errors.
    mutating func text(
        _ field: Field, _ name: StaticString, limit: Int = Limits.name
    ) throws(WireError) -> String {
        let bytes = try unsafe run(field)
        guard bytes.count <= limit else {
            throw .tooLarge(what: "\(name)", byteCount: bytes.count, limit: limit)
        }
        // The error says where the bytes go wrong; that they do is enough.
        guard let text = try? unsafe UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span) else {
            throw .malformed("\(name): not UTF-8")
        }
        return String(copying: text)
    }

    /// A UUID; `name` is the field's, for errors.
    mutating func uuid(_ field: Field, _ name: StaticString) throws(WireError) -> UUID {
        let bytes = try unsafe run(field)
        guard bytes.count == 16 else { throw .malformed("\(name): \(bytes.count) bytes are not a UUID") }
        return unsafe UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    /// A UUID; `nil` if there are no bytes; `name` is the field's, for errors.
    mutating func optionalUUID(_ field: Field, _ name: StaticString) throws(WireError) -> UUID? {
        var rest = self
        if try unsafe run(field).isEmpty { return nil }
        return try rest.uuid(field, name)
    }

    /// UUIDs, 16 bytes each; `name` is the field's, for errors.
    mutating func uuids(_ field: Field, _ name: StaticString) throws(WireError) -> [UUID] {
        let bytes = try unsafe run(field)
        let count = bytes.count / 16
        guard bytes.count % 16 == 0, count <= Limits.rows else {
            throw .malformed("\(name): \(bytes.count) bytes are not a list of UUIDs")
        }
        return unsafe [UUID](unsafeUninitializedCapacity: count) { buffer, initialized in
            for index in 0..<count {
                let uuid = unsafe bytes.loadUnaligned(fromByteOffset: 16 * index, as: uuid_t.self)
                unsafe buffer.initializeElement(at: index, to: UUID(uuid: uuid))
            }
            initialized = count
        }
    }

    /// A repeated number of any width up to 32 bits, as one run or one by one: appends to `numbers`, which
    /// may become `limit`.
    mutating func append<Number: FixedWidthInteger>(
        _ field: Field, to numbers: inout [Number], _ name: StaticString, limit: Int
    ) throws(WireError) {
        guard field.form == .run else {
            return try numbers.append(Number(number32(field)), name, limit: limit)
        }
        var run = try unsafe FieldReader(message, self.run(field))
        while run.remaining > 0 {
            try numbers.append(Number(UInt32(truncatingIfNeeded: run.varint())), name, limit: limit)
        }
    }

    /// A message, read by its own reader.
    mutating func message<Message: FieldMessage>(
        _ field: Field, as type: Message.Type = Message.self
    ) throws(WireError) -> Message {
        try unsafe message(in: run(field))
    }

    /// A message that is there at most once; `nil` if it is not.
    mutating func message<Message: FieldMessage>(
        of once: MergedRun, as type: Message.Type = Message.self
    ) throws(WireError) -> Message? {
        guard let bytes = unsafe once.bytes else { return nil }
        guard once.isJoined else { return try unsafe message(in: bytes) }
        let joined = once.joined
        return try unsafe joined.span.bytes.withUnsafeBytes { bytes throws(WireError) in
            try unsafe message(in: bytes)
        }
    }

    /// A message that is there exactly once; `name` is the field's, for errors.
    mutating func message<Message: FieldMessage>(
        of once: MergedRun, _ name: StaticString, as type: Message.Type = Message.self
    ) throws(WireError) -> Message {
        guard let message: Message = try message(of: once) else { throw .malformed("\(name): absent") }
        return message
    }

    private mutating func message<Message: FieldMessage>(
        in bytes: UnsafeRawBufferPointer, as type: Message.Type = Message.self
    ) throws(WireError) -> Message {
        try parts.takeOne(Message.name)
        var reader = unsafe FieldReader(Message.name, bytes, parts: parts)
        let message = try Message(reading: &reader)
        parts = reader.parts
        return message
    }
}
