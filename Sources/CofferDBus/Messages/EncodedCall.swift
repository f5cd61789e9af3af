/// A call on its way, and the name that may answer it.
struct EncodedCall: Sendable {
    let message: EncodedMessage
    let timeoutMilliseconds: Int
    private let replier: String?

    /// Writes `call`, which waits for its reply whatever its flags say.
    init(_ call: DBusMessage, timeoutMilliseconds: Int?) throws(DBusError) {
        guard call.kind == .methodCall else { throw .malformed("a method call") }
        var call = call
        call.flags.remove(.noReply)
        message = try call.encoded()
        self.timeoutMilliseconds = max(0, timeoutMilliseconds ?? Limits.callMilliseconds)
        let isSenderKnown = call.destination == DBusName.bus || call.destination?.first == ":"
        replier = isSenderKnown ? call.destination : nil
    }

    /// When the wait for an answer ends.
    var deadline: ContinuousClock.Instant { .now + .milliseconds(timeoutMilliseconds) }

    /// Whether `answer` may stem from the callee, or from the bus in its place.
    ///
    /// Serials are easy to guess, and not every bus refuses answers to calls that their sender never got;
    /// which connection owns a well-known name cannot be known here.
    func accepts(_ answer: DBusMessage) -> Bool {
        guard let replier else { return true }
        return answer.sender == replier || answer.sender == DBusName.bus
    }
}
