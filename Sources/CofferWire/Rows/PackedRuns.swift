/// What there is to find out about runs of bytes laid end to end.
enum PackedRuns {
    /// Whether `ends`, 4 bytes each, ascend within as many bytes.
    static func areSound(_ ends: RawSpan, of byteCount: Int) -> Bool {
        var previous: UInt32 = 0
        var isAscending = true
        for offset in stride(from: 0, to: ends.byteCount, by: 4) {
            let end = unsafe ends.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
            isAscending = isAscending && end >= previous
            previous = end
        }
        return isAscending && Int(previous) <= byteCount
    }

    /// Looks once at all text of a column, so that no value needs to be looked at when it is made a string.
    static func text(_ data: RawSpan, _ ends: RawSpan) -> ColumnOffsets.Text {
        let kind = kind(of: data)
        if kind != .utf8 { return kind }
        // Valid as a whole, and no run begins within a character: then each is valid.
        for offset in stride(from: 0, to: ends.byteCount, by: 4) {
            let end = unsafe Int(ends.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
            if end == data.byteCount { continue }
            let byte = unsafe data.unsafeLoad(fromByteOffset: end, as: UInt8.self)
            if byte & 0xC0 == 0x80 { return .unknown }
        }
        return .utf8
    }

    /// What bytes are as a whole.
    ///
    /// The library looks at each byte; here it is given only words in which not all are ASCII. Between two
    /// words of ASCII no character is cut in two.
    private static func kind(of bytes: RawSpan) -> ColumnOffsets.Text {
        var kind = ColumnOffsets.Text.ascii
        var index = 0
        while index < bytes.byteCount {
            while isWord(bytes, at: index), isASCII(bytes, at: index) { index += 8 }
            let start = index
            while isWord(bytes, at: index), !isASCII(bytes, at: index) { index += 8 }
            if !isWord(bytes, at: index) { index = bytes.byteCount }
            if start == index { break }
            switch kindOfWords(bytes.extracting(start..<index)) {
            case .ascii: break
            case .utf8: kind = .utf8
            case .unknown: return .unknown
            }
        }
        return kind
    }

    @inline(__always)
    private static func isWord(_ bytes: RawSpan, at index: Int) -> Bool { index + 8 <= bytes.byteCount }

    @inline(__always)
    private static func isASCII(_ bytes: RawSpan, at index: Int) -> Bool {
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
    }

    private static func kindOfWords(_ bytes: RawSpan) -> ColumnOffsets.Text {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe bytes.withMemoryRebound(to: UInt8.self) { bytes in
                // Texts that are not UTF-8 are told when they are read.
                guard let text = try? unsafe UTF8Span(validating: bytes.span) else { return .unknown }
                return text.isKnownASCII ? .ascii : .utf8
            }
        }
    }
}
