// Made by Protos/generate: do not edit.

internal import CCofferMessages

/// What one machine did and another one's edit overruled, whose author had not seen it.
///
/// `coffer.v1.SyncConflict`.
package struct SyncConflictMessage: Sendable, Equatable {
    /// Its number in the store, which it keeps.
    package var number: UInt64
    /// When it was found here, in microseconds since 1970-01-01 UTC.
    package var noted: Int64
    /// A word: value, move, deletion, edit or merge.
    package var kind: String
    /// The object's entity.
    package var entity: String
    /// Of its row; 0 if none shows it.
    package var primaryKey: UInt64
    /// Which property; empty if all of the object.
    package var property: String
    /// What was overruled and what stayed, by property.
    package var values: [SyncConflictValueMessage] = []
    /// The author of what was overruled.
    package var lostPeer: UInt64 = 0
    /// When, in microseconds since 1970-01-01 UTC.
    package var lostTime: Int64 = 0
    /// The author of what stayed.
    package var keptPeer: UInt64 = 0
    /// When.
    package var keptTime: Int64 = 0
    /// Whether what was overruled was written here.
    package var isOwn: Bool = false
    /// Whether it was undone here.
    package var isUndone: Bool = false

    /// A message from its fields.
    package init(
        number: UInt64, noted: Int64, kind: String, entity: String, primaryKey: UInt64, property: String
    ) {
        self.number = number
        self.noted = noted
        self.kind = kind
        self.entity = entity
        self.primaryKey = primaryKey
        self.property = property
    }
}

extension SyncConflictMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SyncConflict>) {
        unsafe coffer__v1__sync_conflict__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SyncConflict>) throws(WireError) {
        let c = unsafe message.pointee
        number = unsafe c.number
        noted = unsafe c.noted
        kind = try unsafe c.kind.text("coffer.v1.SyncConflict.kind")
        entity = try unsafe c.entity.text("coffer.v1.SyncConflict.entity")
        primaryKey = unsafe c.primary_key
        property = try unsafe c.property.text("coffer.v1.SyncConflict.property")
        values = try unsafe messages(c.values, count: c.n_values, field: "coffer.v1.SyncConflict.values")
        lostPeer = unsafe c.lost_peer
        lostTime = unsafe c.lost_time
        keptPeer = unsafe c.kept_peer
        keptTime = unsafe c.kept_time
        isOwn = unsafe c.own != 0
        isUndone = unsafe c.undone != 0
    }

    func fill(_ c: inout Coffer__V1__SyncConflict, in arena: inout PackArena) throws(WireError) {
        unsafe c.number = number
        unsafe c.noted = noted
        unsafe c.kind = arena.text(kind)
        unsafe c.entity = arena.text(entity)
        unsafe c.primary_key = primaryKey
        unsafe c.property = arena.text(property)
        try unsafe (c.n_values, c.values) = arena.list(values)
        unsafe c.lost_peer = lostPeer
        unsafe c.lost_time = lostTime
        unsafe c.kept_peer = keptPeer
        unsafe c.kept_time = keptTime
        unsafe c.own = isOwn ? 1 : 0
        unsafe c.undone = isUndone ? 1 : 0
    }
}
