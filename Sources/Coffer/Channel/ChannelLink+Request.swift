internal import CofferLinux
internal import CofferWire

extension ChannelLink {
    /// A packed request on its way: behind its header, or in sealed memory beside it.
    struct Request: Sendable {
        /// What follows the header.
        let payload: [UInt8]
        let descriptors: [OwnedDescriptor]
        /// Bytes of the message, wherever they are.
        let byteCount: Int
        let isSealed: Bool

        /// A small request, without anything beside it.
        init(inline payload: [UInt8]) {
            (self.payload, descriptors, byteCount, isSealed) = (payload, [], payload.count, false)
        }

        /// A request of any size, with descriptors of its own only if it is small.
        ///
        /// - Throws: `LinuxError` if the system has no memory for a large payload.
        init(_ payload: [UInt8], _ descriptors: [OwnedDescriptor]) throws(LinuxError) {
            byteCount = payload.count
            isSealed = payload.count > Limits.inlineRequest && descriptors.isEmpty
            self.payload = isSealed ? [] : payload
            self.descriptors = isSealed ? [try Memfd.sealed(payload)] : descriptors
        }
    }
}
