internal import CCofferMessages
internal import FoundationEssentials

extension RequestIDMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__RequestID>) {
        unsafe coffer__v1__request_id__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__RequestID>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            client: c.client.uuid("coffer.v1.RequestID.client"), sequence: c.sequence,
            acknowledged: c.acknowledged,
            isRetry: c.is_retry != 0)
    }

    func fill(_ c: inout Coffer__V1__RequestID, in arena: inout PackArena) {
        unsafe c.client = arena.uuid(client)
        unsafe c.sequence = sequence
        unsafe c.acknowledged = acknowledged
        unsafe c.is_retry = isRetry ? 1 : 0
    }
}

extension InsertGroup: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__InsertGroup>) {
        unsafe coffer__v1__insert_group__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__InsertGroup>) throws(WireError) {
        let c = unsafe message.pointee
        let ids = try unsafe c.temporary_ids.uuids("coffer.v1.InsertGroup.temporary_ids")
        try unsafe self.init(
            entity: Int(c.entity), temporaryIDs: ids,
            columns: readColumns(
                c.columns, c.n_columns, rowCount: ids.count, "coffer.v1.InsertGroup.columns"),
            firstKey: c.first_key)
    }

    func fill(_ c: inout Coffer__V1__InsertGroup, in arena: inout PackArena) throws(WireError) {
        unsafe c.entity = UInt32(entity)
        unsafe c.temporary_ids = arena.uuids(temporaryIDs)
        try unsafe (c.n_columns, c.columns) = arena.list(columns)
        unsafe c.first_key = firstKey
    }
}

extension UpdateGroup: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__UpdateGroup>) {
        unsafe coffer__v1__update_group__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__UpdateGroup>) throws(WireError) {
        let c = unsafe message.pointee
        let rowCount = unsafe c.n_primary_keys
        try unsafe check(c.n_versions, of: rowCount, "coffer.v1.UpdateGroup.versions")
        try unsafe self.init(
            entity: Int(c.entity), primaryKeys: [Int64](copying: c.primary_keys, count: rowCount),
            versions: [UInt32](copying: c.versions, count: c.n_versions),
            columns: readColumns(c.columns, c.n_columns, rowCount: rowCount, "coffer.v1.UpdateGroup.columns"),
            oldColumns: readColumns(
                c.old_columns, c.n_old_columns, rowCount: rowCount, "coffer.v1.UpdateGroup.old_columns"),
            otherColumns: readColumns(
                c.other_columns, c.n_other_columns, rowCount: rowCount, "coffer.v1.UpdateGroup.other_columns")
        )
    }

    func fill(_ c: inout Coffer__V1__UpdateGroup, in arena: inout PackArena) throws(WireError) {
        unsafe c.entity = UInt32(entity)
        unsafe (c.n_primary_keys, c.primary_keys) = arena.numbers(primaryKeys)
        unsafe (c.n_versions, c.versions) = arena.numbers(versions)
        try unsafe (c.n_columns, c.columns) = arena.list(columns)
        try unsafe (c.n_old_columns, c.old_columns) = arena.list(oldColumns)
        try unsafe (c.n_other_columns, c.other_columns) = arena.list(otherColumns)
    }
}

extension DeleteGroup: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__DeleteGroup>) {
        unsafe coffer__v1__delete_group__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__DeleteGroup>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe check(c.n_versions, of: c.n_primary_keys, "coffer.v1.DeleteGroup.versions")
        unsafe self.init(
            entity: Int(c.entity), primaryKeys: [Int64](copying: c.primary_keys, count: c.n_primary_keys),
            versions: [UInt32](copying: c.versions, count: c.n_versions))
    }

    func fill(_ c: inout Coffer__V1__DeleteGroup, in arena: inout PackArena) {
        unsafe c.entity = UInt32(entity)
        unsafe (c.n_primary_keys, c.primary_keys) = arena.numbers(primaryKeys)
        unsafe (c.n_versions, c.versions) = arena.numbers(versions)
    }
}

