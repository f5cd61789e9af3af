public import CofferModel

/// What happened to a context, told on its actor.
///
/// ```swift
/// for await notification in context.notifications {
///     if case .didMerge(let inserted, _, _, _) = notification { print("\(inserted.count) new objects") }
/// }
/// ```
public enum ContextNotification: Sendable, Equatable {
    /// The context saved; `number` is that of the transaction in a store, and `token` names that place in the
    /// store's history, for requests of history.
    ///
    /// A save into a parent context has neither: 0, and a token of no store.
    ///
    /// It is told when the whole save is over, once for each store: what a handler changes, the next save
    /// sends.
    case didSave(
        inserted: [ManagedObjectID], updated: [ManagedObjectID], deleted: [ManagedObjectID], number: UInt64,
        token: HistoryToken)
    /// Changes of others were merged: what was inserted anywhere, which objects of the context were updated
    /// or deleted, and which of them have to be read again.
    case didMerge(
        inserted: [ManagedObjectID], updated: [ManagedObjectID], deleted: [ManagedObjectID],
        refreshed: [ManagedObjectID])
    /// A store was changed elsewhere.
    case remoteChange(store: String, number: UInt64)
    /// The file of a store is about to be exchanged or removed: save what is to be saved into it, or roll
    /// back.
    ///
    /// The service waits for the handlers of a context that has an actor or a `wakeUp` of its own, but not
    /// for ever: ten seconds, unless the client that exchanges the file says otherwise. A handler called by
    /// `onNotification` is over when it returns; a reader of `notifications` is not waited for. If the
    /// exchange fails after all, nothing follows, and objects and their changes stay what they are.
    case storesWillChange
    /// The file was exchanged, removed or taken to another model before these objects' changes were saved,
    /// which are lost: `storesDidChange` follows.
    ///
    /// A handler called by `onNotification` still finds their values.
    case didLoseChanges(
        inserted: [ManagedObjectID], updated: [ManagedObjectID], deleted: [ManagedObjectID])
    /// Objects have other ids, and those of the context live on as faults: the store has another type, and
    /// `storesDidChange` follows; or changes of another machine made them one with others, and `didMerge`
    /// follows.
    case didChangeIDs(ObjectIDChange)
    /// The file was exchanged or removed: the context was reset, objects and ids of before mean nothing any
    /// more, unless `didChangeIDs` came before, and whatever is needed is fetched again. A store that was
    /// removed and is opened again by `loadStores` tells it, too; then nothing is lost.
    case storesDidChange
    /// The service cannot be reached; calls wait for it to come back.
    case disconnected
    /// The service is back, and what was missed was merged.
    case reconnected
}

/// Ends the calls of a handler when it is cancelled or goes.
public final class NotificationToken {
    private weak var hub: NotificationHub?
    private let number: Int

    init(hub: NotificationHub, number: Int) {
        self.hub = hub
        self.number = number
    }

    /// Stops calling the handler.
    public func cancel() { hub?.remove(number) }

    deinit { cancel() }
}

/// Hands a context's notifications on.
final class NotificationHub {
    private var handlers: [Int: (ContextNotification) -> Void] = [:]
    private var lastNumber = 0

    func add(_ handler: @escaping (ContextNotification) -> Void) -> NotificationToken {
        NotificationToken(hub: self, number: enter(handler))
    }

    /// A stream of what happens from now on; it ends with the context.
    func stream() -> AsyncStream<ContextNotification> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ContextNotification.self, bufferingPolicy: .bufferingNewest(Limits.waitingNotifications))
        continuations.append(continuation)
        return stream
    }

    private var continuations: [AsyncStream<ContextNotification>.Continuation] = []

    /// Whether anybody is told; to make a notification costs something.
    var isHeard: Bool { !handlers.isEmpty || !continuations.isEmpty }

    func post(_ notification: ContextNotification) {
        for number in handlers.keys.sorted() { handlers[number]?(notification) }
        continuations.removeAll { continuation in
            if case .terminated = continuation.yield(notification) { true } else { false }
        }
    }

    func remove(_ number: Int) { handlers[number] = nil }

    private func enter(_ handler: @escaping (ContextNotification) -> Void) -> Int {
        lastNumber += 1
        handlers[lastNumber] = handler
        return lastNumber
    }

    deinit {
        for continuation in continuations { continuation.finish() }
    }
}

extension ManagedObjectContext {
    /// Calls `handler` on the context's actor for everything that happens, until the token is cancelled or
    /// goes.
    ///
    /// It may use the context: what it saves at `storesWillChange` is in the old file before that goes.
    public func onNotification(_ handler: @escaping (ContextNotification) -> Void) -> NotificationToken {
        hub.add(handler)
    }

    /// What happens from now on, for one reader; past 1,000 that wait, the oldest are dropped.
    public var notifications: AsyncStream<ContextNotification> { hub.stream() }
}
