internal import CofferContainer
internal import CofferMerge
internal import CofferUbiquity

extension StoreSimulation {
    /// Compares rows and registers of a file.
    ///
    /// - Parameters:
    ///   - peer: Whose they are.
    ///   - isFolded: Whether nothing was saved since the last fold.
    /// - Throws: `Divergence` if they differ.
    func checkRows(of peer: Int, isFolded: Bool) throws {
        let stored = peers[peer]
        let replica = stored.replica
        if let fault = replica.fault(without: nil) { throw Divergence(fault, peer: peer) }
        if stored.reading.digest != StateDigest(stored.reading.registers) {
            throw Divergence(.broken("the digest is not that of the registers"), peer: peer)
        }
        if isFolded {
            let shown = stored.shown(replica.graph.seen.objects)
            if let difference = Rows(objects: shown).difference(from: stored.reading.rows) {
                throw Divergence(
                    .broken("rows are not what the registers show: \(difference)"), peer: peer)
            }
        } else if let difference = try stored.differences().first {
            throw Divergence(.broken("after a crash: \(difference)"), peer: peer)
        }
    }

    /// Compares a file before and after a fold, which changes no row but for keys that came free, and what it
    /// wrote with what was saved.
    ///
    /// - Parameters:
    ///   - before: The file when the fold began.
    ///   - isFolded: Whether the fold is in the file.
    ///   - peer: Whose it is.
    /// - Throws: `Divergence` if anything else changed.
    func checkFold(from before: ReplicaReading, isFolded: Bool, at peer: Int) throws {
        let (stored, after) = (peers[peer], peers[peer].reading)
        var former = Replica(stored.model)
        former.join(before.registers)
        let names = Dictionary(
            after.addresses.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
        let present = { (name: RecordID) in before.addresses[name].flatMap { names[$0] } ?? name }
        let rows = before.rows.values.map { $0.renaming(present) }
        var mayRise = Set(former.graph.violations.map { present($0.object) })
        // An object that is given the key of a hidden object becomes one with it.
        for object in stored.replica.graph.seen.objects.values
        where !object.records.isDisjoint(with: mayRise) {
            mayRise.insert(object.id)
        }
        // An object that is given the key of a hidden object of another entity loses that key, which is
        // told.
        if former.graph.violations.contains(where: { $0.kind == .hidden }) {
            let hidden = stored.replica.graph.violations.map(\.object)
            mayRise.formUnion(hidden)
            // An object that came in this fold has its name only now, and no row tells it any more.
            let gone = rows.map(\.id).filter { former.state.lives[$0] == nil && after.rows[$0] == nil }
            if gone.count <= hidden.count(where: { former.state.lives[$0] == nil }) {
                mayRise.formUnion(gone)
            }
        }
        for row in rows where !mayRise.contains(row.id) {
            guard let now = after.rows[row.id] else {
                throw Divergence(.vanished(row.id), peer: peer)
            }
            if !row.isAlike(now) { throw Divergence(.changed(row, now), peer: peer) }
        }
        for name in Set(after.rows.keys).subtracting(rows.map(\.id)) where !mayRise.contains(name) {
            throw Divergence(.risen(name), peer: peer)
        }
        guard isFolded else {
            if Set(before.registers) == Set(after.registers) { return }
            throw Divergence(.broken("registers changed without a fold"), peer: peer)
        }
        if stored.open.isEmpty { throw Divergence(.broken("what was read was folded again"), peer: peer) }
        var state = State(before.registers)
        let written = after.registers.filter { !state.join($0).isEmpty }
        let edits = stored.open.map { edit in
            let changes = edit.changes.map { $0.renaming(present) }
            return LocalEdit(at: edit.time, changes.filter { former.differs($0, from: after.rows) })
        }
        let sentence =
            stored.replica.unkept(
                edits, written, risen: mayRise, formerlyDead: former.graph.seen.dead)
            ?? former.placed(in: edits).broken(by: written)
        if let sentence { throw Divergence(.broken(sentence), peer: peer) }
    }

    /// Looks whether what was saved while others' changes came is seen, or was overruled by something later.
    func checkKept(
        _ changes: [LocalEdit.Change], from before: ReplicaReading, at peer: Int
    ) throws {
        let (stored, after) = (peers[peer], peers[peer].reading)
        let replica = stored.replica
        var former = Replica(stored.model)
        former.join(before.registers)
        for case .set(let name, let property, let cell) in changes {
            let row = after.rows.keys.first { after.addresses[$0] == before.addresses[name] }
            guard let row, let object = after.rows[row] else { continue }
            if object.content(property) == cell.content { continue }
            // It became one with another, whose row that is since they parted, or it was deleted.
            let owner = replica.graph.owner(of: name).flatMap { after.rows[$0] }
            if owner?.content(property) == cell.content || replica.graph.isDead(name) { continue }
            let records = replica.graph.object(row)?.records ?? []
            let latest = records.compactMap { replica.state.cells[$0]?[property]?.stamp.microseconds }.max()
            if latest ?? 0 >= stored.clock.now.microseconds { continue }
            // It was written to a record of the object that others deleted so long ago that they forgot it.
            if records.contains(where: { replica.state.isBuried($0) && !former.state.isBuried($0) }) {
                continue
            }
            // It took back what had been saved before and not folded: then nothing was to be said.
            if former.graph.object(name)?.content(property) == cell.content { continue }
            throw Divergence(
                .broken("\(row.label).\(property) was saved during a visit, and that is lost"), peer: peer)
        }
    }

    /// What is left to be looked at when all have all.
    func checkEnd(of peer: Int) throws {
        let stored = peers[peer]
        let differing = try stored.differingPeers()
        if !differing.isEmpty {
            throw Divergence(
                .broken("others have the same folds and not the same registers: \(differing)"), peer: peer)
        }
        if !hasForgotten, stored.isWaiting {
            throw Divergence(.broken("a long text has not come"), peer: peer)
        }
        if let damage = try stored.damages().first { throw Divergence(.broken(damage), peer: peer) }
        let last = stored.lastFold
        _ = try stored.work(onlyFolding: true)
        try stored.read()
        if stored.lastFold != last {
            throw Divergence(.broken("what was read was folded again"), peer: peer)
        }
    }

    /// What two peers see or have otherwise.
    var difference: Divergence? {
        let one = peers[0].reading
        for peer in peers.indices.dropFirst() {
            let other = peers[peer].reading
            if let difference = Rows(objects: one.rows).difference(from: other.rows) {
                return Divergence(.unequal(0, peer, difference))
            }
            if State(one.registers) != State(other.registers) {
                return Divergence(.unequal(0, peer, "their registers"))
            }
        }
        return nil
    }
}

extension StoredPeer {
    /// What rows are to show of objects: of long texts those that have come.
    fileprivate func shown(_ objects: [RecordID: SeenObject]) -> [RecordID: SeenObject] {
        objects.mapValues { object in
            var shown = object
            for property in object.largeValues.keys where reading.rows[object.id]?.content(property) == .null
            {
                shown.largeValues[property] = nil
            }
            return shown
        }
    }

    /// Whether a long text has not come.
    var isWaiting: Bool {
        let objects = replica.graph.seen.objects
        return shown(objects) != objects
    }

    /// The registers of the file, and what the rules show of them.
    var replica: Replica {
        var replica = Replica(model)
        replica.join(reading.registers)
        return replica
    }
}

extension Replica {
    /// Whether a change left the row other than it was; one that is not of a property counts as such.
    fileprivate func differs(_ change: LocalEdit.Change, from rows: [RecordID: SeenObject]) -> Bool {
        guard case .set(let name, let property, _) = change else { return true }
        guard let row = rows[name], let former = graph.object(name) else { return true }
        if row.content(property) != former.content(property) { return true }
        let target = former.references[property]
        if row.references[property] == nil, let target, rows[target] == nil {
            // The object that it led to is gone, and what it led to then comes from no edit.
            return false
        }
        return row.references[property] != target
    }
}
