/// Which records are dead, kept up to date while registers change.
///
/// A register can bring back or take any number of records, so what rested on what changed is un-derived
/// first, as far as it was dead, and then derived again: deaths that hold each other up do not stay.
/// It costs what hangs on a change, not what the replica holds.
struct Liveness {
    private let memory: ReplicaMemory
    private let objects: Objects

    init(_ memory: ReplicaMemory) {
        self.memory = memory
        objects = Objects(memory, .sealed)
    }

    /// What a change made of the objects that registers make.
    struct Judgement {
        /// The records of objects that were made again, or that died or came back.
        let records: Set<RecordID>
        /// The names of the objects that had these records.
        let former: Set<RecordID>
        /// The names of those that have them now.
        let objects: Set<RecordID>
        /// The records that died or came back.
        let turned: Set<RecordID>
    }

    /// Judges again what depends on records whose registers changed.
    func judge(_ touched: Set<RecordID>) -> Judgement {
        var records = touched
        for record in touched { records.formUnion(objects.group(of: record)) }
        let affected = objects.renew(records)
        var former = records.filter { objects.isDead($0) }
        for record in records where objects.object(of: record) == nil { setDead(record, false) }
        let doubtful = retract(affected, removing: &former)
        var died: Set<RecordID> = []
        derive(doubtful, adding: &died)
        let turned = former.symmetricDifference(died)
        let all = turned.union(records)
        let before = Objects(memory, .sealed, at: .former)
        return Judgement(
            records: all, former: Set(all.compactMap { before.object(of: $0) }),
            objects: Set(all.compactMap { objects.object(of: $0) }), turned: turned)
    }

    private func setDead(_ record: RecordID, _ isDead: Bool) {
        if isDead { memory.index.dead[record] = true } else { memory.index.dead.remove(record) }
    }

    /// Whether a link of a record's object is one of a circle.
    func isCircular(_ record: RecordID) -> Bool {
        guard memory.model.hasAcyclicLinks, let id = objects.object(of: record),
            let object = objects.sealed(id)
        else { return false }
        return object.entity.references.contains { property, relationship in
            relationship.isAcyclic && !objects.circle(Link(object: id, property: property)).isEmpty
        }
    }

    /// Takes back every death that may rest on some objects, and tells all objects to judge.
    private func retract(
        _ affected: Set<RecordID>, removing former: inout Set<RecordID>
    ) -> Set<RecordID> {
        var reached = affected
        var waiting = Array(affected)
        while let id = waiting.popLast() {
            let records = Set(objects.records(of: id))
            let gone = records.filter { objects.isDead($0) }
            if gone.isEmpty { continue }
            for record in gone { setDead(record, false) }
            former.formUnion(gone)
            guard gone.count == records.count else { continue }
            for other in objects.neighbours(of: id) where !reached.contains(other) {
                guard objects.records(of: other).contains(where: { objects.isDead($0) }) else { continue }
                reached.insert(other)
                waiting.append(other)
            }
        }
        return reached
    }

    /// The least set that follows, from what is dead already.
    private func derive(_ doubtful: Set<RecordID>, adding died: inout Set<RecordID>) {
        var waiting = Array(doubtful)
        var queued = doubtful
        while let id = waiting.popLast() {
            queued.remove(id)
            guard let object = objects.sealed(id) else { continue }
            let dying = object.records.filter { !objects.isDead($0) && dies($0, of: object) }
            if dying.isEmpty { continue }
            for record in dying { setDead(record, true) }
            died.formUnion(dying)
            guard objects.isGone(id) else { continue }
            for other in objects.neighbours(of: id) where queued.insert(other).inserted {
                waiting.append(other)
            }
        }
    }
}

extension Liveness {
    private func omits(_ rule: OmittedRules) -> Bool { memory.model.omitted.contains(rule) }

    private func dies(_ record: RecordID, of object: SealedObject) -> Bool {
        guard let life = memory.registers.life(of: record) else { return false }
        switch life.value.condition {
        case .buried: return true
        case .alive: return !omits(.lateChildren) && isTaken(object)
        case .dead(let death):
            if wasEdited(object, after: life.stamp) || isDenied(object, by: death) { return false }
            guard let property = death.through, !omits(.rescue) else { return true }
            switch objects.target(of: object, property) {
            case .nobody: return true
            case .unknown: return isTaken(object)
            case .object(let target): return objects.isGone(target) || isTaken(object)
            }
        }
    }

    /// Whether it refers to a deleted record whose deletion cascades along that relationship.
    private func isTaken(_ object: SealedObject) -> Bool {
        object.entity.references.contains { property, relationship in
            guard let inverse = relationship.inverse?.property,
                case .object(let target) = objects.target(of: object, property), objects.isGone(target),
                let other = objects.sealed(target)
            else { return false }
            return other.records.contains { record in
                // A record that was put in too late took along what the model says.
                (memory.registers.life(of: record)?.value.cascaded ?? other.entity.cascading).contains(
                    inverse)
            }
        }
    }

    /// Whether the entity asks for it, and an attribute is later than a death.
    private func wasEdited(_ object: SealedObject, after stamp: Stamp) -> Bool {
        guard object.entity.editsRevive else { return false }
        return object.records.contains { record in
            object.entity.attributes.keys.contains { property in
                memory.registers.cell(property, of: record).map { $0.stamp > stamp } ?? false
            }
        }
    }

    /// Whether another, that is not dead, is held by what a death notes as denying.
    private func isDenied(_ object: SealedObject, by death: Death) -> Bool {
        if omits(.denial) { return false }
        return death.denied.contains { property in
            guard let relationship = object.entity.relationship(property) else { return false }
            return holders(of: object, relationship).contains { $0 != object.id && !objects.isGone($0) }
        }
    }

    /// The objects at a relationship's other end.
    private func holders(of object: SealedObject, _ relationship: MergeRelationship) -> [RecordID] {
        if relationship.isPaired { return objects.partners(of: object, relationship) }
        if relationship.isToMany || relationship.isOneToOne {
            guard let inverse = relationship.inverse else { return [] }
            return Array(objects.namers(of: object, by: inverse.property, of: inverse))
        }
        if case .object(let target) = objects.target(of: object, relationship.name.property) {
            return [target]
        }
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
