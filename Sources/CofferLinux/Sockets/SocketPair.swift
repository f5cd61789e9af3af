internal import CLinux

/// Makes pairs of connected stream sockets.
package enum SocketPair {
    /// Two ends, closed on exec; what is written to one is read from the other.
    package static func make() throws(LinuxError) -> (OwnedDescriptor, OwnedDescriptor) {
        var ends: (Int32, Int32) = (-1, -1)
        let result = unsafe withUnsafeMutableBytes(of: &ends) {
            unsafe coffer_socket_pair($0.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        try check(result, "socketpair")
        return (OwnedDescriptor(owning: ends.0), OwnedDescriptor(owning: ends.1))
    }
}
