internal import CCofferMessages

/// A message that has a C form, which libprotobuf-c packs and unpacks.
protocol CMessage {
    /// The structure that protoc-c made.
    associatedtype C

    /// What the message may cost its reader.
    static var limit: MessageLimit { get }

    /// Makes the structure empty (`…__init`).
    static func prepare(_ message: UnsafeMutablePointer<C>)

    /// Reads the structure, checking every field.
    init(_ message: UnsafeMutablePointer<C>) throws(WireError)

    /// Fills the empty structure; what it points to lies in `arena`.
    func fill(_ message: inout C, in arena: inout PackArena) throws(WireError)
}

extension CMessage {
    /// Most messages are only parts of others, and these bound them.
    static var limit: MessageLimit { .rows }

    /// Reads a packed message, in place.
    init(unpacking bytes: RawSpan) throws(WireError) {
        self = try unsafe Self.reading(bytes) { message throws(WireError) in try unsafe Self(message) }
    }

    /// Lends `body` the structure of a packed message, in place.
    static func reading<Result>(
        _ bytes: RawSpan, _ body: (UnsafeMutablePointer<C>) throws(WireError) -> Result
    ) throws(WireError) -> Result {
        let descriptor = unsafe Self.descriptor()
        guard bytes.byteCount <= Self.limit.byteCount else {
            throw .tooLarge(
                what: unsafe String(cString: descriptor.pointee.name), byteCount: bytes.byteCount,
                limit: Self.limit.byteCount)
        }
        var arena = UnpackArena(limit: Self.limit.arenaByteCount(for: bytes.byteCount))
        let message = try unsafe bytes.withUnsafeBytes { buffer throws(WireError) in
            try unsafe arena.unpack(buffer, as: descriptor)
        }
        defer { withExtendedLifetime(arena) {} }
        return try unsafe body(UnsafeMutableRawPointer(message).assumingMemoryBound(to: C.self))
    }

    /// The message, packed, as large as its reader takes it.
    func packing() throws(WireError) -> [UInt8] {
        var arena = PackArena()
        let message = try unsafe UnsafeMutableRawPointer(arena.make(self))
            .assumingMemoryBound(to: ProtobufCMessage.self)
        defer { withExtendedLifetime(arena) {} }
        let size = unsafe protobuf_c_message_get_packed_size(message)
        guard size <= Self.limit.byteCount else {
            throw .tooLarge(
                what: unsafe String(cString: message.pointee.descriptor.pointee.name), byteCount: size,
                limit: Self.limit.byteCount)
        }
        guard size > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            unsafe count = protobuf_c_message_pack(message, buffer.baseAddress)
        }
    }

    /// The message's description, which lives for ever.
    static func descriptor() -> UnsafePointer<ProtobufCMessageDescriptor> {
        unsafe withUnsafeTemporaryAllocation(of: C.self, capacity: 1) { space in
            guard let message = space.baseAddress else { preconditionFailure("no stack") }
            unsafe prepare(message)
            return unsafe UnsafeMutableRawPointer(message).load(as: ProtobufCMessage.self).descriptor
        }
    }
}
