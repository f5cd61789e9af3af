#if canImport(Glibc)
import Glibc  // malloc and free: an arena is what libprotobuf-c allocates from.
#endif

/// Memory that is taken piece by piece and freed at once.
///
/// Safe in that no code outside this module sees a pointer into it.
@safe struct BumpMemory: ~Copyable {
    private var next: UnsafeMutableRawPointer?
    private var remaining = 0
    /// The newest block; each begins with the address of the one before it.
    private var newest: UnsafeMutableRawPointer?
    private var blockByteCount = 2_048

    private static let alignment = 16

    init() {
        unsafe next = nil
        unsafe newest = nil
    }

    /// `byteCount` bytes, aligned for every C type; `nil` if the system has none.
    mutating func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let size = (byteCount + Self.alignment - 1) & ~(Self.alignment - 1)
        if size <= remaining, let result = unsafe next {
            unsafe next = result + size
            remaining -= size
            return unsafe result
        }
        return unsafe allocateFromNewBlock(size)
    }

    private mutating func allocateFromNewBlock(_ size: Int) -> UnsafeMutableRawPointer? {
        // A large piece has a block of its own, and the rest of the current one stays in use.
        let isLarge = size > blockByteCount / 2
        guard let block = unsafe malloc(Self.alignment + (isLarge ? size : blockByteCount)) else {
            return nil
        }
        unsafe block.storeBytes(of: newest, as: UnsafeMutableRawPointer?.self)
        unsafe newest = block
        let result = unsafe block + Self.alignment
        if !isLarge {
            unsafe next = result + size
            remaining = blockByteCount - size
            blockByteCount = min(2 * blockByteCount, 1 << 20)
        }
        return unsafe result
    }

    deinit {
        var block = unsafe newest
        while let current = unsafe block {
            unsafe block = current.load(as: UnsafeMutableRawPointer?.self)
            unsafe free(current)
        }
    }
}
