internal import CofferModel

/// How far saves are on their way to other machines.
extension PersistentContainer {
    /// How far a shared store is.
    ///
    /// - Parameter name: The store's name; if `nil`, the first one that is shared.
    /// - Returns: What is saved, folded and exported, what others have seen of it, what came of theirs, and
    ///   what is missing.
    /// - Throws: `.refused` with the reason `not_shared` if the store is not shared; `.unavailable`.
    public func ubiquityStatus(ofStoreNamed name: String? = nil) throws(CofferError) -> UbiquitousStoreStatus
    {
        let coordinator = try sharingCoordinator
        let store = try coordinator.sharedStore(named: name)
        guard let message = try coordinator.syncStatus(of: store.handle) else {
            throw RemoteCoordinator.notShared
        }
        return UbiquitousStoreStatus(message)
    }

    /// Waits until saves have come so far on their way to other machines.
    ///
    /// It waits as long as that takes, through restarts of the service and sign-outs, and ends with its task.
    /// The service tells when there is something new; nothing is asked in between.
    ///
    /// ```swift
    /// try context.save()
    /// try await container.waitUntilSynced(.exported)
    /// ```
    ///
    /// - Parameters:
    ///   - stage: How far.
    ///   - token: The saves, as history or the notification of a save names them; if `nil`, all that there
    ///     are by now.
    ///   - name: The store's name; if `nil`, the first one that is shared.
    ///   - progress: Told how far they are whenever that changes.
    /// - Throws: `.refused` with the reason `not_shared` if the store is not shared, and with the code
    ///   `Cancelled` if the task was cancelled; `.unavailable`.
    public func waitUntilSynced(
        _ stage: SyncStage, of token: HistoryToken? = nil, storeNamed name: String? = nil,
        progress: @Sendable (SyncProgress) -> Void = { _ in }
    ) async throws(CofferError) {
        let follower = try await follower(of: token, storeNamed: name)
        while let present = try await follower.next() {
            progress(present)
            if present.has(stage) { return }
        }
        throw CofferError.cancelled
    }

    /// How far saves are, now and whenever that changes, until the task that reads it ends.
    ///
    /// - Parameters:
    ///   - token: The saves; if `nil`, all that there are by now.
    ///   - name: The store's name; if `nil`, the first one that is shared.
    /// - Returns: A stream that ends with an error if the service cannot be asked any more.
    /// - Throws: `.refused` with the reason `not_shared` if the store is not shared; `.unavailable`.
    public func syncProgress(
        of token: HistoryToken? = nil, storeNamed name: String? = nil
    ) async throws(CofferError) -> AsyncThrowingStream<SyncProgress, any Error> {
        let follower = try await follower(of: token, storeNamed: name)
        return AsyncThrowingStream(unfolding: { try await follower.next() })
    }

    private func follower(
        of token: HistoryToken?, storeNamed name: String?
    ) async throws(CofferError) -> SyncFollower {
        let coordinator = try sharingCoordinator
        let store = try await Blocking.value { () throws(CofferError) in
            try coordinator.sharedStore(named: name)
        }
        return SyncFollower(token?.numbers[store.uuid], ofStore: store.handle, in: coordinator)
    }
}
