import CofferModel
import CofferWire

/// How far a fetch has come.
public struct FetchProgress: Sendable, Hashable {
    /// Objects whose values are there.
    public var completed: Int
    /// Objects that fit, as far as the stores asked so far tell.
    public var total: Int
}

extension ManagedObjectContext {
    /// The objects that fit a request, fetched without blocking the context's actor.
    ///
    /// With `progress`, ids come first and values a thousand objects at a time; it is told after each
    /// thousand. Between, the actor is free for other work. What the context changed takes part as in
    /// `fetch(_:)`, as it is when the last values have come. If that moves the window of an offset or
    /// limit, more is fetched, and the progress begins again.
    /// - Throws: `CancellationError` soon after the task is cancelled: the service stops working on the
    ///   fetch. Else `CofferError`.
    public func fetchAsync<Object: ManagedObject>(
        _ request: FetchRequest<Object>, progress: ((FetchProgress) -> Void)? = nil
    ) async throws -> [Object] {
        // A parent is in this process, and answers at once what it knows.
        if link != nil { return try fetch(request) }
        var plan = try plan(request)
        let steps = try PrefetchStep.steps(
            request.relationshipKeyPathsForPrefetching, from: plan.entity, in: model)
        useClass(Object.self, for: plan.entity)
        for _ in 0...Limits.outdatedAnswers {
            let found = try await arrivals(of: plan, as: request.form, progress: progress)
            // The context may have changed meanwhile.
            let last = try self.plan(request)
            guard let rest = plan.completed(by: last) else {
                plan = last
                continue
            }
            let objects = try finished(rest, found)
            try await prefetchAsync(steps, from: objects, plan.extent)
            return try typed(objects)
        }
        return try fetch(request)
    }

    private func arrivals(
        of plan: FetchPlan, as form: FetchedForm, progress: ((FetchProgress) -> Void)?
    ) async throws -> [ManagedObject] {
        if plan.limit == 0 { return [] }
        var found: [ManagedObject] = []
        var told = FetchProgress(completed: 0, total: 0)
        for store in plan.stores {
            if progress == nil || form.isFault {
                found += try await arrivals(plan, store, asFaults: form.isFault)
            } else {
                found += try await arrivals(of: plan, store: store, told: &told, progress: progress)
            }
        }
        return found
    }

    private func arrivals(
        _ plan: FetchPlan, _ store: Int16, asFaults: Bool
    ) async throws -> [ManagedObject] {
        var description = plan.description
        description.resultType = asFaults ? .objectIDs : .objects
        let began = ContextTrace.beginning
        defer { trace("fetch", since: began, label: plan.label, entity: plan.entity.name) }
        let coordinator = coordinator
        let table = ObjectReference.Table(store: store, root: UInt16(plan.entity.rootIndex))
        let parts: [FetchReplyMessage] = try await currentAnswer(about: [table], number: \.number) {
            let request = begin(
                description, of: plan.entity, store, withoutHolding: asFaults, label: plan.label)
            return { cancellation throws(CofferError) in
                if asFaults { return [try coordinator.fetch(request, cancellation: cancellation)] }
                var parts: [FetchReplyMessage] = []
                let last = try coordinator.fetch(request, cancellation: cancellation) { part in
                    if let part { parts.append(part) } else { parts = [] }
                }
                return parts + [last]
            }
        }
        let rows = parts.compactMap(\.rows)
        if asFaults {
            return objects(
                try rows.flatMap { rows throws(CofferError) in try references(rows, store: store) },
                extent: plan.extent)
        }
        var found = FoundObjects()
        for rows in rows { try materialise(rows, store: store, into: &found) }
        return awake(found)
    }

    private func arrivals(
        of plan: FetchPlan, store: Int16, told: inout FetchProgress,
        progress: ((FetchProgress) -> Void)?
    ) async throws -> [ManagedObject] {
        let objects = try await arrivals(plan, store, asFaults: true)
        told.total += objects.count
        progress?(told)
        var rest = objects[...]
        while !rest.isEmpty {
            let most =
                plan.extent == .whole ? registry.layout(plan.entity.index).rowsAtOnce : Limits.rowsPerProgress
            let count = min(Limits.rowsPerProgress, most, rest.count)
            try await readValues(of: Array(rest.prefix(count)), plan.extent)
            told.completed += count
            rest = rest.dropFirst(count)
            progress?(told)
        }
        return objects
    }

    /// Reads the values of those objects that are faults still.
    private func readValues(of objects: [ManagedObject], _ extent: RowExtent) async throws {
        let faults = objects.filter(\.isFault).map(\.reference)
        guard let first = faults.first else { return }
        let coordinator = coordinator
        let reply: RowsReplyMessage = try await currentAnswer(about: [first.table], number: \.number) {
            let request = rowsRequest(faults, extent)
            return { cancellation throws(CofferError) in
                if cancellation.isCancelled { throw CofferError.cancelled }
                return try coordinator.rows(request)
            }
        }
        var found = FoundObjects()
        for rows in reply.batches {
            if extent == .whole { registry.layout(rows.entity).learn(from: rows) }
            try materialise(rows, store: first.store, into: &found)
        }
        _ = awake(found)
    }
}

extension FetchPlan {
    /// How to finish with what this plan brought, now that `last` would be the plan; `nil` if it need not
    /// be enough.
    fileprivate func completed(by last: FetchPlan) -> FetchPlan? {
        var rest = self
        rest.overlay = last.overlay
        let hasWindow = offset > 0 || limit != nil
        guard hasWindow else {
            rest.isWindowedThere = last.isWindowedThere
            return rest
        }
        // A page cannot be corrected by what belongs before it or after it, and of the beginning only so much
        // was asked for.
        if isWindowedThere { return last.isWindowedThere ? rest : nil }
        let (had, needs) = (overlay?.hiddenCount ?? 0, last.overlay?.hiddenCount ?? 0)
        return limit == nil || needs <= had ? rest : nil
    }
}

extension [FetchReplyMessage] {
    /// The transaction that all parts of an answer belong to.
    fileprivate var number: UInt64 { last?.number ?? 0 }
}
