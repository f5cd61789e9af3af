internal import CofferMerge

/// Finds what a join overruled: looks at the state before it, and at what is seen after it.
///
/// Each machine finds its own, from both sides: what was written here and yields to what came, and what came
/// and yields to what was written here. What was known before is never found again.
struct ConflictFinder {
    /// All that came.
    private let brought: [Register]
    /// Of it, all but values that are here.
    let arrived: [Register]
    /// What each machine computes, by the names of entities.
    private let derived: [String: Set<String>]
    /// The registers that were there under the keys of what came.
    private var present: [RegisterKey: Register] = [:]
    /// Of the records of what came, those that were dead.
    private var dead: Set<RecordID> = []
    /// What records held that are forgotten with what came, and what came of those that are.
    private var forgotten: [RecordID: PropertyMap<Stamped<Cell>>] = [:]
    var knowledge: AuthorKnowledge
    private(set) var found: [SyncConflict] = []

    /// Looks at what is there before registers are joined; `nil` if nothing can be overruled.
    init?(
        _ brought: [Register], before replica: Replica, derived: [String: Set<String>],
        knowledge: AuthorKnowledge
    ) {
        if brought.isEmpty || replica.registers.isEmpty { return nil }
        // Each baseline brings again values that are here.
        arrived = brought.filter { register in
            guard case .cell(let record, let property, let cell) = register else { return true }
            return replica.registers.cell(property, of: record) != cell
        }
        (self.brought, self.derived, self.knowledge) = (brought, derived, knowledge)
        for register in arrived {
            switch register {
            case .cell(let record, let property, let cell):
                let old = replica.registers.cell(property, of: record)
                if let old { present[register.key] = .cell(record, property, old) }
                if old?.stamp == cell.stamp { continue }
                if replica.graph.isDead(record) { dead.insert(record) }
            case .life(let record, let life):
                let old = replica.registers.life(of: record)
                if let old { present[register.key] = .life(record, old) }
                if old?.stamp == life.stamp { continue }
                if replica.graph.isDead(record) { dead.insert(record) }
            case .pair, .place, .same: break
            }
        }
        noteForgotten(in: replica.registers)
    }

    /// Keeps what registers drop, or do not take, of records that are buried.
    private mutating func noteForgotten(in registers: RegisterView) {
        for case .life(let record, let life) in arrived
        where life.value.isBuried && !registers.isBuried(record) {
            forgotten[record] = registers.cells(of: record)
        }
        for case .cell(let record, let property, let cell) in arrived {
            guard var cells = forgotten[record] ?? (registers.isBuried(record) ? [:] : nil) else { continue }
            if cells[property].map(cell.isGreater) ?? true { cells[property] = cell }
            forgotten[record] = cells
        }
    }

    /// What was overruled, now that all is joined.
    consuming func conflicts(after replica: Replica, _ joined: JoinedRegisters) -> [SyncConflict] {
        findOverruledValues(in: replica)
        findOverruledEdits(in: replica, joined)
        findOverruledDeletions(in: replica, joined)
        findMerges(in: replica, joined)
        findMoves(in: replica, joined)
        return found
    }

    /// Notes one; of more than the journal has room for nothing would stay.
    mutating func add(_ conflict: SyncConflict) {
        if found.count < Limits.conflicts { found.append(conflict) }
    }

    func isDerived(_ property: String, of entity: String) -> Bool {
        derived[entity]?.contains(property) ?? false
    }
}

extension Life {
    /// Whether it was deleted recently enough for its values to be known.
    fileprivate var isDeletion: Bool { if case .dead = condition { true } else { false } }
}

// MARK: Values

extension ConflictFinder {
    private mutating func findOverruledValues(in replica: Replica) {
        for register in arrived {
            guard case .cell(let record, let property, let new) = register,
                case .cell(_, _, let old)? = present[register.key], new.value.content != old.value.content
            else { continue }
            let isOverruling = new.isGreater(than: old)
            let (lost, kept) = isOverruling ? (old, new) : (new, old)
            // It was not chosen, or it was known, and so was told before.
            if lost.value.isDefaulted || !isOverruling && knowledge.isOld(lost.stamp) { continue }
            guard let name = replica.graph.owner(of: record),
                let object = replica.graph.object(name, withMembers: false),
                !isDerived(property, of: object.entity), !knowledge.hasSeen(lost.stamp, by: kept.stamp)
            else { continue }
            add(
                SyncConflict(
                    .value, of: name, object.entity, property: property,
                    lost: [.cell(record, property, lost)], kept: [.cell(record, property, kept)]))
        }
    }
}

// MARK: Deletions that met edits

