internal import CofferModel

extension Fold {
    /// How often what was added may need more; what it takes is a few, by all that was ever tried.
    private static let rounds = 16

    /// Adds what keeps what the author saw.
    mutating func close() -> FoldedEdit {
        if !omits(.sealing) { for name in edited.sorted() { own(name) } }
        var isKept = false
        for round in 0..<Self.rounds where !isKept {
            look()
            rising = []
            isKept = true
            for name in view.rows.keys.sorted() where !keeps(name) { isKept = false }
            // What was written for others may do for these too, and is not seen yet.
            if unseen.isEmpty { putAway(isPatient: round < Self.rounds / 2) }
        }
        look()
        return FoldedEdit(
            registers: writtenRegisters, changed: ChangedRegisters(keys: written, former: former),
            risen: risen,
            isKept: isKept, hasRoom: hasRoom)
    }

    /// An edited object is one for ever, and lives by itself.
    private mutating func own(_ name: RecordID) {
        guard let row = view.row(name, in: graph) else { return }
        seal(row.records)
        for record in row.records.sorted() where !view.wasDead(record, in: graph) { revive(record) }
    }

    @discardableResult
    private mutating func revive(_ record: RecordID) -> Bool {
        guard let life = registers.life(of: record)?.value, case .dead = life.condition else { return false }
        put(.life(record), over: []) { .life(record, Stamped(Life(life.entity, .alive), $0)) }
        return true
    }

    /// Whether an object is seen as its author saw it; writes what may bring it there.
    private mutating func keeps(_ name: RecordID) -> Bool {
        let isPartial = view.isPartial(name)
        let seen = graph.object(name, withMembers: !isPartial)
        guard let row = view.row(name, in: graph) else {
            return seen.map { keepsAway($0) } ?? true
        }
        if stays(row) { return false }
        guard let seen, seen.records == row.records else {
            if let owner = joinsHidden(row.records) {
                if tellsKeys(of: row) { return false }
                risen.formUnion([name, owner])
                return true
            }
            if meetsBehindHidden(row), tellsKeys(of: row) { return false }
            if isHiddenBehindHidden(row) {
                risen.insert(name)
                return true
            }
            if !omits(.hiddenKeys), !seal(row.records) { writeTakenKeys(of: row.records) }
            if let seen { note(seen.records.subtracting(row.records)) }
            return false
        }
        return keeps(row, seen, withMembers: !isPartial)
    }

    /// Brings back what died of an object that no edit deleted; tells whether anything had died.
    private mutating func stays(_ row: SeenObject) -> Bool {
        if omits(.staying) { return false }
        var hasDied = false
        for record in row.records.sorted()
        where graph.isDead(record) && !view.wasDead(record, in: graph) {
            hasDied = true
            if revive(record) || seal(row.records) { continue }
            // A link that was not seen takes it along.
            for (property, relationship) in model.entities[row.entity]?.references ?? [:] {
                let isTold = row.records.contains { registers.cell(property, of: $0)?.value.record != nil }
                guard isTold, !writesAsSeen(row, relationship) else { continue }
            }
        }
        return hasDied
    }

    /// The name of the object that `records` became one with, if that was hidden for a required key when the
    /// fold began.
    ///
    /// Such a key cannot be written as null: an object that is given it becomes one with the object that had
    /// it, as by an import.
    private func joinsHidden(_ records: Set<RecordID>) -> RecordID? {
        guard let owner = records.first.flatMap({ graph.owner(of: $0) }),
            let others = graph.records(of: owner)?.subtracting(records),
            others.contains(where: { view.wasHidden($0, in: graph) }),
            others.allSatisfy({ view.owner(of: $0, in: graph) == nil && view.deleted[$0] == nil })
        else { return nil }
        return owner
    }

    /// Whether an object became one with another that the author sees, by keys of one that was hidden when
    /// the fold began.
    ///
    /// No store refused these keys. Once both tell theirs, one of them alone can become one with that.
    private func meetsBehindHidden(_ row: SeenObject) -> Bool {
        let others = partners(of: row)
        return others.contains { view.wasHidden($0, in: graph) }
            && others.contains { view.owner(of: $0, in: graph) != nil }
    }

    /// The records that became one with those of an object.
    private func partners(of row: SeenObject) -> Set<RecordID> {
        let owner = row.records.first.flatMap { graph.owner(of: $0) }
        return owner.flatMap { graph.records(of: $0) }?.subtracting(row.records) ?? []
    }

