/// A message of `coffer.v1` that is read into a Swift value.
package protocol ReadableMessage: Sendable {
    /// Reads the packed message, in place.
    ///
    /// - Throws: `WireError`, naming message and field, where `bytes` are not this message or pass a limit.
    init(packed bytes: RawSpan) throws(WireError)
}

/// A message of `coffer.v1` that is packed from a Swift value.
package protocol PackableMessage: Sendable {
    /// The packed message.
    ///
    /// - Throws: `WireError.tooLarge` where it passes `Limits.message`.
    func packed() throws(WireError) -> [UInt8]
}

/// A message of `coffer.v1` as a Swift value.
package protocol WireMessage: ReadableMessage, PackableMessage, Equatable {}

extension ReadableMessage {
    /// Reads the packed message.
    ///
    /// - Throws: `WireError`, naming message and field, where `bytes` are not this message or pass a limit.
    package init(packed bytes: [UInt8]) throws(WireError) {
        try unsafe self.init(packed: bytes.span.bytes)
    }
}
