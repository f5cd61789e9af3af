internal import CCofferMessages
package import CofferModel
package import FoundationEssentials

extension BatchMessage {
    /// The operations of a request; `nil` where it is the save of a context.
    static func read(_ c: Coffer__V1__SaveRequest) throws(WireError) -> BatchMessage? {
        guard unsafe c.is_batch != 0 else {
            guard unsafe c.n_batch_updates == 0 && c.n_batch_deletes == 0 else {
                throw .malformed("coffer.v1.SaveRequest.is_batch: not set in a request with batch operations")
            }
            return nil
        }
        return try unsafe BatchMessage(
            updates: messages(
                c.batch_updates, c.n_batch_updates, "coffer.v1.SaveRequest.batch_updates",
                limit: Limits.batchOperations),
            deletes: messages(
                c.batch_deletes, c.n_batch_deletes, "coffer.v1.SaveRequest.batch_deletes",
                limit: Limits.batchOperations),
            result: choice(c.batch_result, "coffer.v1.SaveRequest.batch_result"))
    }

    func fill(_ c: inout Coffer__V1__SaveRequest, in arena: inout PackArena) throws(WireError) {
        unsafe c.is_batch = 1
        try unsafe (c.n_batch_updates, c.batch_updates) = arena.list(updates)
        try unsafe (c.n_batch_deletes, c.batch_deletes) = arena.list(deletes)
        unsafe c.batch_result = result.rawValue
    }
}

extension BatchUpdateMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__BatchUpdate>) {
        unsafe coffer__v1__batch_update__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__BatchUpdate>) throws(WireError) {
        let c = unsafe message.pointee
        let nodes: [PredicateNode] = try unsafe messages(
            c.predicate, c.n_predicate, "coffer.v1.BatchUpdate.predicate", limit: Limits.predicateNodes)
        try unsafe self.init(
            entity: c.entity.text("coffer.v1.BatchUpdate.entity"),
            includesSubentities: c.excludes_subentities == 0, predicate: QueryPredicate.made(of: nodes),
            assignments: messages(
                c.assignments, c.n_assignments, "coffer.v1.BatchUpdate.assignments", limit: Limits.columns))
    }

    func fill(_ c: inout Coffer__V1__BatchUpdate, in arena: inout PackArena) throws(WireError) {
        unsafe c.entity = arena.text(entity)
        unsafe c.excludes_subentities = includesSubentities ? 0 : 1
        if let predicate { try unsafe (c.n_predicate, c.predicate) = arena.list(predicate.nodes()) }
        try unsafe (c.n_assignments, c.assignments) = arena.list(assignments)
    }
}

extension AssignmentMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__Assignment>) {
        unsafe coffer__v1__assignment__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__Assignment>) throws(WireError) {
        let c = unsafe message.pointee
        let nodes: [PredicateNode] = try unsafe messages(
            c.expression, c.n_expression, "coffer.v1.Assignment.expression", limit: Limits.predicateNodes)
        try unsafe self.init(
            property: c.property.text("coffer.v1.Assignment.property"), expression: .made(of: nodes))
    }

    func fill(_ c: inout Coffer__V1__Assignment, in arena: inout PackArena) throws(WireError) {
        unsafe c.property = arena.text(property)
        try unsafe (c.n_expression, c.expression) = arena.list(expression.nodes())
    }
}

extension BatchDeleteMessage: @unsafe CMessage {
    static func prepare(_ message: UnsafeMutablePointer<Coffer__V1__BatchDelete>) {
        unsafe coffer__v1__batch_delete__init(message)
    }

    init(_ message: UnsafeMutablePointer<Coffer__V1__BatchDelete>) throws(WireError) {
        let c = unsafe message.pointee
        let nodes: [PredicateNode] = try unsafe messages(
            c.predicate, c.n_predicate, "coffer.v1.BatchDelete.predicate", limit: Limits.predicateNodes)
        try unsafe self.init(
            entity: c.entity.text("coffer.v1.BatchDelete.entity"),
            includesSubentities: c.excludes_subentities == 0, predicate: QueryPredicate.made(of: nodes),
            primaryKeys: [Int64](copying: c.primary_keys, count: c.n_primary_keys))
    }

    func fill(_ c: inout Coffer__V1__BatchDelete, in arena: inout PackArena) throws(WireError) {
        unsafe c.entity = arena.text(entity)
        unsafe c.excludes_subentities = includesSubentities ? 0 : 1
        if let predicate { try unsafe (c.n_predicate, c.predicate) = arena.list(predicate.nodes()) }
        unsafe (c.n_primary_keys, c.primary_keys) = arena.numbers(primaryKeys)
    }
}

extension SaveRequestMessage {
    /// Gives the objects that predicates and expressions of batch operations name, which so far have only the indices of their entities,
    /// entity and store.
    ///
    /// - Throws: `WireError.malformed` where the model has no such entity.
    package mutating func resolveObjects(
        in model: ManagedObjectModel, storeUUID: UUID
    ) throws(WireError) {
        guard var batch else { return }
        for place in batch.updates.indices {
            try batch.updates[place].predicate?.resolveObjects(in: model, storeUUID: storeUUID)
            for index in batch.updates[place].assignments.indices {
                let expression = batch.updates[place].assignments[index].expression
                let nodes = try expression.nodes().resolvingObjects(in: model, storeUUID: storeUUID)
                if let nodes { batch.updates[place].assignments[index].expression = try .made(of: nodes) }
            }
        }
        for place in batch.deletes.indices {
            try batch.deletes[place].predicate?.resolveObjects(in: model, storeUUID: storeUUID)
        }
        self.batch = batch
    }
}