    /// Whether an object that the author sees is hidden for good by one that was hidden when he began.
    ///
    /// No store refused the key that both have, since it showed only one of them. If both became one
    /// object, its keys are those that the author sees. An object of another entity hides it
    /// nevertheless, which is told as a violation.
    private mutating func isHiddenBehindHidden(_ row: SeenObject) -> Bool {
        guard row.records.allSatisfy({ graph.isHidden($0) }), !seal(row.records) else { return false }
        return !tellsKeys(of: row)
    }

    /// Writes the keys that the author sees of an object, and not those that others took; tells whether any
    /// was not written yet.
    ///
    /// Else an object that becomes one with a hidden one could get a key of that, whose stamp may be later,
    /// and hide others by it.
    private mutating func tellsKeys(of row: SeenObject) -> Bool {
        guard let entity = model.entities[row.entity] else { return false }
        var isTold = false
        let (home, hidden) = (
            home(of: row.id), partners(of: row).filter { view.owner(of: $0, in: graph) == nil }
        )
        for property in row.values.keys.sorted() where model.isKey(property, of: entity) {
            if view.wasTaken(property, of: row.id) { continue }
            let mine = registers.cell(property, of: home)
            let isBeaten = hidden.compactMap { registers.cell(property, of: $0) }.contains { other in
                !other.value.isDefaulted
                    && mine.map { $0.value.isDefaulted || other.stamp > $0.stamp } ?? true
            }
            if written.contains(.cell(home, property)), !isBeaten { continue }
            let cells = records(of: row.id).union(hidden).map { RegisterKey.cell($0, property) }
            put(.cell(home, property), over: cells) {
                .cell(home, property, Stamped(Cell(row.content(property)), $0))
            }
            isTold = true
        }
        return isTold
    }

    /// Writes as null the keys that others took when the author began, of all that is seen with some records.
    ///
    /// What takes a key may let it go in the same fold. The key then comes up, and its object would join
    /// what the author gave this key meanwhile. No store refused that, since no store showed the key.
    private mutating func writeTakenKeys(of records: Set<RecordID>) {
        let made = records.compactMap { graph.owner(of: $0) }.compactMap { graph.records(of: $0) }
        let names = made.reduce(into: Set<RecordID>()) { names, records in
            names.formUnion(records.compactMap { view.owner(of: $0, in: graph) })
        }
        for name in names.sorted() {
            guard let row = view.row(name, in: graph), let entity = model.entities[row.entity] else {
                continue
            }
            for property in view.takenProperties(of: name).sorted() {
                if let relationship = entity.references[property] {
                    if row.references[property] == nil { _ = writesAsSeen(row, relationship) }
                } else if row.values[property] != nil, row.content(property) == .null {
                    write(Cell(.null), at: name, property)
                }
            }
        }
    }

    /// Writes a reference as the author sees it, if it leads to no object or to something deleted.
    private mutating func writesAsSeen(_ row: SeenObject, _ relationship: MergeRelationship) -> Bool {
        let property = relationship.name.property
        if omits(.hiddenLinks), relationship.isAcyclic, row.references[property] == nil { return false }
        link(row.id, relationship, to: row.references[property])
        return true
    }

    private mutating func link(_ name: RecordID, _ relationship: MergeRelationship, to target: RecordID?) {
        var group = Links.Group(relationships: [])
        let property = relationship.name.property
        group.cells = [(name, property, Cell(target.map { .record($0) } ?? .null))]
        if let target, relationship.isOneToOne, let inverse = relationship.inverse, target != name {
            group.cells.append((target, inverse.property, Cell(.record(name))))
        }
        write(group)
    }
}

extension Fold {
    /// Whether an object that the author does not see is where it should be; else it is put away.
    private mutating func keepsAway(_ seen: SeenObject) -> Bool {
        if view.wasHidden(seen.id, in: graph) {
            risen.insert(seen.id)
            return true
        }
        if note(seen.records) { return false }
        // If its records are parts of other objects, these see to it.
        return seen.records.allSatisfy { view.owner(of: $0, in: graph) != nil }
    }

    /// Notes what of some records lives and should not; tells whether any does.
    @discardableResult
    private mutating func note(_ records: Set<RecordID>) -> Bool {
        let kept = records.filter { record in
            !graph.isDead(record)
                && (view.deleted[record] != nil || view.wasDead(record, in: graph))
        }
        rising.formUnion(kept)
        return !kept.isEmpty
    }

