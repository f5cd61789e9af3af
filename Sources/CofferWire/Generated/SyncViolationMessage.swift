// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// An object of which something is as the model forbids it.
///
/// `coffer.v1.SyncViolation`.
package struct SyncViolationMessage: Sendable, Equatable {
    /// The object's entity.
    package var entity: String
    /// Of its row.
    package var primaryKey: UInt64
    /// What is wrong of it.
    package var properties: [String]
    /// A word: required, too_small, too_large, no_match, too_few, too_many or key_taken.
    package var reason: String
    /// The same, for people.
    package var text: String

    /// A message from its fields.
    package init(entity: String, primaryKey: UInt64, properties: [String], reason: String, text: String) {
        self.entity = entity
        self.primaryKey = primaryKey
        self.properties = properties
        self.reason = reason
        self.text = text
    }
}

extension SyncViolationMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SyncViolation>) {
        unsafe coffer__v1__sync_violation__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SyncViolation>) throws(WireError) {
        let c = unsafe message.pointee
        entity = try unsafe c.entity.text("coffer.v1.SyncViolation.entity")
        primaryKey = unsafe c.primary_key
        properties = try unsafe texts(
            c.properties, count: c.n_properties, field: "coffer.v1.SyncViolation.properties")
        reason = try unsafe c.reason.text("coffer.v1.SyncViolation.reason")
        text = try unsafe c.text.text("coffer.v1.SyncViolation.text")
    }

    func fill(_ c: inout Coffer__V1__SyncViolation, in arena: inout PackArena) {
        unsafe c.entity = arena.text(entity)
        unsafe c.primary_key = primaryKey
        unsafe (c.n_properties, c.properties) = arena.texts(properties)
        unsafe c.reason = arena.text(reason)
        unsafe c.text = arena.text(text)
    }
}
