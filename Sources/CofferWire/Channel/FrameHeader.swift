/// The 24 bytes before a frame's payload; channel.proto describes them.
package struct FrameHeader: Sendable, Equatable {
    /// What is special about a frame.
    package struct Flags: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// None; other than an empty literal not made by generic code at every call.
        package init() { rawValue = 0 }

        /// The payload is in the one descriptor that comes along, sealed memory; none follows the header.
        package static let sealedMemory = Flags(rawValue: 1)
        /// The caller takes a large reply in parts: items, each a reply of its own, and an end with the last.
        package static let takesItems = Flags(rawValue: 2)
        /// All that have a meaning.
        package static let known: Flags = [.sealedMemory, .takesItems]
    }

    /// How many bytes a header has.
    package static let byteCount = 24

    /// Bytes of the payload.
    package var payloadByteCount: Int
    /// What the frame is.
    package var kind: FrameKind
    /// What is special about it.
    package var flags: Flags
    /// What a call asks for, by number, since a newer peer may ask for what is unknown here; 0 in pushes.
    package var methodNumber: UInt16
    /// Chosen by the caller: odd from the client, even from the service; 0 in pushes.
    package var callID: UInt64
    /// How long the caller waits; 0 for ever.
    package var timeoutMilliseconds: UInt32
    /// Descriptors that ride on the frame's first byte.
    package var descriptorCount: Int
    /// How a call went; `ok` in all but `reply` and `end`.
    package var status: StatusCode

    /// A header from its fields; a field that is left out has its default.
    package init(
        kind: FrameKind, method: ChannelMethod? = nil, callID: UInt64 = 0, payloadByteCount: Int = 0,
        flags: Flags = Flags(), timeoutMilliseconds: UInt32 = 0, descriptorCount: Int = 0,
        status: StatusCode = .ok
    ) {
        self.payloadByteCount = payloadByteCount
        self.kind = kind
        self.flags = flags
        self.methodNumber = method?.rawValue ?? 0
        self.callID = callID
        self.timeoutMilliseconds = timeoutMilliseconds
        self.descriptorCount = descriptorCount
        self.status = status
    }

    /// What a call asks for; `nil` if there is none, or an unknown one.
    package var method: ChannelMethod? { ChannelMethod(rawValue: methodNumber) }

    /// Payload bytes that follow the header on the stream.
    package var streamedByteCount: Int { flags.contains(.sealedMemory) ? 0 : payloadByteCount }
}

extension FrameHeader {
    /// Reads the first 24 of `bytes`.
    ///
    /// - Throws: `WireError`, naming the field, if there are fewer, the payload passes its limit, or kind,
    ///   flags, descriptors or status are not as channel.proto says. The channel is then lost.
    package init(_ bytes: RawSpan) throws(WireError) {
        guard bytes.byteCount >= Self.byteCount else {
            throw .malformed("frame header: \(bytes.byteCount) bytes, \(Self.byteCount) are needed")
        }
        func number<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as: Number.Type) -> Number {
            unsafe Number(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self))
        }
        let payloadByteCount = Int(number(0, as: UInt32.self))
        let limit = Self.limit(Flags(rawValue: number(5, as: UInt8.self)))
        guard payloadByteCount <= limit else {
            throw .tooLarge(what: "frame payload", byteCount: payloadByteCount, limit: limit)
        }
        let kind: FrameKind = try choice(number(4, as: UInt8.self), "frame kind")
        self.init(kind: kind, payloadByteCount: payloadByteCount)
        flags = Flags(rawValue: number(5, as: UInt8.self))
        methodNumber = number(6, as: UInt16.self)
        callID = number(8, as: UInt64.self)
        timeoutMilliseconds = number(16, as: UInt32.self)
        descriptorCount = Int(number(20, as: UInt16.self))
        status = try choice(number(22, as: UInt16.self), "frame status")
        try check()
    }

    /// How many bytes a payload may have: more if it does not follow on the stream.
    private static func limit(_ flags: Flags) -> Int {
        flags.contains(.sealedMemory) ? Limits.message : Limits.frame
    }

    private func check() throws(WireError) {
        guard flags.isSubset(of: .known) else {
            throw .malformed("frame flags: \(flags.rawValue) has bits without meaning")
        }
        guard descriptorCount <= Limits.frameDescriptors else {
            throw .tooMany("frame descriptors", count: descriptorCount, limit: Limits.frameDescriptors)
        }
        guard !flags.contains(.sealedMemory) || descriptorCount == 1 else {
            throw .malformed("frame descriptors: \(descriptorCount), sealed memory is one")
        }
        guard status == .ok || kind == .reply || kind == .end else {
            throw .malformed("frame status: \(status) in a frame that answers nothing")
        }
    }

    /// The 24 bytes.
    ///
    /// - Precondition: the payload and the descriptors are within `Limits`.
    package var bytes: [UInt8] {
        let words = words
        return unsafe withUnsafeBytes(of: words) { unsafe Array($0) }
    }

    /// Appends the 24 bytes.
    ///
    /// - Precondition: the payload and the descriptors are within `Limits`.
    package func append(to bytes: inout [UInt8]) {
        let words = words
        unsafe withUnsafeBytes(of: words) { unsafe bytes.append(contentsOf: $0) }
    }

    /// The bytes as three little-endian words.
    private var words: (UInt64, UInt64, UInt64) {
        precondition(
            (0...Self.limit(flags)).contains(payloadByteCount), "the payload is too large for a frame")
        precondition(
            (0...Limits.frameDescriptors).contains(descriptorCount), "too many descriptors for a frame")
        let what = UInt64(kind.rawValue) | UInt64(flags.rawValue) << 8 | UInt64(methodNumber) << 16
        let how = UInt64(descriptorCount) | UInt64(status.rawValue) << 16
        return (
            (UInt64(payloadByteCount) | what << 32).littleEndian, callID.littleEndian,
            (UInt64(timeoutMilliseconds) | how << 32).littleEndian
        )
    }
}
