/// A message that is read and packed field by field, without C structures.
///
/// Its bytes are those that libprotobuf-c would make; unknown fields are passed over.
protocol FieldMessage {
    /// The message's name, for errors.
    static var name: StaticString { get }

    /// What the message may cost its reader.
    static var readLimit: MessageLimit { get }

    /// About how many bytes it takes, so that memory for it is asked for once.
    var aboutByteCount: Int { get }

    /// Reads the fields, checking each.
    init(reading reader: inout FieldReader) throws(WireError)

    /// Writes the fields in the order of their numbers.
    func write(to writer: inout FieldWriter) throws(WireError)
}

extension FieldMessage {
    /// Most messages are only parts of others, and these bound them.
    static var readLimit: MessageLimit { .rows }

    var aboutByteCount: Int { 0 }

    /// Reads a packed message, in place.
    init(readingFields bytes: RawSpan) throws(WireError) {
        guard bytes.byteCount <= Self.readLimit.byteCount else {
            throw .tooLarge(what: "\(Self.name)", byteCount: bytes.byteCount, limit: Self.readLimit.byteCount)
        }
        self = try unsafe bytes.withUnsafeBytes { buffer throws(WireError) in
            let parts = MessageParts(Self.readLimit, byteCount: bytes.byteCount)
            var reader = unsafe FieldReader(Self.name, buffer, parts: parts)
            return try Self(reading: &reader)
        }
    }

    /// The message, packed, as large as its reader takes it.
    func packingFields() throws(WireError) -> [UInt8] {
        try FieldWriter.pack(about: aboutByteCount) { writer throws(WireError) in
            try write(to: &writer)
            guard writer.count <= Self.readLimit.byteCount else {
                throw .tooLarge(
                    what: "\(Self.name)", byteCount: writer.count, limit: Self.readLimit.byteCount)
            }
        }
    }
}

extension Array where Element: FieldMessage {
    /// About how many bytes they take as a repeated field.
    var aboutByteCount: Int {
        var result = 0
        let elements = span  // Lends each element, where the array would copy it.
        for index in elements.indices { result += elements[index].aboutByteCount + 6 }
        return result
    }
}

extension Array {
    /// Adds an element of a repeated field, which may have `limit` of them.
    mutating func append(
        _ element: consuming Element, _ field: StaticString, limit: Int = Limits.groups
    ) throws(WireError) {
        guard count < limit else { throw .tooMany(field, count: count + 1, limit: limit) }
        append(element)
    }
}