extension SetChange: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SetChange>) {
        unsafe coffer__v1__set_change__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SetChange>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe check(c.n_targets, of: c.n_owners, "coffer.v1.SetChange.targets")
        guard unsafe c.removed.len == 0 || c.removed.len == (c.n_owners + 7) / 8 else {
            throw .malformed(
                "coffer.v1.SetChange.removed: \(unsafe c.removed.len) bytes for \(unsafe c.n_owners) rows")
        }
        unsafe self.init(
            entity: Int(c.entity), property: Int(c.property),
            owners: [Int64](copying: c.owners, count: c.n_owners),
            targets: [Int64](copying: c.targets, count: c.n_targets), removed: c.removed.array())
    }

    func fill(_ c: inout Coffer__V1__SetChange, in arena: inout PackArena) {
        unsafe c.entity = UInt32(entity)
        unsafe c.property = UInt32(property)
        unsafe (c.n_owners, c.owners) = arena.numbers(owners)
        unsafe (c.n_targets, c.targets) = arena.numbers(targets)
        unsafe c.removed = arena.data(removed)
    }
}

extension OrderChange: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__OrderChange>) {
        unsafe coffer__v1__order_change__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__OrderChange>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe check(c.n_members, of: c.n_owners, "coffer.v1.OrderChange.members")
        try unsafe check(c.n_after, of: c.n_owners, "coffer.v1.OrderChange.after")
        unsafe self.init(
            entity: Int(c.entity), property: Int(c.property),
            owners: [Int64](copying: c.owners, count: c.n_owners),
            members: [Int64](copying: c.members, count: c.n_members),
            after: [Int64](copying: c.after, count: c.n_after))
    }

    func fill(_ c: inout Coffer__V1__OrderChange, in arena: inout PackArena) {
        unsafe c.entity = UInt32(entity)
        unsafe c.property = UInt32(property)
        unsafe (c.n_owners, c.owners) = arena.numbers(owners)
        unsafe (c.n_members, c.members) = arena.numbers(members)
        unsafe (c.n_after, c.after) = arena.numbers(after)
    }
}

extension SaveRequestMessage: WireMessage, @unsafe CMessage {
    static var limit: MessageLimit { .rows }

    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__SaveRequest>) {
        unsafe coffer__v1__save_request__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__SaveRequest>) throws(WireError) {
        let c = unsafe message.pointee
        try unsafe self.init(
            store: c.store, request: required(c.request, "coffer.v1.SaveRequest.request"),
            author: c.author.text("coffer.v1.SaveRequest.author"),
            contextName: c.context_name.text("coffer.v1.SaveRequest.context_name"),
            mergePolicy: choice(c.merge_policy.rawValue, "coffer.v1.SaveRequest.merge_policy"),
            inserts: messages(c.inserts, c.n_inserts, "coffer.v1.SaveRequest.inserts"),
            updates: messages(c.updates, c.n_updates, "coffer.v1.SaveRequest.updates"),
            deletes: messages(c.deletes, c.n_deletes, "coffer.v1.SaveRequest.deletes"),
            setChanges: messages(c.set_changes, c.n_set_changes, "coffer.v1.SaveRequest.set_changes"),
            orderChanges: messages(
                c.order_changes, c.n_order_changes, "coffer.v1.SaveRequest.order_changes"),
            constraintPolicy: c.constraint_policy == 0
                ? nil : choice(c.constraint_policy - 1, "coffer.v1.SaveRequest.constraint_policy"),
            batch: BatchMessage.read(c), isBackground: c.is_background != 0)
    }

    func fill(_ c: inout Coffer__V1__SaveRequest, in arena: inout PackArena) throws(WireError) {
        unsafe c.store = store
        try unsafe c.request = arena.make(request)
        unsafe c.author = arena.text(author)
        unsafe c.context_name = arena.text(contextName)
        unsafe c.merge_policy = Coffer__V1__MergePolicy(rawValue: mergePolicy.rawValue)
        try unsafe (c.n_inserts, c.inserts) = arena.list(inserts)
        try unsafe (c.n_updates, c.updates) = arena.list(updates)
        try unsafe (c.n_deletes, c.deletes) = arena.list(deletes)
        try unsafe (c.n_set_changes, c.set_changes) = arena.list(setChanges)
        try unsafe (c.n_order_changes, c.order_changes) = arena.list(orderChanges)
        unsafe c.constraint_policy = constraintPolicy.map { $0.rawValue + 1 } ?? 0
        try unsafe batch?.fill(&c, in: &arena)
        unsafe c.is_background = isBackground ? 1 : 0
    }

    package init(packed bytes: RawSpan) throws(WireError) { try unsafe self.init(unpacking: bytes) }

    package func packed() throws(WireError) -> [UInt8] { try unsafe packing() }
}
