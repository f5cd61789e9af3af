/// What came of the request for a name.
package enum DBusNameResult: UInt32, Sendable {
    /// The name is ours.
    case primaryOwner = 1
    /// Another connection owns it; we wait in its queue.
    case inQueue
    /// Another connection owns it, and we do not wait.
    case exists
    /// The name was ours already.
    case alreadyOwner
}

/// What came of the release of a name.
package enum DBusReleaseResult: UInt32, Sendable {
    /// The name is not ours any more.
    case released = 1
    /// No connection owns it.
    case nonExistent
    /// Another connection owns it.
    case notOwner
}

/// How a name is asked for.
package struct DBusNameFlags: OptionSet, Sendable {
    /// The bits of `RequestName`.
    package let rawValue: UInt32
    /// Makes a set from the bits of `RequestName`.
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Do not wait if it is owned.
    package static let doNotQueue = DBusNameFlags(rawValue: 4)
}
