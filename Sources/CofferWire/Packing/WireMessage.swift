/// A message of `coffer.v1` as a Swift value.
package protocol WireMessage: Sendable, Equatable {
    /// Reads the packed message, in place.
    ///
    /// - Throws: `WireError`, naming message and field, if `bytes` are not this message or pass a limit.
    init(packed bytes: RawSpan) throws(WireError)

    /// The packed message.
    ///
    /// - Throws: `WireError.tooLarge` if its reader would refuse it for its size.
    func packed() throws(WireError) -> [UInt8]
}

extension WireMessage {
    /// Reads the packed message.
    ///
    /// - Throws: `WireError`, naming message and field, if `bytes` are not this message or pass a limit.
    package init(packed bytes: [UInt8]) throws(WireError) {
        try unsafe self.init(packed: bytes.span.bytes)
    }
}
