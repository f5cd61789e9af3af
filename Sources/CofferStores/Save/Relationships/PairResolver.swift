internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// One end of a one-to-one relationship: an object by its table and key, and its property.
struct PairEnd: Hashable {
    var object: RowKey
    var property: Int
}

/// Decides about one-to-one relationships, of which the rows at both ends store a half each, and makes both
/// halves agree.
///
/// Before anything is written it finds the changes in which the policy lets the store win, removes them from
/// new objects' columns, and protects them in stored objects. When all rows are written it writes the ends
/// that follow from them.
struct PairResolver: SavePass {
    /// A property that the request sets.
    struct Change {
        var object: LeafKey
        var property: EntityPlan.Property
        /// The object that the request wants there.
        var wanted: LeafKey?
        /// The object that the store has there before the save.
        var stored: LeafKey?
        /// Whether the stored object stays.
        var isLost = false
    }

    /// An end that was written while the other end may not have been.
    struct Written {
        var object: LeafKey
        var property: EntityPlan.Property
        var former: LeafKey?
    }

    let state: SaveState
    /// Properties that the request sets.
    private var requested: [PairEnd: Change] = [:]
    /// Ends that were written without the other end.
    var written: [Written] = []

    init(_ state: SaveState) { self.state = state }

    /// Finds, before anything is written, the changes of one-to-one relationships in which the policy lets
    /// the store win.
    ///
    /// A pair that one end loses, the other loses too, and so does each object that had either of them
    /// before: connected pairs are written all or not at all.
    mutating func decide(
        _ save: SaveRequestMessage, _ columns: inout ResolvedColumns
    ) throws(StoreError) {
        var lost: [PairEnd] = []
        for (group, columns) in columns.updates.enumerated() {
            try decideUpdates(save.updates[group], columns, addingTo: &lost)
        }
        for group in columns.inserts.indices { try decideInserts(ofGroup: group, columns, addingTo: &lost) }
        guard !requested.isEmpty || !lost.isEmpty else { return }
        if storeWins {
            try decidePartners(&lost)
            try decideDeletes(save.deletes, &lost)
        }
        if !lost.isEmpty { try withdraw(lost, &columns) }
        addLooseEnds(columns)
    }

    private mutating func decideUpdates(
        _ request: UpdateGroup, _ columns: [Column], addingTo lost: inout [PairEnd]
    ) throws(StoreError) {
        let plan = try writer.plan(request.entity)
        for column in columns {
            let property = try plan.property(column.property)
            guard property.isPair else { continue }
            for (row, key) in request.primaryKeys.enumerated() {
                let stored = try translating { () throws(SQLiteError) in
                    try writer.storedPair(property, of: plan, key)
                }
                let change = Change(
                    object: plan.object(key), property: property, wanted: column.end(at: row),
                    stored: stored?.other)
                let end = PairEnd(object: plan.row(key), property: property.index)
                requested[end] = change
                let version = request.versions[row]
                var isStale = stored?.version != version
                if isStale { isStale = try writer.isStale(plan, key, since: version) }
                if objects.isProtected(end.object, end.property)
                    || (isStale && isLost(change, of: request, row: row, isGone: stored == nil))
                {
                    lost.append(end)
                }
            }
        }
    }

    /// Decides about new objects whose partners do not name them back: stored ones that the request does not
    /// mention, and new ones.
    private mutating func decideInserts(
        ofGroup group: Int, _ columns: ResolvedColumns, addingTo lost: inout [PairEnd]
    ) throws(StoreError) {
        let plan = try writer.plan(inserted.groups[group].entity)
        for column in columns.inserts[group] {
            let property = try plan.property(column.property)
            guard property.isPair else { continue }
            for row in inserted.groups[group].temporaryIDs.indices {
                guard let wanted = column.end(at: row), let end = partner(wanted, property),
                    requested[end] == nil
                else { continue }
                let object = plan.object(inserted.firstKeys[group] + Int64(row))
                if let back = insertedEnd(end, columns) {
                    if back == object { continue }
                } else if !inserted.contains(wanted), storeWins, try storedEnd(wanted, property) != nil {
                    lost.append(PairEnd(object: plan.row(object.key), property: property.index))
                    continue
                }
                written.append(Written(object: object, property: property, former: nil))
            }
        }
    }

    /// Whether the store keeps its value if another client changed it.
    private var storeWins: Bool { mergeRule.decide(.contested) == .stored }

    /// Whether the policy lets the store keep a property of a row that differs from its snapshot, or is gone.
    private func isLost(_ change: Change, of request: UpdateGroup, row: Int, isGone: Bool) -> Bool {
        let old = request.oldColumns.first { $0.property == change.property.index }
        let isUnchanged = !isGone && old.map { $0.end(at: row)?.key == change.stored?.key } ?? false
        return mergeRule.decide(MergeSituation(isUnchanged: isUnchanged), in: .contested) == .stored
    }

