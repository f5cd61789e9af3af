internal import CLinux

/// How malloc of this process deals with large blocks.
package enum Allocator {
    /// Keeps blocks of up to some megabytes for the next use, instead of giving each back to the kernel.
    ///
    /// A megabyte that was just given back costs 256 page faults to get again, ten times what it takes to
    /// fill it. Call it once, early.
    package static func keepLargeBlocks() {
        coffer_tune_allocator(32 << 20, 16 << 20)
    }

    /// Gives what is free back to the kernel: for a process that will do nothing for a while.
    package static func returnFreeMemory() {
        coffer_return_memory()
    }
}
