internal import CofferModel
internal import CofferWire

/// Saving, and telling the process of it.
extension ChannelClient {
    /// Saves, again under the same id until it is known what became of it.
    func save(
        _ request: SaveRequestMessage, on store: ChannelStore, origin: ObjectIdentifier?
    ) throws(CofferError) -> SaveReplyMessage {
        guard request.batch == nil else { return try sendBatch(request, on: store) }
        let own = LocalSave(
            store: store, request: request, origin: origin, application: identity.application,
            process: identity.processName)
        // Saves and pushes come in the order of their numbers, so the reply is queued by the thread that
        // reads it.
        let hook: ChannelLink.ReplyHook = { [feed] frame in _ = feed.append(.ownSave(own, frame)) }
        // This thread tells the observers, of what waits before it too, or waits for the one that is about
        // it: the process knows of a save when that returns.
        defer {
            drain()
            feed.waitUntilTold()
        }
        let reply = try call(.save, on: store, reply: SaveReplyMessage.self, hook: hook) { handle, isRetry in
            var request = request.naming(handle)
            request.request.isRetry = isRetry
            return request
        }
        own.note(reply)
        return reply
    }

    /// Sends batch operations, of whose commit the service tells this process as it tells others.
    private func sendBatch(
        _ request: SaveRequestMessage, on store: ChannelStore
    ) throws(CofferError) -> SaveReplyMessage {
        try call(.save, on: store, reply: SaveReplyMessage.self) { handle, isRetry in
            var request = request.naming(handle)
            request.request.isRetry = isRetry
            return request
        }
    }
}
