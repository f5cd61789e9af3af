internal import CofferWire
internal import Synchronization

/// Asks how far saves are whenever the service tells that their store is further, and not before.
///
/// Shared.
final class SyncFollower: Sendable {
    private let coordinator: RemoteCoordinator
    private let store: UInt32
    private let news: AsyncStream<Void>
    private let number: Mutex<UInt64?>

    /// Follows the saves of a store.
    ///
    /// - Parameters:
    ///   - number: The last of them; `nil` stands for all that there are when it is asked first.
    ///   - store: The store, by its handle.
    ///   - coordinator: Whose store it is.
    init(_ number: UInt64?, ofStore store: UInt32, in coordinator: RemoteCoordinator) {
        (self.coordinator, self.store) = (coordinator, store)
        self.number = Mutex(number)
        let (news, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.news = news
        let listeners = coordinator.client.syncListeners
        let listener = listeners.add { continuation.yield() }
        continuation.onTermination = { _ in listeners.remove(listener) }
        continuation.yield()
    }

    /// Waits until there is something to tell, and tells it.
    ///
    /// - Returns: `nil` once the task is cancelled.
    /// - Throws: `.refused` with the reason `not_shared` if the store is not shared; `.unavailable`.
    func next() async throws(CofferError) -> SyncProgress? {
        for await _ in news { return try await Blocking.value { () throws(CofferError) in try self.ask() } }
        return nil
    }

    private func ask() throws(CofferError) -> SyncProgress {
        guard let message = try coordinator.syncStatus(of: store, watching: true) else {
            throw RemoteCoordinator.notShared
        }
        let number = number.withLock { number in
            number = number ?? message.saved
            return number ?? message.saved
        }
        return SyncProgress(of: number, UbiquitousStoreStatus(message))
    }
}
