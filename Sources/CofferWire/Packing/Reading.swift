internal import CCofferMessages
internal import FoundationEssentials

extension ProtobufCBinaryData {
    /// The bytes, copied.
    func array() -> [UInt8] {
        unsafe [UInt8](copying: data, count: len)
    }

    /// So many bytes, copied; or none, if the field allows that.
    func array(
        _ field: StaticString, count: Int, orNone allowsNone: Bool = false
    ) throws(WireError) -> [UInt8] {
        guard unsafe len == count || len == 0 && allowsNone else {
            throw .malformed("\(field): \(unsafe len) bytes instead of \(count)")
        }
        return unsafe array()
    }

    /// The bytes as text.
    func text(_ field: StaticString, limit: Int = Limits.name) throws(WireError) -> String {
        guard let start = unsafe data, unsafe len > 0 else { return "" }
        guard unsafe len <= limit else {
            throw .tooLarge(what: "\(field)", byteCount: unsafe len, limit: limit)
        }
        let bytes = unsafe UnsafeBufferPointer(start: start, count: len)
        guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
            throw .malformed("\(field): not UTF-8")
        }
        return text
    }

    /// The bytes as text; `nil` if there are none.
    func optionalText(_ field: StaticString, limit: Int = Limits.name) throws(WireError) -> String? {
        unsafe len == 0 ? nil : try unsafe text(field, limit: limit)
    }

    /// The bytes as a UUID.
    func uuid(_ field: StaticString) throws(WireError) -> UUID {
        guard unsafe len == 16, let start = unsafe data else {
            throw .malformed("\(field): \(unsafe len) bytes are not a UUID")
        }
        return unsafe UUID(uuid: UnsafeRawPointer(start).loadUnaligned(as: uuid_t.self))
    }

    /// The bytes as a UUID; `nil` if there are none.
    func optionalUUID(_ field: StaticString) throws(WireError) -> UUID? {
        unsafe len == 0 ? nil : try unsafe uuid(field)
    }

    /// The bytes as a SHA-256; or none.
    func digest(_ field: StaticString) throws(WireError) -> [UInt8] {
        guard unsafe len == 0 || len == 32 else {
            throw .malformed("\(field): \(unsafe len) bytes are not a SHA-256 digest")
        }
        return unsafe array()
    }
}

extension UUID {
    /// What stands for one that is not read yet.
    static var zero: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

extension Array where Element: BitwiseCopyable {
    /// A repeated number field, copied as one run.
    init(copying start: UnsafeMutablePointer<Element>?, count: Int) {
        guard let start = unsafe start, count > 0 else {
            self = []
            return
        }
        unsafe self.init(copying: UnsafeRawBufferPointer(UnsafeBufferPointer(start: start, count: count)))
    }

    /// The elements that `bytes` are, copied as one run.
    init(copying bytes: UnsafeRawBufferPointer) {
        self = []
        if unsafe bytes.isEmpty { return }
        let count = bytes.count / MemoryLayout<Element>.stride
        // An initialiser for memory without values looks the array's class up each time, which costs more
        // than all the rest of a small one.
        reserveCapacity(count)
        append(addingCapacity: count) { span in
            unsafe span.withUnsafeMutableBufferPointer { buffer, initialized in
                unsafe UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
                initialized = count
            }
        }
    }
}

/// Reads a repeated text field.
func texts(
    _ start: UnsafeMutablePointer<ProtobufCBinaryData>?, count: Int, field: StaticString,
    limit: Int = Limits.list
) throws(WireError) -> [String] {
    guard count <= limit else { throw .tooMany(field, count: count, limit: limit) }
    guard let start = unsafe start, count > 0 else { return [] }
    var result: [String] = []
    result.reserveCapacity(count)
    for index in 0..<count { result.append(try unsafe start[index].text(field)) }
    return result
}

/// Reads a repeated field of objects' hashes, 20 bytes each.
func hashes(
    _ start: UnsafeMutablePointer<ProtobufCBinaryData>?, count: Int, field: StaticString
) throws(WireError) -> [[UInt8]] {
    guard count <= Limits.objectHashes else {
        throw .tooMany(field, count: count, limit: Limits.objectHashes)
    }
    guard let start = unsafe start, count > 0 else { return [] }
    var result: [[UInt8]] = []
    for index in 0..<count {
        let hash = unsafe start[index].array()
        guard hash.count == 20 else { throw .malformed("\(field): \(hash.count) bytes are not a hash") }
        result.append(hash)
    }
    return result
}

/// Reads a repeated message field.
func messages<Message: CMessage>(
    _ start: UnsafeMutablePointer<UnsafeMutablePointer<Message.C>?>?, count: Int, field: StaticString,
    limit: Int = Limits.groups, as type: Message.Type = Message.self
) throws(WireError) -> [Message] {
    guard count <= limit else { throw .tooMany(field, count: count, limit: limit) }
    guard let start = unsafe start, count > 0 else { return [] }
    var result: [Message] = []
    result.reserveCapacity(count)
    for index in 0..<count { result.append(try unsafe required(start[index], field)) }
    return result
}

/// Joins entries whose keys must differ.
func dictionary<Value>(
    _ entries: [(String, Value)], _ field: StaticString
) throws(WireError) -> [String: Value] {
    var result: [String: Value] = [:]
    for (key, value) in entries where result.updateValue(value, forKey: key) != nil {
        throw .malformed("\(field): the key '\(key)' occurs twice")
    }
    return result
}

/// Reads a message field that must be there.
func required<Message: CMessage>(
    _ message: UnsafeMutablePointer<Message.C>?, _ field: StaticString, as type: Message.Type = Message.self
) throws(WireError) -> Message {
    guard let message = unsafe message else { throw .malformed("\(field): absent") }
    return try unsafe Message(message)
}

/// Reads a message field that may be absent.
func optional<Message: CMessage>(
    _ message: UnsafeMutablePointer<Message.C>?, as type: Message.Type = Message.self
) throws(WireError) -> Message? {
    guard let message = unsafe message else { return nil }
    return try unsafe Message(message)
}

/// Reads an enum field.
func choice<Choice: RawRepresentable>(
    _ rawValue: Choice.RawValue, _ field: StaticString
) throws(WireError) -> Choice {
    guard let choice = Choice(rawValue: rawValue) else {
        throw .malformed("\(field): \(rawValue) is unknown")
    }
    return choice
}

extension WireError {
    /// A repeated field has too many elements.
    static func tooMany(_ field: StaticString, count: Int, limit: Int) -> WireError {
        .malformed("\(field): \(count) elements, \(limit) are allowed")
    }
}
