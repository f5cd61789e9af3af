public import CofferModel
internal import CofferWire

/// An object of a shared store of which something is as the model forbids it, since changes of several
/// machines met: each was right where it was made.
public struct UbiquitousViolation: Sendable, Equatable {
    /// How it is wrong.
    @nonexhaustive
    public enum Reason: String, Sendable, CaseIterable {
        /// It must have a value.
        case required
        /// The value, or its text, is too small.
        case tooSmall = "too_small"
        /// The value, or its text, is too large.
        case tooLarge = "too_large"
        /// The text does not match what the model demands.
        case noMatch = "no_match"
        /// A relationship has too few objects.
        case tooFew = "too_few"
        /// A relationship has too many objects.
        case tooMany = "too_many"
        /// An object of another entity has the same key, so that it is seen as null here.
        case keyTaken = "key_taken"
    }

    /// The object.
    public let objectID: ManagedObjectID
    /// What is wrong of it: attributes or a relationship.
    public let properties: [String]
    /// How it is wrong.
    public let reason: Reason
    /// How it is wrong, in words.
    public let text: String
}

extension UbiquitousViolation {
    /// The violation of a store; `nil` if it is of a kind that only a later version knows.
    fileprivate init?(
        _ message: SyncViolationMessage, in store: CoordinatedStoreDescription, of model: ManagedObjectModel
    ) {
        guard let reason = Reason(rawValue: message.reason), let entity = model.entity(named: message.entity)
        else { return nil }
        objectID = ManagedObjectID(
            entity: entity, storeUUID: store.uuid, key: .permanent(Int64(clamping: message.primaryKey)))
        (properties, self.reason, text) = (message.properties, reason, message.text)
    }
}

extension PersistentContainer {
    /// What the model forbids of a shared store's objects, and merging with other machines brought about.
    ///
    /// A save is refused only for what it makes worse: read the objects, and save what is right. What only
    /// has not come yet is not listed. All rows are looked at, and saves wait meanwhile.
    ///
    /// - Parameter name: The store's name; if `nil`, the first one that is shared.
    /// - Returns: How many there are, and the first 1,000 of them.
    /// - Throws: `.refused` if the store was never shared; `.unavailable`.
    public func ubiquitousViolations(
        storeNamed name: String? = nil
    ) throws(CofferError) -> (count: Int, first: [UbiquitousViolation]) {
        let coordinator = try sharingCoordinator
        let store = try coordinator.sharedStore(named: name)
        let reply = try coordinator.client.call(
            .listViolations, ListViolationsRequestMessage(store: store.handle),
            of: coordinator.store(store.handle), reply: ListViolationsReplyMessage.self)
        return (
            Int(clamping: reply.count),
            reply.violations.compactMap { UbiquitousViolation($0, in: store, of: coordinator.model) }
        )
    }
}
