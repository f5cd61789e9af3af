/// `coffer.v1.ListViolationsRequest`: asks what the model forbids of a shared store, since merging.
package struct ListViolationsRequestMessage: Sendable, Equatable {
    /// Handle that OpenStore gave.
    package var store: UInt32

    /// A request about the store of a handle.
    package init(store: UInt32) { self.store = store }
}

/// `coffer.v1.ListViolationsReply`.
package struct ListViolationsReplyMessage: Sendable, Equatable {
    /// How many there are.
    package var count: UInt64
    /// Of these the first.
    package var violations: [SyncViolationMessage]

    /// A reply from its fields.
    package init(count: UInt64, violations: [SyncViolationMessage]) {
        (self.count, self.violations) = (count, violations)
    }
}

/// `coffer.v1.SyncViolation`: an object of which something is as the model forbids it.
package struct SyncViolationMessage: Sendable, Equatable {
    /// The object's entity.
    package var entity: String
    /// Of its row.
    package var primaryKey: UInt64
    /// What is wrong of it.
    package var properties: [String]
    /// A word for how it is wrong.
    package var reason: String
    /// The same, for people.
    package var text: String

    /// A violation from its fields.
    package init(entity: String, primaryKey: UInt64, properties: [String], reason: String, text: String) {
        (self.entity, self.primaryKey) = (entity, primaryKey)
        (self.properties, self.reason, self.text) = (properties, reason, text)
    }
}
