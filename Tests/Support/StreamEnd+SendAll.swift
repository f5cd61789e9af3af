package import CofferLinux

extension StreamEnd {
    /// Sends all of `parts`, waiting while the socket is full: for ever, or until `timeout` has passed.
    ///
    /// The result is `.sent` with the whole count, `.closed`, or `.wouldBlock` if time ran out, perhaps in
    /// the midst.
    package func sendAll(
        _ parts: [[UInt8]], descriptors: [OwnedDescriptor] = [], timeout: Duration? = nil
    ) throws(LinuxError) -> SendResult {
        let byteCount = parts.reduce(0) { $0 + $1.count }
        let (first, rest) = (parts.first ?? [], Array(parts.dropFirst().joined()))
        var sent = 0
        while sent < byteCount {
            let result =
                if parts.count > 2, descriptors.isEmpty { try send(parts, from: sent) } else {
                    try send(
                        header: first, payload: rest, from: sent, descriptors: sent == 0 ? descriptors : [])
                }
            switch result {
            case .sent(let count): sent += count
            case .closed: return .closed
            case .wouldBlock: guard try socket.waitUntilWritable(timeout: timeout) else { return .wouldBlock }
            }
        }
        return .sent(sent)
    }
}
