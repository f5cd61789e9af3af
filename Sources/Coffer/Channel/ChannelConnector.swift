package import CofferLinux
package import CofferWire

/// Where a client's channels come from: the service behind the bus, or in tests another end of a socket pair.
///
/// Blocks the thread that asks, for as long as starting the service takes.
package protocol ChannelConnector: Sendable {
    /// A new channel for the client that `hello` names.
    func connect(_ hello: HelloRequestMessage) throws(ConnectionFailure) -> OwnedDescriptor
}

/// Why no channel was to be had.
package struct ConnectionFailure: Error, CustomStringConvertible {
    /// What the application is told.
    package let error: CofferError
    /// Whether trying again may help, while a lost service is waited for.
    package let isTransient: Bool
    /// Whether there was a service, which died before the channel could be used: the next one may live.
    package let wasServed: Bool

    package var description: String { "\(error)" }

    /// A failure, with whether trying again may help and whether there was a service at all.
    package init(_ error: CofferError, isTransient: Bool, wasServed: Bool = false) {
        self.error = error
        self.isTransient = isTransient
        self.wasServed = wasServed
    }
}
