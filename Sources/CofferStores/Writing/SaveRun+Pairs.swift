internal import CofferModel
internal import CofferSQLite
internal import CofferWire

/// One end of a one-to-one relationship: an object by its table and key, and its property.
struct PairEnd: Hashable {
    var object: RowKey
    var property: Int
}

/// What a save does to one-to-one relationships, of which the rows at both ends keep a half each.
struct PairChanges {
    /// A property that the request sets.
    struct Change {
        var object: LeafKey
        var property: EntityPlan.Property
        /// Whom the request wants there.
        var wanted: LeafKey?
        /// Whom the store has there before the save.
        var stored: LeafKey?
        /// Whether the store keeps what it has.
        var isLost = false
    }

    /// An end that was written, and whose other end may not be.
    struct Written {
        var object: LeafKey
        var property: EntityPlan.Property
        var former: LeafKey?
    }

    var changes: [PairEnd: Change] = [:]
    var written: [Written] = []
}

extension SaveRun {
    /// Finds out, before anything is written, which changes of one-to-one relationships the policy lets the store win.
    ///
    /// A pair that one end loses, the other loses too, and so does who had either of them before: pairs that hang together are written all
    /// or not at all.
    mutating func judgePairs() throws(StoreError) {
        var lost: [PairEnd] = []
        for group in save.updates.indices { try judge(group, &lost) }
        for group in save.inserts.indices { try judgeInserts(group, &lost) }
        guard !pairs.changes.isEmpty || !lost.isEmpty else { return }
        if storeWins {
            try judgePartners(&lost)
            try judgeDeletes(&lost)
        }
        if !lost.isEmpty { try takeBack(lost) }
        noteLooseEnds()
    }

    private mutating func judge(_ group: Int, _ lost: inout [PairEnd]) throws(StoreError) {
        let request = save.updates[group]
        let plan = try writer.plan(request.entity)
        for column in self.columns.updates[group] {
            let property = try plan.property(column.property)
            guard property.isPair else { continue }
            for (row, key) in request.primaryKeys.enumerated() {
                let stored = try translating { () throws(SQLiteError) in
                    try writer.storedPair(property, of: plan, key)
                }
                let change = PairChanges.Change(
                    object: plan.object(key), property: property,
                    wanted: column.end(at: row), stored: stored?.other)
                let end = PairEnd(object: plan.row(key), property: property.index)
                pairs.changes[end] = change
                let isStale = stored?.version != request.versions[row]
                if objects.isKept(end.object, end.property)
                    || (isStale && isLost(change, request, row, isGone: stored == nil))
                {
                    lost.append(end)
                }
            }
        }
    }

    /// Looks at new objects whose partners do not name them back: stored ones of which the request says nothing, and new ones.
    private mutating func judgeInserts(_ group: Int, _ lost: inout [PairEnd]) throws(StoreError) {
        let plan = try writer.plan(save.inserts[group].entity)
        for column in self.columns.inserts[group] {
            let property = try plan.property(column.property)
            guard property.isPair else { continue }
            for row in save.inserts[group].temporaryIDs.indices {
                guard let wanted = column.end(at: row), let end = partner(wanted, property),
                    pairs.changes[end] == nil
                else { continue }
                let object = plan.object(inserted.firstKeys[group] + Int64(row))
                if let back = insertedEnd(end) {
                    if back == object { continue }
                } else if !inserted.contains(wanted), storeWins, try storedEnd(wanted, property) != nil {
                    lost.append(
                        PairEnd(object: plan.row(object.key), property: property.index))
                    continue
                }
                pairs.written.append(
                    PairChanges.Written(object: object, property: property, former: nil))
            }
        }
    }

    /// Whether the store keeps what it has where somebody else changed it.
    private var storeWins: Bool { mergeRule.decide(.contested) == .stored }

    /// Whether the policy lets the store keep a property of a row that is not as its snapshot was, or is gone.
    private func isLost(
        _ change: PairChanges.Change, _ request: UpdateGroup, _ row: Int, isGone: Bool
    ) -> Bool {
        let old = request.oldColumns.first { $0.property == change.property.index }
        let isUnchanged = !isGone && old.map { $0.end(at: row)?.key == change.stored?.key } ?? false
        return mergeRule.decide(MergeSituation(isUnchanged: isUnchanged), in: .contested) == .stored
    }

    /// Lets the store win where the request says nothing of an object at the other end, which is another's partner.
    private func judgePartners(_ lost: inout [PairEnd]) throws(StoreError) {
        for (end, change) in pairs.changes {
            guard let wanted = change.wanted, let partner = partner(wanted, change.property),
                pairs.changes[partner] == nil, !inserted.contains(wanted),
                !objects.isToBeDeleted(partner.object),
                let other = try storedEnd(wanted, change.property), other.key != change.object.key
            else { continue }
            lost.append(end)
        }
    }

