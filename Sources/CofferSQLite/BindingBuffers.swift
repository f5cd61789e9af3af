/// One buffer for each parameter of a statement, which SQLite reads in place instead of copying.
///
/// Saves an allocation and its release for each text and blob of each row. The statement owns it and frees
/// it after its own C object; it writes only into buffers that SQLite no longer reads.
@safe struct BindingBuffers {
    private let buffers: UnsafeMutableBufferPointer<UnsafeMutableRawBufferPointer>

    init(count: Int) {
        unsafe buffers = .allocate(capacity: count)
        unsafe buffers.initialize(repeating: UnsafeMutableRawBufferPointer(start: nil, count: 0))
    }

    /// Copies `bytes` into the buffer at `index`; never null, even if `bytes` is empty.
    @inline(__always)
    func copy(_ bytes: UnsafeRawBufferPointer, at index: Int) -> UnsafeMutableRawPointer {
        if let address = unsafe buffers[index].baseAddress, unsafe bytes.count <= buffers[index].count {
            unsafe UnsafeMutableRawBufferPointer(start: address, count: bytes.count).copyMemory(from: bytes)
            return unsafe address
        }
        return unsafe grow(bytes, at: index)
    }

    @inline(never)
    private func grow(_ bytes: UnsafeRawBufferPointer, at index: Int) -> UnsafeMutableRawPointer {
        var capacity = 32
        while capacity < bytes.count { capacity *= 2 }
        let address = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        unsafe buffers[index].deallocate()
        unsafe buffers[index] = UnsafeMutableRawBufferPointer(start: address, count: capacity)
        unsafe UnsafeMutableRawBufferPointer(start: address, count: bytes.count).copyMemory(from: bytes)
        return unsafe address
    }

    func free() {
        for index in unsafe buffers.indices { unsafe buffers[index].deallocate() }
        unsafe buffers.deallocate()
    }
}
