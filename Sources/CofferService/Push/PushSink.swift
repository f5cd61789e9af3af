/// Where a session's pushes go: a channel, or signals to one name on the bus.
protocol PushSink: Flushable {
    /// Takes a push; says `false`, and later calls `resume()` of `subscription`, where too much waits for the client already.
    func enqueue(push: [UInt8], from subscription: Subscription) -> Bool
}
