internal import CLinux

extension OwnedDescriptor {
    /// Writes all of `bytes` at the file's place, waiting if that takes time.
    package func writeAll(_ bytes: [UInt8]) throws(LinuxError) {
        var written = 0
        while written < bytes.count {
            let result = unsafe bytes.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
                return unsafe coffer_write(number, rest.baseAddress, rest.count)
            }
            written += try check(result, "write")
        }
    }

    /// Writes all of `bytes` from `offset` on, whatever the file's place.
    package func writeAll(_ bytes: [UInt8], at offset: Int) throws(LinuxError) {
        var written = 0
        while written < bytes.count {
            let result = unsafe bytes.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
                return unsafe coffer_write_at(number, rest.baseAddress, rest.count, Int64(offset + written))
            }
            written += try check(result, "pwrite")
        }
    }

    /// Reads up to `count` bytes from the file's place; none means its end.
    package func read(upTo count: Int) throws(LinuxError) -> [UInt8] {
        var result = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            unsafe result = coffer_read(number, buffer.baseAddress, count)
            filled = max(0, result)
        }
        try check(result, "read")
        return bytes
    }

    /// Reads from the file's place to its end.
    ///
    /// - Throws: `.bufferFull` if there are more than `limit` bytes.
    package func readAll(limit: Int) throws(LinuxError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let more = try read(upTo: min(64 << 10, limit - bytes.count + 1))
            if more.isEmpty { return bytes }
            bytes += more
            if bytes.count > limit { throw .bufferFull(limit: limit) }
        }
    }

    /// Reads up to `count` bytes from `offset` on, whatever the file's place; fewer mean its end.
    package func read(upTo count: Int, at offset: Int) throws(LinuxError) -> [UInt8] {
        var result = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                unsafe result = coffer_read_at(
                    number, buffer.baseAddress.map { unsafe $0 + filled }, count - filled,
                    Int64(offset + filled))
                if result <= 0 { return }
                filled += result
            }
        }
        try check(result, "pread")
        return bytes
    }

    /// Returns once what was written is on the disk; `fsync(2)`, or `fdatasync(2)` if only the data matters.
    package func synchronize(dataOnly: Bool = false) throws(LinuxError) {
        try check(coffer_sync(number, dataOnly ? 1 : 0), "fsync")
    }

    /// Cuts the file to `byteCount` bytes, or fills it up with zeros to them.
    package func truncate(to byteCount: Int) throws(LinuxError) {
        try check(coffer_truncate(number, Int64(byteCount)), "ftruncate")
    }

    /// What the file is.
    package func facts() throws(LinuxError) -> FileFacts {
        var facts = coffer_file_facts()
        try check(unsafe coffer_stat(number, &facts), "fstat")
        return FileFacts(facts)
    }
}
