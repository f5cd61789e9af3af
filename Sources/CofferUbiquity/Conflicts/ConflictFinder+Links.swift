internal import CofferMerge

/// What became one, and what a rule shows otherwise.
extension ConflictFinder {
    /// Objects that became one: what one of them had and the one does not show.
    mutating func findMerges(in replica: Replica, _ joined: JoinedRegisters) {
        for name in joined.former.keys.sorted() {
            guard replica.graph.isMerged(name), let now = replica.graph.object(name, withMembers: false)
            else {
                continue
            }
            // What one of them was before, seen here: else others made it, and it is told there.
            let parts = now.records.compactMap { joined.former[$0].flatMap(\.self) }
            if parts.isEmpty || parts.contains(where: { $0.records == now.records }) { continue }
            for record in now.records.sorted() { noteMerge(of: record, in: now, replica) }
        }
    }

    private mutating func noteMerge(of record: RecordID, in now: SeenObject, _ replica: Replica) {
        let registers = replica.registers
        guard let birth = registers.life(of: record)?.stamp else { return }
        var (lost, kept): ([Register], [Register]) = ([], [])
        for (property, cell) in registers.cells(of: record).sorted(by: { $0.key < $1.key })
        where !cell.value.isDefaulted && cell.value.content != .null && !isDerived(property, of: now.entity) {
            let others = now.records.compactMap { other in
                registers.cell(property, of: other).map { (other, $0) }
            }
            guard let greatest = others.max(by: { $1.1.isGreater(than: $0.1) }), greatest.0 != record,
                !shows(cell.value.content, as: property, of: now, in: replica),
                !knowledge.hasSeen(birth, by: greatest.1.stamp)
            else { continue }
            lost.append(.cell(record, property, cell))
            kept.append(.cell(greatest.0, property, greatest.1))
        }
        if lost.isEmpty { return }
        add(SyncConflict(.merge, of: now.id, now.entity, lost: lost, kept: kept))
    }

    private func shows(
        _ content: Cell.Content, as property: String, of object: SeenObject, in replica: Replica
    ) -> Bool {
        if case .record(let target) = content {
            return object.references[property] == replica.graph.owner(of: target)
        }
        return object.content(property) == content
    }

    /// Links that registers say and that a rule shows as null, while both ends are there.
    mutating func findMoves(in replica: Replica, _ joined: JoinedRegisters) {
        var links: Set<RegisterKey> = []
        for register in arrived {
            if case .cell(_, _, let cell) = register, cell.value.record != nil,
                joined.changed.keys.contains(register.key), !knowledge.isOld(cell.stamp)
            {
                links.insert(register.key)
            }
        }
        for case (_, let object?) in joined.former {
            for property in object.references.keys {
                for record in object.records { links.insert(.cell(record, property)) }
            }
        }
        for case .cell(let record, let property) in links {
            noteMove(of: record, property, in: replica, joined)
        }
    }

    private mutating func noteMove(
        of record: RecordID, _ property: String, in replica: Replica, _ joined: JoinedRegisters
    ) {
        guard let cell = replica.registers.cell(property, of: record), let target = cell.value.record,
            let name = replica.graph.owner(of: record),
            let object = replica.graph.object(name, withMembers: false),
            object.references[property] == nil, replica.graph.owner(of: target) != nil,
            !found.contains(where: { $0.object == name && $0.property == property })
        else { return }
        let cause = arrived.filter { register in
            guard case .cell(_, _, let other) = register, other.value.record != nil else { return false }
            return other.stamp != cell.stamp && joined.changed.keys.contains(register.key)
        }
        add(
            SyncConflict(
                .move, of: name, object.entity, property: property,
                lost: [.cell(record, property, cell)],
                kept: cause.max { $0.stamp.microseconds < $1.stamp.microseconds }.map { [$0] }
                    ?? []))
    }
}