    /// An object whose delete loses against somebody else's change keeps its partners.
    private func judgeDeletes(_ lost: inout [PairEnd]) throws(StoreError) {
        for group in save.deletes {
            let plan = try writer.plan(group.entity)
            let properties = plan.properties.compactMap(\.self).filter(\.isPair)
            if properties.isEmpty { continue }
            for (row, key) in group.primaryKeys.enumerated() {
                guard let version = try writer.storedVersion(plan, key), version != group.versions[row] else {
                    continue
                }
                for property in properties {
                    let stored = try translating { () throws(SQLiteError) in
                        try writer.storedEnd(property, of: plan, key)
                    }
                    if let end = stored.flatMap({ partner($0, property) }) { lost.append(end) }
                }
            }
        }
    }

    /// Takes changes back, and all that hang together with them.
    private mutating func takeBack(_ ends: [PairEnd]) throws(StoreError) {
        var (open, seen) = (ends, Set<PairEnd>())
        while let end = open.popLast() {
            guard seen.insert(end).inserted else { continue }
            guard let change = pairs.changes[end] else {
                try takeBackInsert(end)
                continue
            }
            pairs.changes[end]?.isLost = true
            objects.keep(end.property, of: end.object)
            for other in [change.wanted, change.stored].compactMap(\.self) {
                if let partner = partner(other, change.property) { open.append(partner) }
            }
        }
    }

    /// Whom the request names at the end of a new object; `nil` for nobody, and where the object is not new.
    private func insertedEnd(_ end: PairEnd) -> LeafKey? {
        guard let new = inserted.row(of: end.object) else { return nil }
        return self.columns.inserts[new.group].first { $0.property == end.property }?.end(at: new.row)
    }

    /// A new object that was to be somebody's partner has none.
    private mutating func takeBackInsert(_ end: PairEnd) throws(StoreError) {
        guard let (group, row) = inserted.row(of: end.object),
            let place = self.columns.inserts[group].firstIndex(where: { $0.property == end.property }),
            let named = self.columns.inserts[group][place].end(at: row)
        else { return }
        let plan = try writer.plan(save.inserts[group].entity)
        let object = plan.object(end.object.key)
        self.columns.inserts[group][place].clear(row)
        changes.refresh(object)
        // Another new one may name it.
        if inserted.contains(named) {
            pairs.written.append(
                PairChanges.Written(
                    object: object, property: try plan.property(end.property), former: named))
        }
        guard plan.required.contains(end.property) else { return }
        let name = plan.description.properties[end.property].name
        outcome.fail(
            inserted.reference(to: plan.object(end.object.key)), property: name, .required,
            "'\(plan.name).\(name)' must have a value, but the object that was to be there belongs to another one"
        )
    }

    /// Notes what is written at one end, and not by the request at the other.
    private mutating func noteLooseEnds() {
        for change in pairs.changes.values where !change.isLost {
            let follows = [change.wanted, change.stored].allSatisfy { other in
                guard let other, let partner = partner(other, change.property) else { return true }
                guard let back = pairs.changes[partner], !back.isLost else {
                    return insertedEnd(partner) == change.object
                }
                return (back.wanted?.key == change.object.key) == (other.key == change.wanted?.key)
            }
            if follows { continue }
            pairs.written.append(
                PairChanges.Written(
                    object: change.object, property: change.property, former: change.stored))
        }
    }

    /// The end at which a pair's other object has it; `nil` where that is of an entity that has none.
    private func partner(_ other: LeafKey, _ property: EntityPlan.Property) -> PairEnd? {
        guard let inverse = property.inverse, inverse.owners.contains(other.entity) else { return nil }
        let root = writer.file.schema.model.entities[other.entity].rootIndex
        return PairEnd(object: RowKey(root: root, key: other.key), property: inverse.property)
    }
}

extension Column {
    /// The object that row `row` names.
    fileprivate func end(at row: Int) -> LeafKey? {
        reference(at: row).map { LeafKey(entity: $0.entity, key: $0.key) }
    }

    /// Makes row `row` of a relationship null; in its place, since a column may have as many rows that lose their ends as rows.
    fileprivate mutating func clear(_ row: Int) {
        guard case .references(var keys, var entities) = values else { return }
        values = .integers([])
        (keys[row], entities[row]) = (0, 0)
        values = .references(keys: keys, entities: entities)
        setNull(row)
    }
}
