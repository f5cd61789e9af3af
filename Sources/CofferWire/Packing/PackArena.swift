internal import CCofferMessages
internal import FoundationEssentials

/// The memory of the C structures of one message that is packed: freed whole.
///
/// What Swift owns is copied in, so that no pointer into a Swift value outlives the call that made it.
@safe struct PackArena: ~Copyable {
    private var memory = BumpMemory()

    /// Memory for `count` elements, not initialised.
    mutating func allocate<Element>(_ type: Element.Type, count: Int) -> UnsafeMutablePointer<Element> {
        let size = count * MemoryLayout<Element>.stride
        guard let result = unsafe memory.allocate(size) else {
            preconditionFailure("no memory for \(size) bytes of a message")  // As Swift's own arrays do.
        }
        return unsafe result.bindMemory(to: type, capacity: count)
    }

    /// The C form of a message.
    mutating func make<Message: CMessage>(_ message: Message) throws(WireError) -> UnsafeMutablePointer<
        Message.C
    > {
        let result = unsafe allocate(Message.C.self, count: 1)
        unsafe Message.prepare(result)
        try unsafe message.fill(&result.pointee, in: &self)
        return unsafe result
    }

    /// An empty C structure, made by its `…__init`.
    mutating func make<C>(empty prepare: (UnsafeMutablePointer<C>?) -> Void) -> UnsafeMutablePointer<C> {
        let result = unsafe allocate(C.self, count: 1)
        unsafe prepare(result)
        return unsafe result
    }

    /// The C form of a message that may be absent.
    mutating func makeOptional<Message: CMessage>(_ message: Message?) throws(WireError)
        -> UnsafeMutablePointer<
            Message.C
        >?
    {
        guard let message else { return nil }
        return try unsafe make(message)
    }

    /// The C form of a repeated message field.
    mutating func list<Message: CMessage>(_ messages: [Message]) throws(WireError) -> (
        Int, UnsafeMutablePointer<UnsafeMutablePointer<Message.C>?>?
    ) {
        guard !messages.isEmpty else { return (0, nil) }
        let result = unsafe allocate(UnsafeMutablePointer<Message.C>?.self, count: messages.count)
        for index in messages.indices {
            try unsafe (result + index).initialize(to: make(messages[index]))
        }
        return unsafe (messages.count, result)
    }

    /// The C form of a repeated number field.
    mutating func numbers<Number: BitwiseCopyable>(_ numbers: [Number]) -> (
        Int, UnsafeMutablePointer<Number>?
    ) {
        guard !numbers.isEmpty else { return (0, nil) }
        let result = unsafe allocate(Number.self, count: numbers.count)
        unsafe numbers.withUnsafeBufferPointer { source in
            if let start = source.baseAddress { unsafe result.initialize(from: start, count: source.count) }
        }
        return unsafe (numbers.count, result)
    }

    /// The C form of bytes.
    mutating func data(_ bytes: [UInt8]) -> ProtobufCBinaryData {
        let (count, start) = unsafe numbers(bytes)
        return unsafe ProtobufCBinaryData(len: count, data: start)
    }

    /// The C form of text.
    mutating func text(_ text: String) -> ProtobufCBinaryData {
        let count = text.utf8.count
        guard count > 0 else { return unsafe ProtobufCBinaryData(len: 0, data: nil) }
        let result = unsafe allocate(UInt8.self, count: count)
        _ = unsafe UnsafeMutableBufferPointer(start: result, count: count).initialize(from: text.utf8)
        return unsafe ProtobufCBinaryData(len: count, data: result)
    }

    /// The C form of a repeated text field.
    mutating func texts(_ texts: [String]) -> (Int, UnsafeMutablePointer<ProtobufCBinaryData>?) {
        guard !texts.isEmpty else { return (0, nil) }
        let result = unsafe allocate(ProtobufCBinaryData.self, count: texts.count)
        for index in texts.indices {
            unsafe (result + index).initialize(to: text(texts[index]))
        }
        return unsafe (texts.count, result)
    }

    /// The C form of a repeated field of hashes.
    mutating func hashes(_ hashes: [[UInt8]]) -> (Int, UnsafeMutablePointer<ProtobufCBinaryData>?) {
        guard !hashes.isEmpty else { return (0, nil) }
        let result = unsafe allocate(ProtobufCBinaryData.self, count: hashes.count)
        for index in hashes.indices { unsafe (result + index).initialize(to: data(hashes[index])) }
        return unsafe (hashes.count, result)
    }

    /// The C form of one UUID.
    mutating func uuid(_ uuid: UUID) -> ProtobufCBinaryData {
        let result = unsafe allocate(uuid_t.self, count: 1)
        unsafe result.initialize(to: uuid.uuid)
        let start = unsafe UnsafeMutableRawPointer(result).assumingMemoryBound(to: UInt8.self)
        return unsafe ProtobufCBinaryData(len: 16, data: start)
    }
}
