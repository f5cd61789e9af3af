import ArgumentParser

/// What can be measured.
enum SystemName: String, CaseIterable, ExpressibleByArgument {
    /// Contexts over the service's channel.
    case coffer
    /// The messages of the channel as D-Bus methods, without contexts.
    case cofferBus = "coffer-bus"
    /// Contexts over a coordinator in the same process.
    case cofferEmbedded = "coffer-embedded"
    /// libsqlite3 in the same process: what can be hoped for.
    case sqlite
    /// 200 bytes there and back between two processes: what any service must pay.
    case socketpair

    /// Whether it needs the service, and a bus to find it.
    var usesService: Bool { self == .coffer || self == .cofferBus }
}
