extension HelloRequestMessage {
    /// The version of the protocol that this library speaks.
    package static let protocolVersion: UInt32 = 1
}
