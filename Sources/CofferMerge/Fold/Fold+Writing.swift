internal import CofferModel

extension Fold {
    /// Writes a register with a stamp above that of what it overwrites: its own and those of `over`.
    mutating func put(_ key: RegisterKey, over: [RegisterKey] = [], _ register: (Stamp) -> Register) {
        let stamp = stamp(over: [key] + over)
        put(register(stamp))
    }

    private mutating func put(_ register: Register) {
        let changed = replica.put([register])
        for (key, register) in changed.former where !written.contains(key) { former[key] = register }
        written.formUnion(changed.keys)
        unseen.formUnion(changed.keys)
    }

    /// The time of the save, or one more than the greatest of what is overwritten.
    ///
    /// There may be none: then what was written before would win for ever, and the fold is not to be taken.
    private mutating func stamp(over keys: [RegisterKey]) -> Stamp {
        var microseconds = time
        if !omits(.risingStamps) {
            for key in keys {
                if let old = registers.register(of: key)?.stamp {
                    microseconds = max(microseconds, old.microseconds + 1)
                }
            }
        }
        if microseconds > Limits.lastMicrosecond {
            microseconds = Limits.lastMicrosecond
            hasRoom = false
        }
        return Stamp(microseconds, peer: author.peer, fold: author.number)
    }

    /// Writes a cell over those of all that the object is made of.
    mutating func write(_ cell: Cell, at name: RecordID, _ property: String) {
        let home = home(of: name)
        put(.cell(home, property), over: cells(of: name, property)) {
            .cell(home, property, Stamped(cell, $0))
        }
    }

    /// The record of an object that is written: the one that names it, unless what it holds is forgotten.
    func home(of name: RecordID) -> RecordID {
        if !registers.isBuried(name) { return name }
        return records(of: name).filter { !registers.isBuried($0) }.min() ?? name
    }

    private func cells(of name: RecordID, _ property: String) -> [RegisterKey] {
        records(of: name).map { .cell($0, property) }
    }

    /// Writes the cells of one one-to-one link with one stamp, so that no half of it can win alone.
    mutating func write(_ link: Links.Group) {
        let stamp = stamp(over: link.cells.flatMap { cells(of: $0.name, $0.property) })
        for (name, property, cell) in link.cells {
            put(.cell(home(of: name), property, Stamped(cell, stamp)))
        }
    }

    /// Writes a pair of two objects, and each of their records that has a register.
    mutating func write(
        _ relationship: MergeRelationship, of name: RecordID, with other: RecordID, isIn: Bool
    ) {
        write(pairs(relationship, of: name, with: other), isIn: isIn)
    }

    private func pairs(
        _ relationship: MergeRelationship, of name: RecordID, with other: RecordID
    ) -> Set<PairKey> {
        var keys: Set<PairKey> = []
        for record in records(of: name) {
            for second in records(of: other) where name != other || record == second {
                let key = relationship.pair(record, second)
                if registers.pair(key) != nil { keys.insert(key) }
            }
        }
        keys.insert(relationship.pair(home(of: name), home(of: other)))
        return keys
    }

    /// Writes as much of a pair as says otherwise; what others than its objects' records say of it is left.
    mutating func keep(
        _ relationship: MergeRelationship, of name: RecordID, with other: RecordID, isIn: Bool
    ) {
        write(
            pairs(relationship, of: name, with: other).filter {
                (registers.pair($0)?.value ?? false) != isIn
            },
            isIn: isIn)
    }

    private mutating func write(_ keys: Set<PairKey>, isIn: Bool) {
        let stamp = stamp(over: keys.map(RegisterKey.pair))
        for key in keys { put(.pair(key, Stamped(isIn, stamp))) }
    }

    /// Says that records are one for ever; tells whether that was not said before.
    @discardableResult
    mutating func seal(_ records: Set<RecordID>) -> Bool {
        guard let first = records.min(), records.count > 1,
            !graph.sealed(with: first).isSuperset(of: records)
        else { return false }
        var isNew = false
        for record in records.sorted().dropFirst() where !registers.sames(of: first).contains(record) {
            let key = SameKey(first, record)
            put(.same(key)) { .same(key, $0) }
            isNew = true
        }
        return isNew
    }

    /// Everything written, as it stands now.
    var writtenRegisters: [Register] { written.compactMap { registers.register(of: $0) } }
}

/// The cells of one-to-one relationships that one save wrote, those of one link together.
struct Links {
    /// Cells that get one stamp.
    struct Group {
        var cells: [(name: RecordID, property: String, cell: Cell)] = []
        /// The objects at either end, now or before.
        var objects: Set<RecordID> = []
        let relationships: Set<RelationshipName>
    }

    private(set) var groups: [Group] = []
    private var joined: [RecordID: Set<String>] = [:]

    init(_ edit: LocalEdit, in fold: Fold) {
        var entities: [RecordID: String] = [:]
        for change in edit.changes {
            switch change {
            case .insert(let name, let entity): entities[name] = entity
            case .set(let name, let property, let cell):
                let entity = entities[name].flatMap { fold.model.entities[$0] } ?? fold.entity(of: name)
                guard let relationship = entity?.references[property], relationship.isOneToOne else {
                    continue
                }
                var group = Group(relationships: [
                    relationship.name, relationship.inverse ?? relationship.name,
                ])
                group.cells = [(name, property, cell)]
                group.objects = [name]
                let former = fold.view.row(name, in: fold.graph)?.references[property]
                group.objects.formUnion([cell.record, former].compactMap(\.self))
                add(group)
                joined[name, default: []].insert(property)
            default: continue
            }
        }
    }

    /// Whether a cell is one of a link's.
    func joins(_ name: RecordID, _ property: String) -> Bool { joined[name]?.contains(property) ?? false }

    private mutating func add(_ new: Group) {
        var new = new
        groups.removeAll { old in
            guard old.relationships == new.relationships, !old.objects.isDisjoint(with: new.objects) else {
                return false
            }
            // What was set twice in one save counts as it was set last.
            new.cells =
                old.cells.filter { cell in
                    !new.cells.contains { $0.name == cell.name && $0.property == cell.property }
                } + new.cells
            new.objects.formUnion(old.objects)
            return true
        }
        groups.append(new)
    }
}