    /// Puts away what rises: through what holds it if that may be written, else by a death of its own.
    private mutating func putAway(isPatient: Bool) {
        var isLet = false
        if !omits(.hiddenReferences) { for record in rising.sorted() where lets(record) { isLet = true } }
        if isLet && isPatient { return }
        for record in rising.sorted() {
            guard let life = registers.life(of: record)?.value, let entity = model.entities[life.entity]
            else {
                continue
            }
            let byHand = Death(cascaded: entity.cascading, denied: entity.denying)
            // What is deleted together denies nothing of each other.
            let isVain = life.condition == .dead(byHand)
            bury([record], isVain ? Death(cascaded: entity.cascading) : byHand)
        }
    }

    /// Releases a record from the holders that are not seen to hold it; tells whether anything was written.
    private mutating func lets(_ record: RecordID) -> Bool {
        var hasWritten = false
        let holders = graph.holders(of: record).sorted { ($0.record, $0.property) < ($1.record, $1.property) }
        for holder in holders {
            guard let owner = view.owner(of: holder.record, in: graph), let row = view.row(owner, in: graph)
            else { continue }
            if seal(row.records) {
                hasWritten = true
            } else if let relationship = model.entities[row.entity]?.references[holder.property] {
                if writesAsSeen(row, relationship) { hasWritten = true }
            } else if let relationship = model.entities[row.entity]?.pairs[holder.property] {
                write(relationship, of: owner, with: record, isIn: false)
                hasWritten = true
            }
        }
        return hasWritten
    }

    /// Whether two rows of one object are alike; if they are not, writes what the author sees.
    private mutating func keeps(
        _ row: SeenObject, _ seen: SeenObject, withMembers hasMembers: Bool
    ) -> Bool {
        guard row != seen, let entity = model.entities[row.entity] else { return true }
        var isAlike = true
        func isFree(_ property: String) -> Bool {
            view.wasTaken(property, of: row.id) || graph.isTaken(property, of: row.id)
        }
        for property in row.values.keys where seen.content(property) != row.content(property) {
            if isFree(property) {
                risen.insert(row.id)
                continue
            }
            isAlike = false
            if !seal(row.records) {
                write(Cell(row.content(property)), at: row.id, property)
            }
        }
        for (property, relationship) in entity.references {
            let (wanted, target) = (row.references[property], seen.references[property])
            if target == wanted { continue }
            if isFree(property) || target.map(rises) ?? false || wanted.map(staysHidden) ?? false {
                risen.insert(row.id)
                continue
            }
            isAlike = false
            // What it leads to is a part of what is seen there, and sees to that.
            if let wanted, let target, graph.owner(of: wanted) == target { continue }
            if !seal(row.records) { _ = writesAsSeen(row, relationship) }
        }
        if !hasMembers { return isAlike }
        for (property, relationship) in entity.pairs {
            let (wanted, there) = (row.members[property] ?? [], seen.members[property] ?? [])
            for member in wanted.symmetricDifference(there).sorted() {
                if rises(member) || staysHidden(member) {
                    risen.insert(row.id)
                    continue
                }
                isAlike = false
                let isIn = wanted.contains(member)
                // A part of a member that is to be there comes to be one with it.
                if !isIn, let whole = view.owner(of: member, in: graph), wanted.contains(whole) { continue }
                // Written once, it would be in the way of putting away what says otherwise.
                keep(relationship, of: row.id, with: member, isIn: isIn)
            }
        }
        return keepsOrders(row, seen) && isAlike
    }

    /// Whether an object was hidden when the author began, or has become one with one that was: what leads to
    /// that leads to it.
    private func rises(_ name: RecordID) -> Bool {
        if view.wasHidden(name, in: graph) { return true }
        return view.row(name, in: graph).flatMap { joinsHidden($0.records) } != nil
    }

    /// Whether an object that the author sees is hidden for good: what is to lead to it leads nowhere.
    private func staysHidden(_ name: RecordID) -> Bool {
        risen.contains(name) && records(of: name).allSatisfy { graph.isHidden($0) }
    }

    /// Whether members stand in the author's order, whatever comes between them.
    private mutating func keepsOrders(_ row: SeenObject, _ seen: SeenObject) -> Bool {
        var isAlike = true
        for property in Set(row.orders.keys).union(seen.orders.keys) {
            let (wanted, there) = (row.orders[property] ?? [], seen.orders[property] ?? [])
            let left = Set(there)
            let expected = wanted.filter(left.contains)
            let known = Set(wanted)
            // A member that comes up, or stays hidden, has a place that the row does not show.
            if left.symmetricDifference(known).contains(where: { rises($0) || staysHidden($0) }) {
                risen.insert(row.id)
            }
            if expected == there.filter(known.contains) { continue }
            isAlike = false
            place(expected + there.filter { !known.contains($0) }, in: property, of: row.id)
        }
        return isAlike
    }
}
