internal import CCofferMessages
internal import FoundationEssentials

extension SaveReplyMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .rows }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SaveReply>) {
        unsafe coffer__v1__save_reply__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SaveReply>) throws(WireError) {
        let c = unsafe message.pointee
        switch unsafe c.outcome_case {
        case COFFER__V1__SAVE_REPLY__OUTCOME_SAVED:
            self = .saved(try unsafe required(c.saved, "coffer.v1.SaveReply.saved"))
        case COFFER__V1__SAVE_REPLY__OUTCOME_CONFLICTS:
            guard let list = unsafe c.conflicts?.pointee else {
                throw .malformed("coffer.v1.SaveReply.conflicts: absent")
            }
            self = .conflicts(
                try unsafe messages(list.conflicts, list.n_conflicts, "coffer.v1.Conflicts.conflicts"))
        case COFFER__V1__SAVE_REPLY__OUTCOME_VALIDATION:
            guard let list = unsafe c.validation?.pointee else {
                throw .malformed("coffer.v1.SaveReply.validation: absent")
            }
            self = .invalid(
                try unsafe messages(list.failures, list.n_failures, "coffer.v1.ValidationFailures.failures"))
        case COFFER__V1__SAVE_REPLY__OUTCOME_CONSTRAINTS:
            guard let list = unsafe c.constraints?.pointee else {
                throw .malformed("coffer.v1.SaveReply.constraints: absent")
            }
            self = .constraints(
                try unsafe messages(
                    list.conflicts, list.n_conflicts, "coffer.v1.ConstraintConflicts.conflicts"))
        default: throw .malformed("coffer.v1.SaveReply: without an outcome")
        }
    }

    func fill(_ c: inout Coffer__V1__SaveReply, in arena: inout PackArena) throws(WireError) {
        switch self {
        case .saved(let saved):
            unsafe c.outcome_case = COFFER__V1__SAVE_REPLY__OUTCOME_SAVED
            try unsafe c.saved = arena.make(saved)
        case .conflicts(let conflicts):
            unsafe c.outcome_case = COFFER__V1__SAVE_REPLY__OUTCOME_CONFLICTS
            let list = unsafe arena.make(empty: coffer__v1__conflicts__init)
            try unsafe (list.pointee.n_conflicts, list.pointee.conflicts) = arena.list(conflicts)
            unsafe c.conflicts = list
        case .invalid(let failures):
            unsafe c.outcome_case = COFFER__V1__SAVE_REPLY__OUTCOME_VALIDATION
            let list = unsafe arena.make(empty: coffer__v1__validation_failures__init)
            try unsafe (list.pointee.n_failures, list.pointee.failures) = arena.list(failures)
            unsafe c.validation = list
        case .constraints(let conflicts):
            unsafe c.outcome_case = COFFER__V1__SAVE_REPLY__OUTCOME_CONSTRAINTS
            let list = unsafe arena.make(empty: coffer__v1__constraint_conflicts__init)
            try unsafe (list.pointee.n_conflicts, list.pointee.conflicts) = arena.list(conflicts)
            unsafe c.constraints = list
        }
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}

