/// Who is dead, kept up to date while a state changes.
///
/// A register can bring back or take any number of records, so what rested on what changed is un-derived
/// first, as far as it was dead, and then derived again: deaths that hold each other up do not stay.
/// A value; it costs what hangs on a change, not what the state holds.
package struct Liveness: Sendable {
    /// The records that are dead.
    package private(set) var dead: Set<RecordID> = []
    private var objects: SealedObjects

    /// The dead of a state without registers.
    package init(_ model: MergeModel) { objects = SealedObjects(model) }

    /// Judges anew what hangs on registers that changed or went.
    ///
    /// - Parameters:
    ///   - changed: What joining registers told, of one join or of several.
    ///   - state: The state after it.
    /// - Returns: The records that died or came back.
    @discardableResult
    package mutating func see(_ changed: Set<RegisterKey>, in state: State) -> Set<RecordID> {
        judge(changed.livingRecords, in: state).turned
    }

    /// What a change made of the objects that registers make.
    struct Judgement {
        /// The records of objects that were made anew, or that died or came back.
        let records: Set<RecordID>
        /// The names of the objects that had these records.
        let former: Set<RecordID>
        /// The names of those that have them now.
        let objects: Set<RecordID>
        /// The records that died or came back.
        let turned: Set<RecordID>
    }

    /// Judges anew what hangs on records whose registers changed.
    mutating func judge(_ touched: Set<RecordID>, in state: State) -> Judgement {
        let (records, names, affected) = objects.renew(touched, in: state)
        var former = dead.intersection(records)
        for record in records where objects.object[record] == nil { dead.remove(record) }
        let doubtful = retract(affected, in: state, removing: &former)
        var died: Set<RecordID> = []
        derive(doubtful, in: state, adding: &died)
        let turned = former.symmetricDifference(died)
        let all = turned.union(records)
        return Judgement(
            records: all,
            former: names.union(turned.subtracting(records).compactMap { objects.object[$0] }),
            objects: Set(all.compactMap { objects.object[$0] }), turned: turned)
    }

    /// An object that registers make.
    func sealed(_ id: RecordID) -> SealedObject? { objects.all[id] }

    /// The object that registers make of a record.
    func sealedObject(of record: RecordID) -> SealedObject? {
        objects.object[record].flatMap { objects.all[$0] }
    }

    /// Whether a link of a record's object is one of a circle.
    func isCircular(_ record: RecordID) -> Bool {
        guard let object = sealedObject(of: record) else { return false }
        return object.entity.references.contains { property, relationship in
            relationship.isAcyclic && !objects.circle(.init(object: object.id, property: property)).isEmpty
        }
    }

    /// What names a record's object, or shares a pair with it, with the property of the other.
    func holders(of record: RecordID, in state: State) -> [(record: RecordID, property: String)] {
        guard let object = sealedObject(of: record) else { return [] }
        var found = objects.links(to: object.id).map { (record: $0.object, property: $0.property) }
        for relationship in object.entity.pairs.values {
            guard let inverse = relationship.inverse else { continue }
            for other in objects.partners(of: object.id, relationship, in: state) {
                found.append((other, inverse.property))
            }
        }
        return found
    }

    /// Whether all its records are dead.
    func isGone(_ id: RecordID) -> Bool { objects.all[id]?.records.isSubset(of: dead) ?? false }

    /// Takes back every death that may rest on some objects, and tells all objects to judge.
    private mutating func retract(
        _ affected: Set<RecordID>, in state: State, removing former: inout Set<RecordID>
    ) -> Set<RecordID> {
        var reached = affected
        var waiting = Array(affected)
        while let id = waiting.popLast() {
            guard let object = objects.all[id] else { continue }
            let gone = object.records.intersection(dead)
            if gone.isEmpty { continue }
            dead.subtract(gone)
            former.formUnion(gone)
            guard gone.count == object.records.count else { continue }
            for other in objects.neighbours(of: id, in: state) where !reached.contains(other) {
                guard let records = objects.all[other]?.records, !records.isDisjoint(with: dead) else {
                    continue
                }
                reached.insert(other)
                waiting.append(other)
            }
        }
        return reached
    }

    /// The least set that follows, from what is dead already.
    private mutating func derive(
        _ doubtful: Set<RecordID>, in state: State, adding died: inout Set<RecordID>
    ) {
        var waiting = Array(doubtful)
        var queued = doubtful
        while let id = waiting.popLast() {
            queued.remove(id)
            guard let records = objects.all[id]?.records else { continue }
            let dying = records.filter { !dead.contains($0) && dies($0, of: id, in: state) }
            if dying.isEmpty { continue }
            dead.formUnion(dying)
            died.formUnion(dying)
            guard isGone(id) else { continue }
            for other in objects.neighbours(of: id, in: state) where queued.insert(other).inserted {
                waiting.append(other)
            }
        }
    }
}

