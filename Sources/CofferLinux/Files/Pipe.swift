internal import CLinux

/// Makes pipes.
package enum Pipe {
    /// Two ends, closed on exec; what is written to one is read from the other.
    package static func make() throws(LinuxError) -> (reader: OwnedDescriptor, writer: OwnedDescriptor) {
        var ends: (Int32, Int32) = (-1, -1)
        let result = unsafe withUnsafeMutableBytes(of: &ends) {
            unsafe coffer_pipe($0.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        try check(result, "pipe2")
        return (OwnedDescriptor(owning: ends.0), OwnedDescriptor(owning: ends.1))
    }
}
