internal import CofferModel

/// What applications see of a state, kept up to date while it changes.
///
/// A value; it costs what hangs on a change, not what the state holds.
package struct Graph: Sendable {
    /// What is seen.
    package private(set) var seen = SeenGraph()
    private let model: MergeModel
    private var liveness: Liveness
    private var uniqueness: Uniqueness
    /// The objects that are seen, with what they name.
    private var objects: SealedObjects
    /// By object.
    private var violations: [RecordID: Set<Violation>] = [:]
    /// The records of objects that others' keys hide.
    private(set) var hidden: Set<RecordID> = []
    /// The same, by the objects' names.
    private var hiddenObjects: [RecordID: Set<RecordID>] = [:]

    /// The graph of a state without registers.
    package init(_ model: MergeModel) {
        self.model = model
        liveness = Liveness(model)
        uniqueness = Uniqueness(model)
        objects = SealedObjects(model, isPairing: true)
    }

    /// The graph of a state.
    package init(_ model: MergeModel, of state: State) {
        self.init(model)
        _ = change(records: state.records, owners: [], in: state)
    }

    /// Sees anew what hangs on registers that changed or went.
    ///
    /// - Parameters:
    ///   - changed: What joining registers told, of one join or of several.
    ///   - state: The state after it.
    /// - Returns: The names of the objects that came, changed or went: the rows to write.
    @discardableResult
    package mutating func see(_ changed: Set<RegisterKey>, in state: State) -> Set<RecordID> {
        Set(change(changed, in: state).former.keys)
    }

    /// What seeing anew changed.
    struct Change {
        /// What was seen before of each object that came, changed or went.
        var former: [RecordID: SeenObject?] = [:]
        /// Some of these: those of which it is known that attributes alone changed.
        var lone: Set<RecordID> = []
        /// The keys that others took of these before.
        var taken: [RecordID: Set<Violation>] = [:]
        /// The records that died or came back.
        var turned: Set<RecordID> = []
        /// The records that others' keys hide now and did not before, or the other way round.
        var hiddenTurned: Set<RecordID> = []
    }

    /// Sees anew, as `see(_:in:)`, and tells what was seen before.
    mutating func change(_ changed: Set<RegisterKey>, in state: State) -> Change {
        var (rest, lone): (Set<RegisterKey>, [RecordID: [String]]) = ([], [:])
        for key in changed {
            if case .cell(let record, let property) = key, isLone(property, of: record) {
                lone[record, default: []].append(property)
            } else {
                rest.insert(key)
            }
        }
        var change = Change()
        if !rest.isEmpty {
            let owners = rest.compactMap { if case .place(let key) = $0 { key.owner } else { nil } }
            change = self.change(records: rest.livingRecords, owners: owners, in: state)
        }
        for (record, attributes) in lone { show(attributes, of: record, in: state, noting: &change) }
        return change
    }

    /// Whether nothing but its object's row can depend on a property of a record that is known: an attribute
    /// that is in no key and brings nothing back.
    private func isLone(_ property: String, of record: RecordID) -> Bool {
        guard let entity = liveness.sealedObject(of: record)?.entity, entity.attributes[property] != nil
        else { return false }
        return (!entity.editsRevive || model.omitted.contains(.judgedEdits))
            && (!model.isInKey(property) || model.omitted.contains(.judgedKeys))
    }

    /// Updates such attributes in the row of their object, if that is seen, and leaves the rest of the row.
    private mutating func show(
        _ attributes: [String], of record: RecordID, in state: State, noting change: inout Change
    ) {
        guard let object = objects.object[record].flatMap({ objects.all[$0] }),
            let former = seen.objects[object.id]
        else { return }
        var row = former
        for property in attributes where object.entity.attributes[property] != nil {
            row.values[property] = object.value(property, in: state)
            row.largeValues[property] = object.largeValue(property, in: state)
        }
        if row == former { return }
        seen.objects[object.id] = row
        if change.former[object.id] != nil { return }
        change.former[object.id] = .some(former)
        change.taken[object.id] = takenKeys(of: object.id)
        change.lone.insert(object.id)
    }

    /// What others take of an object's keys.
    private func takenKeys(of id: RecordID) -> Set<Violation>? {
        violations[id]?.filter { $0.kind != .missing }
    }

    /// Sees anew what hangs on records, and on members' places among some owners'.
    private mutating func change(
        records: Set<RecordID>, owners: [RecordID], in state: State
    ) -> Change {
        let judged = liveness.judge(records, in: state)
        // Not assigned: two would share one set, and the next change would copy it.
        seen.dead.formSymmetricDifference(judged.turned)
        let living = judged.objects.compactMap { liveness.sealed($0) }.filter { !liveness.isGone($0.id) }
        let names = uniqueness.renew(judged.former.union(judged.objects), living: living, in: state)
        var stale = replace(names, judged: judged.records, in: state)
        stale.formUnion(names)
        stale.formUnion(owners.compactMap { objects.object[$0] })
        // What was made anew brought its neighbours; else only whom it names may show it otherwise.
        for name in names { stale.formUnion(objects.targets(of: name)) }
        var change = write(stale, in: state)
        change.turned = judged.turned
        change.hiddenTurned = hide(names)
        return change
    }

    /// Notes of which records objects are that others' keys hide; tells of which that is new, or was so.
    private mutating func hide(_ names: Set<RecordID>) -> Set<RecordID> {
        var (former, now): (Set<RecordID>, Set<RecordID>) = ([], [])
        for name in names {
            if let records = hiddenObjects.removeValue(forKey: name) { former.formUnion(records) }
            guard isHidden(name), let records = uniqueness.merged[name] else { continue }
            hiddenObjects[name] = records
            now.formUnion(records)
        }
        let turned = former.symmetricDifference(now)
        hidden.formSymmetricDifference(turned)
        return turned
    }

    private func isHidden(_ name: RecordID) -> Bool {
        uniqueness.taken[name]?.contains(where: \.isHidden) ?? false
    }

    /// Puts what uniqueness made in the place of what was seen before.
    private mutating func replace(
        _ names: Set<RecordID>, judged: Set<RecordID>, in state: State
    ) -> Set<RecordID> {
        var groups: [Set<RecordID>] = []
        var records = judged
        for name in names {
            let former = objects.all[name]?.records ?? []
            guard let made = uniqueness.merged[name], !isHidden(name) else {
                records.formUnion(former)
                continue
            }
            if made == former && made.isDisjoint(with: judged) { continue }
            records.formUnion(made.union(former))
            groups.append(made)
        }
        return objects.replace(records, with: groups, in: state)
    }

    private mutating func write(_ stale: Set<RecordID>, in state: State) -> Change {
        var change = Change()
        for id in stale {
            let object = row(id, in: state)
            let former = seen.objects[id]
            if object != former {
                change.former[id] = .some(former)
                change.taken[id] = takenKeys(of: id)
            }
            seen.objects[id] = object
            let found = violations(of: id, in: state)
            let gone = violations[id] ?? []
            if found == gone { continue }
            violations[id] = found.isEmpty ? nil : found
            seen.violations.subtract(gone)
            seen.violations.formUnion(found)
        }
        return change
    }
}