extension Liveness {
    private func omits(_ rule: OmittedRules) -> Bool { objects.model.omitted.contains(rule) }

    private func dies(_ record: RecordID, of id: RecordID, in state: State) -> Bool {
        guard let life = state.lives[record] else { return false }
        switch life.value.condition {
        case .buried: return true
        case .alive: return !omits(.lateChildren) && isTaken(id, in: state)
        case .dead(let death):
            if wasEdited(id, after: life.stamp, in: state) || isDenied(id, by: death, in: state) {
                return false
            }
            guard let property = death.through, !omits(.rescue) else { return true }
            switch objects.target(SealedObjects.Link(object: id, property: property)) {
            case .nobody: return true
            case .unknown: return isTaken(id, in: state)
            case .object(let target): return isGone(target) || isTaken(id, in: state)
            }
        }
    }

    /// Whether it refers to a deleted record whose deletion cascades along that relationship.
    private func isTaken(_ id: RecordID, in state: State) -> Bool {
        guard let object = objects.all[id] else { return false }
        return object.names.keys.contains { property in
            guard
                case .object(let target) = objects.target(SealedObjects.Link(object: id, property: property)),
                isGone(target), let inverse = object.entity.references[property]?.inverse?.property,
                let other = objects.all[target]
            else { return false }
            return other.records.contains { record in
                // Who was put in too late took along what the model says.
                (state.lives[record]?.value.cascaded ?? other.entity.cascading).contains(inverse)
            }
        }
    }

    /// Whether the entity asks for it, and an attribute is later than a death.
    private func wasEdited(_ id: RecordID, after stamp: Stamp, in state: State) -> Bool {
        guard let object = objects.all[id], object.entity.editsRevive else { return false }
        return object.records.contains { record in
            object.entity.attributes.keys.contains { property in
                state.cells[record]?[property].map { $0.stamp > stamp } ?? false
            }
        }
    }

    /// Whether another, that is not dead, is held by what a death notes as denying.
    private func isDenied(_ id: RecordID, by death: Death, in state: State) -> Bool {
        guard !omits(.denial), let entity = objects.all[id]?.entity else { return false }
        return death.denied.contains { property in
            guard let relationship = entity.relationship(property) else { return false }
            return holders(of: id, relationship, in: state).contains { $0 != id && !isGone($0) }
        }
    }

    /// The objects at a relationship's other end.
    private func holders(
        of id: RecordID, _ relationship: MergeRelationship, in state: State
    ) -> [RecordID] {
        if relationship.isPaired { return objects.partners(of: id, relationship, in: state) }
        if relationship.isToMany || relationship.isOneToOne {
            return objects.links(to: id).filter { link in
                objects.all[link.object]?.entity.references[link.property]?.name == relationship.inverse
            }
            .map(\.object)
        }
        let link = SealedObjects.Link(object: id, property: relationship.name.property)
        if case .object(let target) = objects.target(link) { return [target] }
        return []
    }
}

extension Set<RegisterKey> {
    /// The records whose life the registers may decide.
    var livingRecords: Set<RecordID> {
        reduce(into: []) { records, key in
            switch key {
            case .life(let record), .cell(let record, _): records.insert(record)
            case .pair(let pair): records.formUnion([pair.first, pair.second])
            case .same(let same): records.formUnion([same.first, same.second])
            case .place: break
            }
        }
    }
}