    /// Lets the store win if the request does not mention an object at the other end that has another
    /// partner.
    private func decidePartners(_ lost: inout [PairEnd]) throws(StoreError) {
        for (end, change) in requested {
            guard let wanted = change.wanted, let partner = partner(wanted, change.property),
                requested[partner] == nil, !inserted.contains(wanted),
                !objects.isToBeDeleted(partner.object),
                let other = try storedEnd(wanted, change.property), other.key != change.object.key
            else { continue }
            lost.append(end)
        }
    }

    /// An object whose delete loses against another client's change keeps its partners.
    private func decideDeletes(_ deletes: [DeleteGroup], _ lost: inout [PairEnd]) throws(StoreError) {
        for group in deletes {
            let plan = try writer.plan(group.entity)
            let properties = plan.properties.compactMap(\.self).filter(\.isPair)
            if properties.isEmpty { continue }
            for (row, key) in group.primaryKeys.enumerated() {
                guard try writer.storedVersion(plan, key) != nil,
                    try writer.isStale(plan, key, since: group.versions[row])
                else { continue }
                for property in properties {
                    let stored = try translating { () throws(SQLiteError) in
                        try writer.storedEnd(property, of: plan, key)
                    }
                    if let end = stored.flatMap({ partner($0, property) }) { lost.append(end) }
                }
            }
        }
    }

    /// The object that the store has at `other`'s end of a relationship.
    private func storedEnd(_ other: LeafKey, _ property: EntityPlan.Property) throws(StoreError) -> LeafKey? {
        let plan = try writer.plan(other.entity)
        guard let inverse = property.inverse, let back = plan.end(inverse) else { return nil }
        return try translating { () throws(SQLiteError) in
            try writer.storedEnd(back, of: plan, other.key)
        }
    }

    /// Withdraws changes, and all others that are connected with them.
    private mutating func withdraw(
        _ ends: [PairEnd], _ columns: inout ResolvedColumns
    ) throws(StoreError) {
        var (open, seen) = (ends, Set<PairEnd>())
        while let end = open.popLast() {
            guard seen.insert(end).inserted else { continue }
            guard let change = requested[end] else {
                try clearInsert(end, &columns)
                continue
            }
            requested[end]?.isLost = true
            objects.protect(end.property, of: end.object)
            for other in [change.wanted, change.stored].compactMap(\.self) {
                if let partner = partner(other, change.property) { open.append(partner) }
            }
        }
    }

    /// The object that the request names at the end of a new object; `nil` if it names none, or if the object
    /// of `end` is not new.
    private func insertedEnd(_ end: PairEnd, _ columns: ResolvedColumns) -> LeafKey? {
        guard let new = inserted.row(of: end.object) else { return nil }
        return columns.inserts[new.group].first { $0.property == end.property }?.end(at: new.row)
    }

    /// Clears the end of a new object that was to have a partner.
    private mutating func clearInsert(
        _ end: PairEnd, _ columns: inout ResolvedColumns
    ) throws(StoreError) {
        guard let (group, row) = inserted.row(of: end.object),
            let place = columns.inserts[group].firstIndex(where: { $0.property == end.property }),
            let named = columns.inserts[group][place].end(at: row)
        else { return }
        let plan = try writer.plan(inserted.groups[group].entity)
        let object = plan.object(end.object.key)
        columns.inserts[group][place].clear(row)
        changes.refresh(object)
        // Another new object may name it.
        if inserted.contains(named) {
            written.append(
                Written(object: object, property: try plan.property(end.property), former: named))
        }
        guard plan.required.contains(end.property) else { return }
        let name = plan.description.properties[end.property].name
        outcome.fail(
            inserted.reference(to: object), property: name, reason: .required,
            "'\(plan.name).\(name)' must have a value, but the object that was to be there belongs to another one"
        )
    }

    /// Adds ends that are written on one side while the request does not write the other.
    private mutating func addLooseEnds(_ columns: ResolvedColumns) {
        for change in requested.values where !change.isLost {
            let follows = [change.wanted, change.stored].allSatisfy { other in
                guard let other, let partner = partner(other, change.property) else { return true }
                guard let back = requested[partner], !back.isLost else {
                    return insertedEnd(partner, columns) == change.object
                }
                return (back.wanted?.key == change.object.key) == (other.key == change.wanted?.key)
            }
            if follows { continue }
            written.append(
                Written(object: change.object, property: change.property, former: change.stored))
        }
    }

    /// The end by which a pair's other object has it; `nil` if the other object's entity has no such end.
    private func partner(_ other: LeafKey, _ property: EntityPlan.Property) -> PairEnd? {
        guard let inverse = property.inverse, inverse.owners.contains(other.entity) else { return nil }
        return PairEnd(object: other.row(in: writer.file.schema.model), property: inverse.property)
    }
}

extension Column {
    /// Makes row `row` of a relationship null, in place, since as many rows of a column may lose their ends
    /// as it has.
    fileprivate mutating func clear(_ row: Int) {
        guard case .references(var keys, var entities) = values else { return }
        values = .integers([])
        (keys[row], entities[row]) = (0, 0)
        values = .references(keys: keys, entities: entities)
        setNull(row)
    }
}
