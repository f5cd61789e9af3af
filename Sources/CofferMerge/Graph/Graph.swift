internal import CofferModel

/// What applications see of a replica's registers, looked up; what does not follow by a look-up, as which
/// records are dead, is brought up to date by `change(_:)`, which only a replica calls.
///
/// It shows the replica that it was asked of, and is to be let go before that changes.
package struct Graph {
    let memory: ReplicaMemory
    /// When it is seen.
    private let moment: Moment

    init(_ memory: ReplicaMemory, at moment: Moment = .now) { (self.memory, self.moment) = (memory, moment) }

    /// The graph that registers showed when they were seen last, whatever came since.
    var asSeenLast: Graph { Graph(memory, at: .former) }

    private var model: MergeModel { memory.model }
    private var liveness: Liveness { Liveness(memory) }
    private var shown: Objects { Objects(memory, .seen, at: moment) }
    private var sealed: Objects { Objects(memory, .sealed, at: moment) }

    /// The name of the object that a record is seen as.
    package func owner(of record: RecordID) -> RecordID? { shown.object(of: record) }

    /// Whether a record is dead.
    package func isDead(_ record: RecordID) -> Bool { shown.isDead(record) }

    /// The records that are dead, in no order.
    package var dead: some Collection<RecordID> { memory.dead }

    /// What the model forbids and is there.
    package var violations: [Violation] { memory.violations }

    /// How much of that there is.
    package var violationCount: Int { memory.index.violationCount }

    /// Whether the model forbids something that is there.
    package func has(_ violation: Violation) -> Bool {
        memory.index.violations[violation.object]?.contains(violation) ?? false
    }

    /// How many objects are seen.
    package var objectCount: Int { memory.index.objectCount }

    /// The names of all objects, in no order.
    package var names: [RecordID] { memory.records.filter { shown.object(of: $0) == $0 } }

    /// Whether an object of this name is seen.
    package func shows(_ name: RecordID) -> Bool { shown.object(of: name) == name }

    /// Whether an object is seen that is made of several records.
    package func isMerged(_ name: RecordID) -> Bool { shows(name) && shown.records(of: name).count > 1 }

    /// The entity of an object that is seen.
    package func entity(of name: RecordID) -> MergeEntity? { shows(name) ? shown.view.entity(of: name) : nil }

    /// The records that an object that is seen is made of.
    package func records(of name: RecordID) -> Set<RecordID>? {
        shows(name) ? shown.records(of: name).set : nil
    }

    /// An object as it is seen; `nil` if it is not.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - hasMembers: Whether members and orders are to be told; costs as many as there are.
    /// - Returns: The row.
    package func object(_ name: RecordID, withMembers hasMembers: Bool = true) -> SeenObject? {
        row(name, in: shown, withMembers: hasMembers)
    }

    /// The large value of an object's attribute; `nil` if it has none.
    package func largeValue(_ property: String, of name: RecordID) -> LargeValue? {
        guard let object = shown.sealed(name), let attribute = object.entity.attributes[property],
            !isTaken(property, of: name)
        else { return nil }
        return object.value(property, of: attribute).large
    }

    /// All that is seen; it costs what the replica holds.
    package var seen: SeenGraph {
        var seen = SeenGraph()
        for name in names { seen.objects[name] = object(name) }
        seen.dead = Set(dead)
        seen.violations = Set(violations)
        return seen
    }

    /// The records that registers make one with a record.
    func sealed(with record: RecordID) -> Set<RecordID> {
        guard let id = sealed.object(of: record) else { return [] }
        return sealed.records(of: id).set
    }

    /// Whether a record is one of an object that others' keys hide.
    func isHidden(_ record: RecordID) -> Bool {
        guard let id = sealed.object(of: record), !sealed.isGone(id) else { return false }
        return sealed.isHidden(sealed.name(of: id))
    }

    /// Whether a link of the object that registers make of a record is one of a circle, dead ones counted.
    func isCircular(_ record: RecordID) -> Bool { liveness.isCircular(record) }

    /// What names a record by registers alone, seen or not, with the property; that of a pair is the
    /// relationship of the one that has come to the record.
    func holders(of record: RecordID) -> [(record: RecordID, property: String)] {
        guard let object = sealed.find(record).map({ sealed.sealed($0) }) else { return [] }
        var found: [(record: RecordID, property: String)] = []
        for property in object.records.reduce(
            into: Set(), { $0.formUnion(sealed.view.namingProperties(of: $1)) })
        {
            found += sealed.namers(of: object, by: property).map { ($0, property) }
        }
        for relationship in object.entity.pairs.values {
            guard let inverse = relationship.inverse else { continue }
            found += sealed.partners(of: object, relationship).map { ($0, inverse.property) }
        }
        return found
    }

    /// Whether another object's key takes a property of an object.
    func isTaken(_ property: String, of id: RecordID) -> Bool { isTaken(property, of: id, in: shown) }

    /// The objects whose to-one relationship, the other end of `relationship`, is seen to lead to an object.
    package func members(of id: RecordID, in relationship: MergeRelationship) -> [RecordID] {
        shown.sealed(id).map { members(of: $0, in: relationship, objects: shown) } ?? []
    }
}

// MARK: Seeing again

extension Graph {
    /// What seeing again changed.
    struct Change {
        /// What was seen before of each object that came, changed or went.
        var former: [RecordID: SeenObject?] = [:]
        /// Some of these: those of which it is known that attributes alone changed; their members are not
        /// told.
        var lone: Set<RecordID> = []
        /// The keys that others took of these before.
        var taken: [RecordID: Set<Violation>] = [:]
        /// The records that died or came back.
        var turned: Set<RecordID> = []
        /// The records that others' keys hide now and did not before, or the other way round.
        var hiddenTurned: Set<RecordID> = []
    }

