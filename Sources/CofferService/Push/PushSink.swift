/// Where a session's pushes go: a channel, or signals to one name on the bus.
package protocol PushSink: Flushable {
    /// Takes a push; says `false` if too much waits for the client already.
    func enqueue(push: [UInt8]) -> Bool

    /// Sends a push that must not be dropped, however much waits.
    func send(push: [UInt8])

    /// Calls `resume()` of `subscription` when nothing waits for the client any more; at once if nothing
    /// does.
    func resumeWhenDrained(_ subscription: Subscription)

    /// Stops calling `resume()` of `subscription`.
    func forget(_ subscription: Subscription)
}
