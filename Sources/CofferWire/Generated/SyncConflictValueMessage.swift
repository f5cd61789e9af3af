// Made by Protos/generate: do not edit.

internal import CCofferMessages
package import CofferModel

/// One property of an object as it was overruled, and as it stayed.
///
/// `coffer.v1.SyncConflictValue`.
package struct SyncConflictValueMessage: Sendable, Equatable {
    /// Its name.
    package var property: String
    /// An attribute's value, or the object that it led to; missing if neither is at hand.
    package var lost: AttributeValue?
    /// The value that stayed; absent if it is not at hand.
    package var kept: AttributeValue?

    /// A message from its fields.
    package init(property: String, lost: AttributeValue?, kept: AttributeValue?) {
        self.property = property
        self.lost = lost
        self.kept = kept
    }
}

extension SyncConflictValueMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SyncConflictValue>) {
        unsafe coffer__v1__sync_conflict_value__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SyncConflictValue>) throws(WireError) {
        let c = unsafe message.pointee
        property = try unsafe c.property.text("coffer.v1.SyncConflictValue.property")
        lost = try unsafe optional(c.lost)
        kept = try unsafe optional(c.kept)
    }

    func fill(_ c: inout Coffer__V1__SyncConflictValue, in arena: inout PackArena) throws(WireError) {
        unsafe c.property = arena.text(property)
        try unsafe c.lost = arena.makeOptional(lost)
        try unsafe c.kept = arena.makeOptional(kept)
    }
}
