internal import CCofferMessages

/// The memory in which libprotobuf-c unpacks one message: counted, bounded, freed whole.
///
/// Confined. It stands between hostile bytes and the service's memory, since libprotobuf-c bounds neither.
@safe final class UnpackArena {
    /// Bytes that it may hand out.
    let limit: Int
    /// Bytes that it handed out.
    private(set) var byteCount = 0
    /// Whether it refused to hand out more.
    private(set) var isExhausted = false
    private var memory = BumpMemory()

    init(limit: Int) { self.limit = limit }

    /// `ProtobufCAllocator.alloc`.
    func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        guard size >= 0, size <= limit - byteCount, let result = unsafe memory.allocate(size) else {
            isExhausted = true
            return nil
        }
        byteCount += size
        return unsafe result
    }

    /// Unpacks `bytes` (protobuf_c_message_unpack); the result lives as long as the arena.
    func unpack(
        _ bytes: UnsafeRawBufferPointer, as descriptor: UnsafePointer<ProtobufCMessageDescriptor>
    ) throws(WireError) -> UnsafeMutablePointer<ProtobufCMessage> {
        var allocator = unsafe ProtobufCAllocator(
            alloc: { arena, size in
                guard let arena = unsafe arena else { return nil }
                return unsafe Unmanaged<UnpackArena>.fromOpaque(arena).takeUnretainedValue().allocate(size)
            },
            free: { _, _ in },  // The arena frees all of it.
            allocator_data: Unmanaged.passUnretained(self).toOpaque())
        let start = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        if let message = unsafe protobuf_c_message_unpack(descriptor, &allocator, bytes.count, start) {
            return unsafe message
        }
        let name = unsafe String(cString: descriptor.pointee.name)
        if isExhausted { throw .tooLarge(what: "\(name), unpacked", byteCount: byteCount, limit: limit) }
        throw .malformed("\(name): not this message")
    }
}