    /// Sees again what depends on registers that changed or went, and tells what was seen before.
    func change(_ changed: Set<RegisterKey>) -> Change {
        var (rest, lone): (Set<RegisterKey>, Set<RecordID>) = ([], [])
        for key in changed {
            if case .cell(let record, let property) = key, isLone(property, of: record) {
                lone.insert(record)
            } else {
                rest.insert(key)
            }
        }
        var change = Change()
        if !rest.isEmpty {
            let owners = rest.compactMap { if case .place(let key) = $0 { key.owner } else { nil } }
            change = self.change(records: rest.livingRecords, owners: owners)
        }
        for record in lone { show(record, noting: &change) }
        memory.forgetFormer()
        return change
    }

    /// Sees all for the first time.
    func seeAll() {
        _ = change(records: memory.state.records, owners: [])
        memory.forgetFormer()
    }

    /// Whether nothing but its object's row can depend on a property of a record that is known: an attribute
    /// that is in no key and brings nothing back.
    private func isLone(_ property: String, of record: RecordID) -> Bool {
        let before = RegisterView(memory: memory, moment: .former)
        guard before.entity(of: record) != nil, let id = sealed.object(of: record),
            let entity = sealed.view.entity(of: id), entity.attributes[property] != nil
        else { return false }
        return (!entity.editsRevive || model.omitted.contains(.judgedEdits))
            && (!model.isInKey(property) || model.omitted.contains(.judgedKeys))
    }

    /// Compares the row of an object of which attributes changed, if it is seen, and leaves its members.
    private func show(_ record: RecordID, noting change: inout Change) {
        guard let id = shown.object(of: record), change.former[id] == nil else { return }
        let before = Objects(memory, .seen, at: .former)
        guard let now = row(id, in: shown, withMembers: false),
            let former = row(id, in: before, withMembers: false), now != former
        else { return }
        change.former[id] = .some(former)
        change.taken[id] = takenKeys(of: id, in: before)
        change.lone.insert(id)
    }

    /// What others take of an object's keys.
    private func takenKeys(of id: RecordID, in objects: Objects) -> Set<Violation> {
        Set(
            objects.taken(of: id).map {
                Violation(of: id, $0.properties, $0.isHidden ? .hidden : .keyTaken)
            })
    }

    /// Sees again what depends on records, and on members' places among some owners'.
    private func change(records: Set<RecordID>, owners: [RecordID]) -> Change {
        let judged = liveness.judge(records)
        let names = Uniqueness(memory).renew(judged.former.union(judged.objects), as: judged.objects)
        var stale = renew(names, judged: judged.records)
        stale.formUnion(names)
        stale.formUnion(owners.compactMap { shown.object(of: $0) })
        // What was made again brought its neighbours; else only the objects that it names may show it
        // otherwise.
        for name in names { stale.formUnion(shown.sealed(name).map { shown.targets(of: $0) } ?? []) }
        var change = write(stale)
        change.turned = judged.turned
        let before = Objects(memory, .seen, at: .former)
        let former = names.reduce(into: Set()) { $0.formUnion(before.hiddenRecords(of: $1)) }
        let now = names.reduce(into: Set()) { $0.formUnion(shown.hiddenRecords(of: $1)) }
        change.hiddenTurned = former.symmetricDifference(now)
        return change
    }

    /// Cuts circles again around what uniqueness made different from what was seen before.
    private func renew(_ names: Set<RecordID>, judged: Set<RecordID>) -> Set<RecordID> {
        let before = Objects(memory, .seen, at: .former)
        var records = judged
        for name in names {
            let former = before.object(of: name) == name ? before.records(of: name) : nil
            let made = shown.object(of: name) == name ? shown.records(of: name) : nil
            if let made, made == former, !made.contains(where: judged.contains) { continue }
            for group in [former, made] { if let group { records.formUnion(group) } }
        }
        return shown.renew(records)
    }

    /// Compares rows with what they were, and looks for what the model forbids.
    private func write(_ stale: Set<RecordID>) -> Change {
        var change = Change()
        let before = Objects(memory, .seen, at: .former)
        for id in stale {
            let (isSeen, wasSeen) = (shown.object(of: id) == id, before.object(of: id) == id)
            memory.index.objectCount += (isSeen ? 1 : 0) - (wasSeen ? 1 : 0)
            let former = wasSeen ? row(id, in: before) : nil
            if isSeen != wasSeen || isSeen && row(id, in: shown) != former {
                change.former[id] = .some(former)
                change.taken[id] = takenKeys(of: id, in: before)
            }
            let (found, gone) = (violations(of: id), memory.index.violations[id] ?? [])
            if found == gone { continue }
            memory.index.violations[id] = found.isEmpty ? nil : found
            memory.index.violationCount += found.count - gone.count
        }
        return change
    }

    private func violations(of id: RecordID) -> Set<Violation> {
        var found = takenKeys(of: id, in: shown)
        guard let object = shown.sealed(id) else { return found }
        for (property, relationship) in object.entity.references
        where !relationship.isOptional && target(of: object, property, in: shown) == nil {
            // A target that only has not come yet does not count as missing.
            if let named = object.name(property)?.record, memory.registers.life(of: named) == nil { continue }
            found.insert(Violation(of: id, [property], .missing))
        }
        return found
    }
}
