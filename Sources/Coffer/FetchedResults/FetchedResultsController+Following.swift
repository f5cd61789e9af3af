import CofferModel

extension FetchedResultsController {
    /// Takes in what changed in the context.
    func follow(_ changes: LoggedChanges) {
        guard let plan else { return }
        do throws(CofferError) {
            guard let wanted = try rowChanges(changes, plan) else { return }
            let (oldRuns, hasSections) = (rows.runs, rows.hasSections)
            isBehind = true  // Until it has been carried out.
            let events = try rows.apply(wanted)
            isBehind = false
            lastError = nil
            if !wanted.removed.isEmpty { noteDepartures() }
            tell(events, oldRuns: oldRuns, hasSections: hasSections)
        } catch {
            isBehind = true
            lastError = error
            noteDepartures()
            post(.failed)
        }
    }

    /// What has to be done to the rows; `nil` for nothing.
    private func rowChanges(_ changes: LoggedChanges, _ plan: ResultPlan) throws(CofferError) -> RowChanges? {
        var wanted = RowChanges()
        for (old, new) in changes.renamed where rows.slot(old) != nil {
            // A uniqueness constraint may have made one object of several rows.
            let isOne = rows.slot(new) == nil && wanted.formerNames[new] == nil
            if isOne { wanted.formerNames[new] = old } else { wanted.removed.append(old) }
        }
        let concerned = changes.references.filter { plan.family.contains(Int($0.leaf)) }
        let known = concerned.filter { rows.slot(wanted.formerNames[$0] ?? $0) != nil }
        wanted.updated = known.filter { changes.hasNews(of: $0, formerly: wanted.formerNames[$0]) }
        let isAll = isBehind || plan.dependencies.mayChangeAll(changes)
        if !isAll && concerned.isEmpty { return nil }
        let candidates = concerned.filter {
            isCandidate($0, changes: changes, plan: plan, isKnown: known.contains($0))
        }
        if isAll || plan.isWindow || candidates.count > Limits.judgedRows {
            return try refetched(wanted, plan)
        }
        let objects = try read(candidates.filter { !changes.isGone($0, in: context) }, plan)
        var living: Set<ObjectReference> = []
        for object in objects where !object.isLost {
            guard try context.matches(object, plan.predicate) else { continue }
            wanted.rows.append(try plan.row(object))
            living.insert(object.reference)
        }
        wanted.removed += candidates.subtracting(living).map { wanted.formerNames[$0] ?? $0 }
        return wanted
    }

    /// Whether an object has to be judged again.
    private func isCandidate(
        _ reference: ObjectReference, changes: LoggedChanges, plan: ResultPlan, isKnown: Bool
    ) -> Bool {
        guard let slots = changes.updated[reference], changes.touched[reference] == nil,
            !changes.vanished.contains(reference), !changes.appeared.contains(reference)
        else { return true }
        return plan.decides(slots)
    }

    /// The objects of references, with what decides about them.
    private func read(
        _ references: some Sequence<ObjectReference>, _ plan: ResultPlan
    ) throws(CofferError) -> [ManagedObject] {
        let objects = references.map { context.object($0) }
        let unread = objects.filter { $0.isFault || !($0.edits?.stale.isEmpty ?? true) }
        for (_, group) in Dictionary(grouping: unread, by: \.reference.table) {
            for start in stride(from: 0, to: group.count, by: Limits.faultBatch) {
                try context.read(Array(group[start..<min(start + Limits.faultBatch, group.count)]))
            }
        }
        return objects
    }

    /// What makes the rows those of a fresh fetch.
    private func refetched(_ known: RowChanges, _ plan: ResultPlan) throws(CofferError) -> RowChanges {
        var wanted = known
        wanted.rows = try fetchRows(plan)
        let present = Set(wanted.rows.map { wanted.formerNames[$0.reference] ?? $0.reference })
        wanted.removed = rows.allReferences.filter { !present.contains($0) }
        return wanted
    }
}

extension LoggedChanges {
    /// Whether something was changed that an object shows.
    fileprivate func hasNews(of reference: ObjectReference, formerly old: ObjectReference?) -> Bool {
        touched[reference] != nil || updated[reference] != nil || old.map { touched[$0] != nil } ?? false
    }

    /// Whether an object is known not to be there any more.
    fileprivate func isGone(_ reference: ObjectReference, in context: ManagedObjectContext) -> Bool {
        if let object = context.registry.object(reference) { return object.isLost }
        return vanished.contains(reference) || touched[reference]?.isLost ?? false
            || (reference.isUnsaved && context.link == nil)
    }
}

extension FetchedResultsController {
    /// What happens from now on, for one reader, which begins with the rows as they are.
    ///
    /// Past 100,000 parts that wait, the stream ends: then read the rows, and ask for another.
    public var events: AsyncStream<FetchedResultsEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: FetchedResultsEvent.self, bufferingPolicy: .bufferingOldest(Limits.waitingResultEvents))
        continuations.append(continuation)
        return stream
    }

    private func tell(_ events: [RowEvent], oldRuns: [ResultRows.Run], hasSections: Bool) {
        guard !events.isEmpty else { return }
        let (names, runs) = (rows.sectionNames, rows.runs)  // Whoever is told may fetch anew.
        post(.willChange)
        for event in events {
            post(
                event.public(
                    context.registry, names,
                    old: { ResultRows.index(of: $0, in: oldRuns, hasSections: hasSections) },
                    new: { ResultRows.index(of: $0, in: runs, hasSections: hasSections) }))
        }
        post(.didChange)
    }

    private func post(_ event: FetchedResultsEvent) {
        onEvent?(event)
        continuations.removeAll { continuation in
            switch continuation.yield(event) {
            case .enqueued: return false
            case .dropped, .terminated:
                continuation.finish()
                return true
            @unknown default: return false
            }
        }
    }
}

extension RowEvent {
    fileprivate func `public`(
        _ registry: Registry, _ names: [String], old: (Int) -> SectionIndex, new: (Int) -> SectionIndex
    ) -> FetchedResultsEvent {
        switch self {
        case .sectionDeleted(let number, let place):
            .sectionDeleted(name: names[Int(number)], at: place)
        case .sectionInserted(let number, let place):
            .sectionInserted(name: names[Int(number)], at: place)
        case .deleted(let reference, let place): .deleted(registry.id(reference), at: old(place))
        case .inserted(let reference, let place): .inserted(registry.id(reference), at: new(place))
        case .moved(let reference, let from, let to):
            .moved(registry.id(reference), from: old(from), to: new(to))
        case .updated(let reference, let from, let to):
            .updated(registry.id(reference), from: old(from), to: new(to))
        }
    }
}
