internal import CZlib

/// Raw deflate (RFC 1951), through zlib.
package enum RawDeflate {
    /// The compressed form of `bytes`.
    ///
    /// - Precondition: There are fewer than 4 GB.
    /// - Complexity: O(bytes).
    package static func compress(_ bytes: [UInt8]) -> [UInt8] {
        DeflateStream().compress(bytes)
    }

    /// What `bytes` were before they were compressed; what follows the last block is ignored.
    ///
    /// The bytes may come from anywhere: what they grow to is bounded by `limit`, whatever they claim.
    /// - Throws: `FormatError.damagedDeflate`, saying what is wrong, also if there would be more than `limit`
    ///   bytes.
    package static func decompress(_ bytes: [UInt8], limit: Int) throws(FormatError) -> [UInt8] {
        try InflateStream().decompress(bytes, limit: limit)
    }
}

/// One compression.
///
/// Safe: it owns its `z_stream`, at one address, from `init` to `deinit`, and lends zlib memory for single
/// calls only.
@safe private struct DeflateStream: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>

    init() {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let code = unsafe coffer_zlib_deflate_init_raw(stream)
        precondition(code == Z_OK, "zlib has no memory for a compression")
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    func compress(_ bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count <= Int(UInt32.max), "more than zlib takes at once")
        // So large that one call always suffices.
        let capacity = Int(unsafe deflateBound(stream, UInt(bytes.count)))
        return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
            let code = unsafe bytes.withUnsafeBufferPointer { input in
                // zlib does not write to what it reads.
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                unsafe stream.pointee.avail_in = UInt32(input.count)
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = UInt32(clamping: output.count)
                return unsafe deflate(stream, Z_FINISH)
            }
            precondition(code == Z_STREAM_END, "zlib passed its own bound")
            count = Int(unsafe stream.pointee.total_out)
        }
    }
}

/// One decompression.
///
/// Safe as `DeflateStream` is.
@safe private struct InflateStream: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>

    init() throws(FormatError) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe coffer_zlib_inflate_init_raw(stream) == Z_OK else {
            throw Self.damaged("there is no memory to read them")
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    func decompress(_ bytes: [UInt8], limit: Int) throws(FormatError) -> [UInt8] {
        guard bytes.count <= Int(UInt32.max) else { throw Self.damaged("they are 4 GB or more") }
        var output: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 32 << 10)
        var code = Z_OK
        unsafe stream.pointee.avail_in = UInt32(bytes.count)
        while code == Z_OK {
            code = next(of: bytes, into: &piece)
            output += piece.prefix(piece.count - Int(unsafe stream.pointee.avail_out))
            guard output.count <= limit else { throw Self.damaged("they would grow beyond \(limit) bytes") }
        }
        switch code {
        case Z_STREAM_END: return output
        case Z_BUF_ERROR: throw Self.damaged("they end early")
        case Z_MEM_ERROR: throw Self.damaged("there is no memory to read them")
        default:
            let reason = unsafe stream.pointee.msg.map { unsafe String(cString: $0) }
            throw Self.damaged(reason ?? "zlib's code is \(code)")
        }
    }

    /// Fills `piece` as far as the rest of `bytes` goes, and gives zlib's code.
    private func next(of bytes: [UInt8], into piece: inout [UInt8]) -> Int32 {
        unsafe bytes.withUnsafeBufferPointer { input in
            let place = input.count - Int(unsafe stream.pointee.avail_in)
            unsafe stream.pointee.next_in = UnsafeMutablePointer(
                mutating: input.baseAddress.map { unsafe $0 + place })
            return unsafe piece.withUnsafeMutableBufferPointer { output in
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = UInt32(output.count)
                return unsafe inflate(stream, Z_NO_FLUSH)
            }
        }
    }

    private static func damaged(_ reason: String) -> FormatError { .damagedDeflate(reason: reason) }
}
