public import CofferModel
internal import CofferWire

extension PersistentContainer {
    /// What a store of the container says of itself, after setting what `changes` names; `nil` removes a key.
    ///
    /// Changes are written at once, and seen by every reader. The UUID and the type cannot be changed.
    ///
    /// ```swift
    /// try container.metadata(ofStore: "Library", setting: ["imported": .date(Date()), "draft": nil])
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name that its description has.
    ///   - changes: New values by key.
    /// - Throws: `.refused` if no such store is loaded, if the changes are too large or name what stays, or
    ///   the store can only be read; `.unavailable` if the service cannot be reached.
    /// - Returns: All that it says then.
    @discardableResult
    public func metadata(
        ofStore name: String, setting changes: [String: MetadataValue?] = [:]
    ) throws(CofferError) -> OpenedStore.Metadata {
        let store = try loadedStore(name)
        return OpenedStore.Metadata(
            try coordinator.metadata(
                MetadataRequestMessage(
                    store: store.handle, changes: changes.mapValues { $0.map { MetadataValueMessage($0) } })))
    }

    /// Sets what a store of the container says of itself, for the next save of one of its contexts; `nil`
    /// removes a key.
    ///
    /// The save writes it in the same transaction as its objects, also if no object has changed. Until then
    /// no other context sees it. Notes merge by key: what others set under other keys stays. If a key was
    /// changed elsewhere since it was set here, the merge policy of the context that saves decides, as
    /// about objects. With ``MergePolicy/error`` nothing is saved, and the error names the key. Set the key
    /// again then, or give it up. (Core Data writes the whole dictionary, and the last one wins.)
    ///
    /// ```swift
    /// try container.setMetadata(["imported": .date(Date())], ofStore: "Library")
    /// try context.save()  // The objects of the import, and that it was made, or neither.
    /// ```
    ///
    /// - Parameters:
    ///   - changes: New values by key.
    ///   - name: The name that the store's description has.
    /// - Throws: `.refused` if no such store is loaded, or it can only be read; `.unavailable` if the
    ///   service cannot be reached. A key or value that the store does not take makes the save throw.
    public func setMetadata(
        _ changes: [String: MetadataValue?], ofStore name: String
    ) throws(CofferError) {
        let store = try loadedStore(name)
        guard !store.isReadOnly else {
            throw .refused(
                code: "FailedPrecondition", reason: "read_only",
                text: "The store '\(name)' can only be read.",
                place: name)
        }
        let stored = OpenedStore.Metadata(
            try coordinator.metadata(MetadataRequestMessage(store: store.handle, changes: [:])))
        coordinator.pendingMetadata.set(changes, over: stored.values, store: store.handle)
    }

    /// What was set of a store's metadata and is not saved; `nil` stands for a key that goes.
    public func unsavedMetadata(ofStore name: String) -> [String: MetadataValue?] {
        guard let store = coordinator.stores.first(where: { $0.name == name }) else { return [:] }
        return coordinator.pendingMetadata.values(of: store.handle)
    }

    /// Gives up what was set of a store's metadata and is not saved.
    public func discardUnsavedMetadata(ofStore name: String) {
        guard let store = coordinator.stores.first(where: { $0.name == name }) else { return }
        coordinator.pendingMetadata.discard(of: store.handle)
    }

    private func loadedStore(_ name: String) throws(CofferError) -> CoordinatedStoreDescription {
        guard let store = coordinator.stores.first(where: { $0.name == name }) else {
            throw .refused(
                code: "NotFound", reason: "not_found",
                text: "The container has no loaded store '\(name)'.", place: name)
        }
        return store
    }
}
