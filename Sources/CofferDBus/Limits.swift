/// Bounds on what a caller can make this module hold or do, with reasons.
enum Limits {
    /// Bytes of text and data in one body: the system bus takes no message over 32 MiB.
    static let bodyByteCount = 32 << 20
    /// Values in one body: a decoded value takes many times its bytes on the wire.
    static let bodyValueCount = 1 << 18
    /// Containers within containers: the protocol allows 32 arrays and 32 structures.
    static let nesting = 32
    /// Descriptors in one message: what both buses allow by default.
    static let descriptors = 16
    /// Bytes in a name of a bus, interface, member or error.
    static let nameByteCount = 255
    /// Bytes in one signature.
    static let signatureByteCount = 255
    /// Calls of ours on one connection that wait for their reply; the system bus allows 128.
    static let pendingCalls = 4_096
    /// Work posted to a loop that it has not begun; past it the loop is stuck and posting is refused.
    static let postedWork = 1 << 20
    /// Messages dispatched before the loop looks at posted work again.
    static let dispatchesInARow = 64
    /// Signals that a blocking client keeps while its caller does not ask for them.
    static let queuedSignals = 4_096
    /// How long a closing connection keeps writing what was sent before.
    static let closingMilliseconds = 1_000
    /// How long a call waits unless told otherwise; libdbus waits as long.
    static let callMilliseconds = 25_000
}
