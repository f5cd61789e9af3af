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
    static func text(_ data: RawSpan, _ ends: RawSpan) -> ColumnPlace.Text {
        if isASCII(data) { return .ascii }
        let isValid = unsafe data.withUnsafeBytes { bytes in
            unsafe bytes.withMemoryRebound(to: UInt8.self) { bytes in
                (try? unsafe UTF8Span(validating: bytes.span)) != nil
            }
        }
        if !isValid { return .unknown }
        // Valid as a whole, and no run begins within a character: then each is valid.
        for offset in stride(from: 0, to: ends.byteCount, by: 4) {
            let end = unsafe Int(ends.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
            if end == data.byteCount { continue }
            let byte = unsafe data.unsafeLoad(fromByteOffset: end, as: UInt8.self)
            if byte & 0xC0 == 0x80 { return .unknown }
        }
        return .utf8
    }

    private static func isASCII(_ bytes: RawSpan) -> Bool {
        var all: UInt64 = 0
        var index = 0
        while index + 8 <= bytes.byteCount {
            all |= unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < bytes.byteCount {
            all |= unsafe UInt64(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self))
            index += 1
        }
        return all & 0x8080_8080_8080_8080 == 0
    }
}