extension ConflictFinder {
    /// Objects that went, or were gone already, whose edits the deleter had not seen.
    private mutating func findOverruledEdits(in replica: Replica, _ joined: JoinedRegisters) {
        var gone: [RecordID: Set<RecordID>] = [:]
        for case (let name, let object?) in joined.former
        where object.records.allSatisfy({ replica.graph.isDead($0) }) {
            gone[name] = object.records
        }
        for register in arrived {
            guard case .cell(let record, _, let cell) = register, dead.contains(record),
                replica.graph.isDead(record), !knowledge.isOld(cell.stamp),
                present[register.key] != register
            else { continue }
            gone[record] = gone[record] ?? [record]
        }
        for (name, records) in gone.sorted(by: { $0.key < $1.key }) {
            findOverruledEdits(of: name, records, in: replica)
        }
    }

    private mutating func findOverruledEdits(
        of name: RecordID, _ records: Set<RecordID>, in replica: Replica
    ) {
        let registers = replica.registers
        guard let death = self.death(of: records, in: registers),
            let entity = records.compactMap({ registers.life(of: $0)?.value.entity }).first
        else { return }
        var cells: [String: (record: RecordID, cell: Stamped<Cell>)] = [:]
        for record in records {
            let known = registers.cells(of: record)
            for (property, cell) in known.isEmpty ? forgotten[record] ?? [:] : known
            where !isDerived(property, of: entity)
                && cells[property].map({ cell.isGreater(than: $0.cell) }) ?? true
            {
                cells[property] = (record, cell)
            }
        }
        let isUnseen = cells.values.contains { entry in
            !entry.cell.value.isDefaulted && !knowledge.hasSeen(entry.cell.stamp, by: death.stamp)
        }
        // What was known before it came was told before.
        let isNew =
            !knowledge.isOld(death.stamp) || cells.values.contains { !knowledge.isOld($0.cell.stamp) }
        guard isUnseen, isNew else { return }
        add(
            SyncConflict(
                .edit, of: name, entity,
                lost: cells.sorted { $0.key < $1.key }.map { .cell($1.record, $0, $1.cell) },
                kept: [.life(death.record, death.life)]))
    }

    /// A death, and of which record it is.
    private struct Death {
        let record: RecordID
        let life: Stamped<Life>
        var stamp: Stamp { life.stamp }
    }

    /// The death that records went by: their own, or that of a record that they named, when it cascaded.
    private func death(of records: Set<RecordID>, in registers: RegisterView) -> Death? {
        var (wave, seen) = (records, records)
        while !wave.isEmpty {
            let deaths = wave.compactMap { record -> Death? in
                guard let life = registers.life(of: record), life.value.cascaded != nil else { return nil }
                return Death(record: record, life: life)
            }
            if let last = deaths.max(by: { $0.stamp < $1.stamp }) { return last }
            let named = wave.flatMap { record in
                registers.cells(of: record).values.compactMap(\.value.record)
            }
            wave = Set(named).subtracting(seen)
            seen.formUnion(wave)
            if seen.count > Limits.conflictReach { return nil }
        }
        return nil
    }

    /// Deletions that came, or that were here, of objects that live on.
    private mutating func findOverruledDeletions(in replica: Replica, _ joined: JoinedRegisters) {
        for register in arrived {
            guard case .life(let record, let new) = register, present[register.key] != register,
                let name = replica.graph.owner(of: record),
                let object = replica.graph.object(name, withMembers: false)
            else { continue }
            let old: Stamped<Life>? =
                if case .life(_, let life)? = present[register.key] { life } else { nil }
            if new.value.isDeletion, !knowledge.isOld(new.stamp) {
                // It came, and something keeps the object.
                let keeper = old.flatMap { !$0.value.isDeletion && $0.isGreater(than: new) ? $0 : nil }
                note(new, of: record, as: name, object, keptBy: keeper)
            } else if let old, old.value.isDeletion, !new.value.isDeletion, new.isGreater(than: old) {
                note(old, of: record, as: name, object, keptBy: new)
            }
        }
        let came = joined.former.filter { $0.value == nil }.keys
        findRevivals(
            of: dead.union(came.flatMap { replica.graph.records(of: $0) ?? [] }), in: replica)
    }

    /// Objects that were dead here and live on since an edit came.
    private mutating func findRevivals(of records: Set<RecordID>, in replica: Replica) {
        for record in records.sorted() {
            guard let name = replica.graph.owner(of: record),
                let object = replica.graph.object(name, withMembers: false),
                let life = replica.registers.life(of: record), life.value.isDeletion,
                !arrived.contains(where: { $0.key == .life(record) })
            else { continue }
            note(life, of: record, as: name, object, keptBy: nil)
        }
    }

    private mutating func note(
        _ death: Stamped<Life>, of record: RecordID, as name: RecordID, _ object: SeenObject,
        keptBy life: Stamped<Life>?
    ) {
        // An author that brings back what it knew to be deleted overrules nothing.
        if let life, knowledge.hasSeen(death.stamp, by: life.stamp) { return }
        let kept =
            life.map { [Register.life(record, $0)] }
            ?? brought.filter { register in
                if case .cell(record, _, _) = register { true } else { false }
            }
        add(
            SyncConflict(
                .deletion, of: name, object.entity, lost: [.life(record, death)], kept: kept))
    }
}
