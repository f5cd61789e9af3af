public import CofferModel
internal import CofferWire

/// The content of shared stores.
extension ServiceConnection {
    /// Removes a shared store with its content, from the account's container and so from all machines, and
    /// what this one has of it.
    ///
    /// A program that has it open is asked first, may save, and is parted from it; so are those of the other
    /// machines, once they hear of it: their stores are empty then, and what they had is put aside for 30
    /// days. Opening it again begins from the start. Core Data calls it
    /// `removeUbiquitousContentAndPersistentStoreAtURL:options:error:`.
    ///
    /// - Parameters:
    ///   - name: The store's name.
    ///   - configuration: The configuration that the store keeps.
    ///   - application: Whose store it is; this process's own if `nil`.
    ///   - wait: How long programs that have it open are waited for, at most a minute.
    /// - Returns: How many objects went from the container.
    /// - Throws: `.refused` if the store is not shared, no user is signed in (`no_account`) or the account's
    ///   folder cannot be reached: then it is as it was. What was begun and cut off is ended by doing it
    ///   again.
    @discardableResult
    public func removeUbiquitousContent(
        ofStore name: String, configuration: String = ManagedObjectModel.defaultConfiguration,
        application: String? = nil, wait: Duration = .seconds(10)
    ) throws(CofferError) -> Int {
        let request = RemoveUbiquitousContentRequestMessage(
            name: StoreNameMessage(
                application: application ?? "", configuration: configuration, name: name),
            waitMilliseconds: Self.milliseconds(wait))
        let reply = try client.call(
            .removeUbiquitousContent, request, reply: RemoveUbiquitousContentReplyMessage.self)
        return Int(clamping: reply.removedCount)
    }
}
