internal import CCofferMessages
internal import CofferModel

extension ListConflictsRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListConflictsRequest>) {
        unsafe coffer__v1__list_conflicts_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListConflictsRequest>) throws(WireError) {
        let c = unsafe message.pointee
        unsafe self.init(store: c.store, after: c.after, limit: c.limit)
    }

    func fill(_ c: inout Coffer__V1__ListConflictsRequest, in arena: inout PackArena) {
        unsafe (c.store, c.after, c.limit) = (store, after, limit)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension ListConflictsReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .request }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ListConflictsReply>) {
        unsafe coffer__v1__list_conflicts_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ListConflictsReply>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            conflicts: messages(
                c.conflicts, count: c.n_conflicts, field: "coffer.v1.ListConflictsReply.conflicts"),
            hasMore: c.has_more != 0)
    }

    func fill(_ c: inout Coffer__V1__ListConflictsReply, in arena: inout PackArena) throws(WireError) {
        try unsafe (c.n_conflicts, c.conflicts) = arena.list(conflicts)
        unsafe c.has_more = hasMore ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension SyncConflictMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SyncConflict>) {
        unsafe coffer__v1__sync_conflict__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SyncConflict>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            number: c.number, noted: c.noted, kind: c.kind.text("coffer.v1.SyncConflict.kind"),
            entity: c.entity.text("coffer.v1.SyncConflict.entity"), primaryKey: c.primary_key,
            property: c.property.text("coffer.v1.SyncConflict.property"))
        values = try unsafe messages(
            c.values, count: c.n_values, field: "coffer.v1.SyncConflict.values")
        lost = unsafe Side(peer: c.lost_peer, time: c.lost_time)
        kept = unsafe Side(peer: c.kept_peer, time: c.kept_time)
        unsafe (isOwn, isUndone) = (c.own != 0, c.undone != 0)
    }

    func fill(_ c: inout Coffer__V1__SyncConflict, in arena: inout PackArena) throws(WireError) {
        unsafe (c.number, c.noted, c.primary_key) = (number, noted, primaryKey)
        unsafe c.kind = arena.text(kind)
        unsafe c.entity = arena.text(entity)
        unsafe c.property = arena.text(property)
        try unsafe (c.n_values, c.values) = arena.list(values)
        unsafe (c.lost_peer, c.lost_time) = (lost.peer, lost.time)
        unsafe (c.kept_peer, c.kept_time) = (kept.peer, kept.time)
        unsafe (c.own, c.undone) = (isOwn ? 1 : 0, isUndone ? 1 : 0)
    }
}

extension SyncConflictMessage.Value: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SyncConflictValue>) {
        unsafe coffer__v1__sync_conflict_value__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SyncConflictValue>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            property: c.property.text("coffer.v1.SyncConflictValue.property"), lost: optional(c.lost),
            kept: optional(c.kept))
    }

    func fill(_ c: inout Coffer__V1__SyncConflictValue, in arena: inout PackArena) throws(WireError) {
        unsafe c.property = arena.text(property)
        if let lost { try unsafe c.lost = arena.make(lost) }
        if let kept { try unsafe c.kept = arena.make(kept) }
    }
}

extension UndoConflictRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__UndoConflictRequest>) {
        unsafe coffer__v1__undo_conflict_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__UndoConflictRequest>) throws(WireError) {
        unsafe self.init(store: message.pointee.store, number: message.pointee.number)
    }

    func fill(_ c: inout Coffer__V1__UndoConflictRequest, in arena: inout PackArena) {
        unsafe (c.store, c.number) = (store, number)
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension UndoConflictReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .small }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__UndoConflictReply>) {
        unsafe coffer__v1__undo_conflict_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__UndoConflictReply>) throws(WireError) {
        unsafe self.init(number: message.pointee.number)
    }

    func fill(_ c: inout Coffer__V1__UndoConflictReply, in arena: inout PackArena) {
        unsafe c.number = number
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
