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
    /// - Throws: `.refused` where no such store is loaded, where the changes are too large or name what
    ///   stays, or the store can only be read; `.unavailable` where the service cannot be reached.
    /// - Returns: All that it says then.
    @discardableResult
    public func metadata(
        ofStore name: String, setting changes: [String: MetadataValue?] = [:]
    ) throws(CofferError) -> OpenedStore.Metadata {
        guard let store = coordinator.stores.first(where: { $0.name == name }) else {
            throw .refused(
                code: "NotFound", reason: "not_found",
                text: "The container has no loaded store '\(name)'.", place: name)
        }
        return OpenedStore.Metadata(
            try coordinator.metadata(
                MetadataRequestMessage(
                    store: store.handle, changes: changes.mapValues { $0.map { MetadataValueMessage($0) } })))
    }
}
