internal import FoundationEssentials

#if canImport(Glibc)
import Glibc  // malloc, realloc and free: the bytes are moved where they outgrow their place.
#endif

/// Packs a message field by field, straight into its bytes.
///
/// Safe in that only `pack` makes one, and no code outside sees its memory. As libprotobuf-c does, it
/// leaves out what is zero or empty.
@safe struct FieldWriter: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var capacity: Int
    /// Whether the memory is the writer's own; at first it is that of the array which `pack` gives.
    private var isMoved = false

    private init(into memory: UnsafeMutableBufferPointer<UInt8>) {
        capacity = memory.count
        // An array with room always has an address; without one there is no room, and the first byte asks for
        // some.
        unsafe start = memory.baseAddress ?? Self.checked(malloc(1), 1)
        isMoved = unsafe memory.baseAddress == nil
    }

    deinit { if isMoved { unsafe free(start) } }

    /// What `write` writes; memory for about `byteCount` bytes is asked for at once.
    static func pack(
        about byteCount: Int, _ write: (inout FieldWriter) throws(WireError) -> Void
    ) throws(WireError) -> [UInt8] {
        var moved: [UInt8]?
        let capacity = max(byteCount, 208) + slack
        var bytes: [UInt8] = []
        bytes.reserveCapacity(capacity)  // As `Array.init(copying:)` does, and for the same reason.
        try bytes.append(addingCapacity: capacity) { span throws(WireError) in
            try unsafe span.withUnsafeMutableBufferPointer { memory, count throws(WireError) in
                var writer = unsafe FieldWriter(into: memory)
                try write(&writer)
                // What is kept must not keep much more than it needs.
                if writer.isMoved || memory.count > 2 * writer.count + 512 {
                    moved = unsafe Array(UnsafeBufferPointer(start: writer.start, count: writer.count))
                } else {
                    count = writer.count
                }
            }
        }
        return moved ?? bytes
    }

    /// Room beyond what a message takes, so that its last number finds some: what is asked for before one is
    /// written.
    private static var slack: Int { 16 }

    private static func checked(
        _ memory: UnsafeMutableRawPointer?, _ byteCount: Int
    ) -> UnsafeMutablePointer<UInt8> {
        guard let memory = unsafe memory else {
            preconditionFailure("no memory for \(byteCount) bytes of a message")  // As Swift's own arrays do.
        }
        return unsafe memory.assumingMemoryBound(to: UInt8.self)
    }

    /// Makes room for `byteCount` more bytes.
    @inline(__always)
    private mutating func reserve(_ byteCount: Int) {
        if capacity - count < byteCount { grow(byteCount) }
    }

    private mutating func grow(_ byteCount: Int) {
        capacity = max(2 * capacity, count + byteCount)
        if isMoved {
            unsafe start = Self.checked(realloc(start, capacity), capacity)
            return
        }
        let place = unsafe Self.checked(malloc(capacity), capacity)
        unsafe place.update(from: start, count: count)
        unsafe start = place
        isMoved = true
    }

    /// Bytes as they are, which are fields already.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        guard let source = bytes.baseAddress else { return }
        unsafe UnsafeMutableRawPointer(start + count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    @inline(__always)
    private mutating func append(varint: UInt64) {
        guard varint < 0x80, count < capacity else { return append(longVarint: varint) }
        unsafe start[count] = UInt8(truncatingIfNeeded: varint)
        count += 1
    }

    @inline(never)
    private mutating func append(longVarint varint: UInt64) {
        reserve(10)
        var rest = varint
        while rest > 0x7F {
            unsafe start[count] = UInt8(truncatingIfNeeded: rest) | 0x80
            count += 1
            rest >>= 7
        }
        unsafe start[count] = UInt8(truncatingIfNeeded: rest)
        count += 1
    }

    private mutating func append(tag field: UInt64, _ form: FieldReader.Form) {
        append(varint: field << 3 | form.rawValue)
    }
}

extension FieldWriter {
    /// A number of any width, or an enum's case, even if it is zero.
    mutating func always(_ field: UInt64, number: UInt64) {
        append(tag: field, .varint)
        append(varint: number)
    }

    /// A number of any width, or an enum's case.
    mutating func put(_ field: UInt64, number: UInt64) {
        if number != 0 { always(field, number: number) }
    }

    /// A number of 32 bits that is short if it is near zero, of either sign.
    mutating func put(_ field: UInt64, zigzag number: Int32) {
        put(field, number: UInt64(UInt32(bitPattern: number << 1 ^ number >> 31)))
    }

    /// A flag.
    mutating func put(_ field: UInt64, flag: Bool) {
        if flag { always(field, number: 1) }
    }