extension SavedMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Saved>) {
        unsafe coffer__v1__saved__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__Saved>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe check(c.n_merged_keys, of: c.n_merged_places, "coffer.v1.Saved.merged_keys")
        let places = unsafe [UInt32](copying: c.merged_places, count: c.n_merged_places)
        let keys = unsafe [Int64](copying: c.merged_keys, count: c.n_merged_keys)
        try unsafe self.init(
            number: c.number, firstKeys: [Int64](copying: c.first_keys, count: c.n_first_keys),
            refreshed: messages(c.refreshed, c.n_refreshed, "coffer.v1.Saved.refreshed"),
            alsoDeleted: messages(c.also_deleted, c.n_also_deleted, "coffer.v1.Saved.also_deleted"),
            merged: Dictionary(zip(places.map { Int($0) }, keys)) { $1 },
            derived: messages(c.derived, c.n_derived, "coffer.v1.Saved.derived"),
            batch: BatchResultMessage(
                count: c.batch_count,
                changes: messages(c.batch_changes, c.n_batch_changes, "coffer.v1.Saved.batch_changes")),
            touched: messages(c.touched, c.n_touched, "coffer.v1.Saved.touched"))
    }

    func fill(_ c: inout Coffer__V1__Saved, in arena: inout PackArena) throws(WireError) {
        unsafe c.number = number
        unsafe (c.n_first_keys, c.first_keys) = arena.numbers(firstKeys)
        try unsafe (c.n_refreshed, c.refreshed) = arena.list(refreshed)
        try unsafe (c.n_also_deleted, c.also_deleted) = arena.list(alsoDeleted)
        try unsafe (c.n_derived, c.derived) = arena.list(derived)
        unsafe c.batch_count = batch.count
        try unsafe (c.n_batch_changes, c.batch_changes) = arena.list(batch.changes)
        try unsafe (c.n_touched, c.touched) = arena.list(touched)
        if merged.isEmpty { return }
        let places = merged.keys.sorted()
        unsafe (c.n_merged_places, c.merged_places) = arena.numbers(places.map { UInt32($0) })
        unsafe (c.n_merged_keys, c.merged_keys) = arena.numbers(places.map { merged[$0] ?? 0 })
    }
}

extension ConflictMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Conflict>) {
        unsafe coffer__v1__conflict__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__Conflict>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            entity: Int(c.entity), primaryKey: c.primary_key, snapshotVersion: c.snapshot_version,
            storedVersion: c.stored_version, stored: optional(c.stored))
        guard stored.map({ $0.rowCount == 1 }) ?? true else {
            throw .malformed("coffer.v1.Conflict.stored: \(stored?.rowCount ?? 0) rows, one is needed")
        }
    }

    func fill(_ c: inout Coffer__V1__Conflict, in arena: inout PackArena) throws(WireError) {
        unsafe c.entity = UInt32(entity)
        unsafe c.primary_key = primaryKey
        unsafe c.snapshot_version = snapshotVersion
        unsafe c.stored_version = storedVersion
        try unsafe c.stored = arena.makeOptional(stored)
    }
}

extension ValidationFailureMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ValidationFailure>) {
        unsafe coffer__v1__validation_failure__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ValidationFailure>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            object: required(c.object, "coffer.v1.ValidationFailure.object"),
            property: c.property.text("coffer.v1.ValidationFailure.property"),
            reason: choice(
                c.reason.text("coffer.v1.ValidationFailure.reason"), "coffer.v1.ValidationFailure.reason"),
            text: c.text.text("coffer.v1.ValidationFailure.text", limit: Limits.text))
    }

    func fill(_ c: inout Coffer__V1__ValidationFailure, in arena: inout PackArena) throws(WireError) {
        try unsafe c.object = arena.make(object)
        unsafe c.property = arena.text(property)
        unsafe c.reason = arena.text(reason.rawValue)
        unsafe c.text = arena.text(text)
    }
}

extension ConstraintConflictMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__ConstraintConflict>) {
        unsafe coffer__v1__constraint_conflict__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__ConstraintConflict>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            object: required(c.object, "coffer.v1.ConstraintConflict.object"),
            constraint: texts(c.constraint, c.n_constraint, "coffer.v1.ConstraintConflict.constraint"),
            existing: optional(c.existing), stored: optional(c.stored))
        guard stored.map({ $0.rowCount == 1 }) ?? true else {
            throw .malformed(
                "coffer.v1.ConstraintConflict.stored: \(stored?.rowCount ?? 0) rows, one is needed")
        }
    }

    func fill(_ c: inout Coffer__V1__ConstraintConflict, in arena: inout PackArena) throws(WireError) {
        try unsafe c.object = arena.make(object)
        unsafe (c.n_constraint, c.constraint) = arena.texts(constraint)
        try unsafe c.existing = arena.makeOptional(existing)
        try unsafe c.stored = arena.makeOptional(stored)
    }
}