extension Graph {
    /// The name of the object that a record is seen as.
    package func owner(of record: RecordID) -> RecordID? { objects.object[record] }

    /// The records that registers make one with a record.
    func sealed(with record: RecordID) -> Set<RecordID> { liveness.sealedObject(of: record)?.records ?? [] }

    /// Whether a link of the object that registers make of a record is one of a circle, dead ones counted.
    func isCircular(_ record: RecordID) -> Bool { liveness.isCircular(record) }

    /// What names a record by registers alone, seen or not, with the property; that of a pair is the
    /// relationship of the one that has come to the record.
    func holders(of record: RecordID, in state: State) -> [(record: RecordID, property: String)] {
        liveness.holders(of: record, in: state)
    }

    /// The object that a relationship is seen to lead to.
    private func target(_ id: RecordID, _ property: String) -> RecordID? {
        guard case .object(let target) = objects.target(.init(object: id, property: property)) else {
            return nil
        }
        return target
    }

    /// Whether another object's key takes a property of an object.
    func isTaken(_ property: String, of id: RecordID) -> Bool {
        uniqueness.taken[id]?.contains { $0.properties.contains(property) } ?? false
    }

    private func violations(of id: RecordID, in state: State) -> Set<Violation> {
        var found = Set(
            (uniqueness.taken[id] ?? []).map {
                Violation(of: id, $0.properties, $0.isHidden ? .hidden : .keyTaken)
            })
        guard let object = objects.all[id] else { return found }
        for (property, relationship) in object.entity.references
        where !relationship.isOptional && target(id, property) == nil {
            // What only has not come yet is none.
            if let named = object.names[property]?.record, state.lives[named] == nil { continue }
            found.insert(Violation(of: id, [property], .missing))
        }
        return found
    }

    /// The objects whose to-one relationship, the other end of `relationship`, is seen to lead to an object.
    package func members(of id: RecordID, in relationship: MergeRelationship) -> [RecordID] {
        objects.links(to: id).filter { link in
            objects.all[link.object]?.entity.references[link.property]?.name == relationship.inverse
                && !isTaken(link.property, of: link.object)
        }
        .map(\.object)
    }

    /// An object as it is seen.
    private func row(_ id: RecordID, in state: State) -> SeenObject? {
        guard let object = objects.all[id] else { return nil }
        var row = SeenObject(id, entity: object.entity.name, records: object.records)
        for property in object.entity.attributes.keys {
            let isTaken = isTaken(property, of: id)
            row.values[property] = isTaken ? .null : object.value(property, in: state)
            if !isTaken, let large = object.largeValue(property, in: state) {
                row.largeValues[property] = large
            }
        }
        for property in object.entity.references.keys where !isTaken(property, of: id) {
            row.references[property] = target(id, property)
        }
        for (property, relationship) in object.entity.pairs {
            let members = objects.partners(of: id, relationship, in: state)
            if members.isEmpty { continue }
            row.members[property] = Set(members)
            if relationship.isOrdered {
                row.orders[property] = ordered(members, by: relationship, of: object, in: state)
            }
        }
        for (property, relationship) in object.entity.collections where relationship.isOrdered {
            let members = members(of: id, in: relationship)
            if members.isEmpty { continue }
            row.orders[property] = ordered(members, by: relationship, of: object, in: state)
        }
        return row
    }

    /// By place, then id; what has no place comes last.
    private func ordered(
        _ members: [RecordID], by relationship: MergeRelationship, of owner: SealedObject, in state: State
    ) -> [RecordID] {
        let placed = Set(members).map { member -> (place: Place?, id: RecordID) in
            var greatest: Stamped<Place>?
            for record in objects.all[member]?.records ?? [] {
                for owner in owner.records {
                    let key = PlaceKey(relationship.name, owner: owner, member: record)
                    guard let place = state.places[key] else { continue }
                    if greatest.map({ place.isGreater(than: $0) }) ?? true { greatest = place }
                }
            }
            return (greatest?.value, member)
        }
        return placed.sorted { left, right in
            switch (left.place, right.place) {
            case (let one?, let other?) where one != other: one < other
            case (_?, nil): true
            case (nil, _?): false
            default: left.id < right.id
            }
        }
        .map(\.id)
    }
}