    /// A number of 4 or 8 bytes, even if it is zero.
    mutating func always<Number: BitwiseCopyable>(_ field: UInt64, fixed number: Number) {
        append(tag: field, MemoryLayout<Number>.size == 8 ? .eightBytes : .fourBytes)
        unsafe withUnsafeBytes(of: number) { unsafe append($0) }
    }

    /// A number of 4 or 8 bytes.
    mutating func put<Number: BitwiseCopyable & Numeric>(_ field: UInt64, fixed number: Number) {
        if number != 0 { always(field, fixed: number) }
    }

    /// A repeated number of 4 or 8 bytes.
    mutating func put<Number: BitwiseCopyable>(_ field: UInt64, numbers: [Number]) {
        unsafe numbers.withUnsafeBytes { unsafe put(field, run: $0) }
    }

    /// Bytes.
    mutating func put(_ field: UInt64, bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe put(field, run: $0) }
    }

    /// Bytes, even if there are none.
    mutating func always(_ field: UInt64, bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe always(field, run: $0) }
    }

    /// Text.
    mutating func put(_ field: UInt64, text: String) {
        if !text.isEmpty { always(field, text: text) }
    }

    /// Text, even if there is none.
    mutating func always(_ field: UInt64, text: String) {
        var text = text
        text.withUTF8 { unsafe always(field, run: UnsafeRawBufferPointer($0)) }
    }

    /// A UUID, 16 bytes.
    mutating func always(_ field: UInt64, uuid: UUID) {
        unsafe withUnsafeBytes(of: uuid.uuid) { unsafe always(field, run: $0) }
    }

    /// A message.
    mutating func put<Message: FieldMessage>(_ field: UInt64, message: Message) throws(WireError) {
        try put(field, about: message.aboutByteCount) { writer throws(WireError) in
            try message.write(to: &writer)
        }
    }

    /// A message of about `byteCount` bytes that `write` writes.
    @inline(__always)
    mutating func put(
        _ field: UInt64, about byteCount: Int, _ write: (inout FieldWriter) throws(WireError) -> Void
    ) throws(WireError) {
        append(tag: field, .run)
        let lengthPlace = count
        let width = Self.width(UInt64(byteCount))
        reserve(10)
        count += width
        try write(&self)
        closeRun(at: lengthPlace, width)
    }

    /// A repeated message.
    mutating func put<Message: FieldMessage>(_ field: UInt64, messages: [Message]) throws(WireError) {
        for index in messages.indices { try put(field, message: messages[index]) }
    }

    /// A repeated number of any width.
    mutating func put(_ field: UInt64, varints numbers: [some FixedWidthInteger]) {
        if numbers.isEmpty { return }
        append(tag: field, .run)
        let lengthPlace = count
        let width = Self.width(UInt64(numbers.count))
        reserve(10)
        count += width
        for number in numbers { append(varint: UInt64(number)) }
        closeRun(at: lengthPlace, width)
    }

    /// Writes the length before a run, and moves the run if that takes more or fewer bytes than were left.
    private mutating func closeRun(at lengthPlace: Int, _ guessedWidth: Int) {
        let length = count - lengthPlace - guessedWidth
        let width = Self.width(UInt64(length))
        if width != guessedWidth {
            reserve(10)
            let from = unsafe start + lengthPlace + guessedWidth
            unsafe UnsafeMutableRawPointer(start + lengthPlace + width).copyMemory(
                from: from, byteCount: length)
        }
        count = lengthPlace
        append(varint: UInt64(length))
        count += length
    }

    /// How many bytes a number takes.
    private static func width(_ number: UInt64) -> Int {
        number < 0x80 ? 1 : (70 - number.leadingZeroBitCount) / 7
    }

    /// UUIDs, 16 bytes each.
    mutating func put(_ field: UInt64, uuids: [UUID]) {
        if uuids.isEmpty { return }
        append(tag: field, .run)
        append(varint: UInt64(16 * uuids.count))
        reserve(16 * uuids.count)
        for uuid in uuids { unsafe withUnsafeBytes(of: uuid.uuid) { unsafe append($0) } }
    }

    /// Bytes where they lie.
    mutating func put(_ field: UInt64, run: UnsafeRawBufferPointer) {
        if unsafe !run.isEmpty { unsafe always(field, run: run) }
    }

    /// Bytes where they lie, even if there are none.
    mutating func always(_ field: UInt64, run: UnsafeRawBufferPointer) {
        append(tag: field, .run)
        append(varint: UInt64(run.count))
        unsafe append(run)
    }
}
