/// All objects of a replica at a moment, by registers alone or as they are seen; looked up, not kept.
struct Objects: ObjectSet {
    /// By what records are one.
    enum Level {
        /// By registers that say that they are the same; dead ones too.
        case sealed
        /// By keys, too, as far as they live and are not hidden.
        case seen
    }

    let view: RegisterView
    let level: Level

    init(_ memory: ReplicaMemory, _ level: Level, at moment: Moment = .now) {
        view = RegisterView(memory: memory, moment: moment)
        self.level = level
    }

    var isPairing: Bool { level == .seen }
    private var memory: ReplicaMemory { view.memory }
}

extension Objects {
    func find(_ record: RecordID) -> FoundObject? {
        guard let object = findSealed(record) else { return nil }
        if level == .sealed { return object }
        if isGone(object.id) { return nil }
        let name = name(of: object.id)
        if isHidden(name) { return nil }
        if name == object.id { return object }
        return view.entity(of: name).map { FoundObject(id: name, entity: $0) }
    }

    private func findSealed(_ record: RecordID) -> FoundObject? {
        guard let entity = view.entity(of: record) else { return nil }
        if isSingle(record) { return FoundObject(id: record, entity: entity) }
        guard let id = records(of: record, by: .sealed)?.first, let entity = view.entity(of: id) else {
            return nil
        }
        return FoundObject(id: id, entity: entity)
    }

    func namers(of record: RecordID) -> Set<RecordID> { view.namers(of: record) }

    func records(of id: RecordID) -> RecordGroup { records(of: id, by: level) ?? RecordGroup(id) }

    private func records(of id: RecordID, by level: Level) -> RecordGroup? {
        if level == .seen, let records = memory.index.merged.value(id, at: view.moment) { return records }
        if isSingle(id) { return RecordGroup(id) }
        return RecordGroup(group(of: id).filter { view.entity(of: $0) != nil })
    }

    /// Whether no register makes a record one with another.
    private func isSingle(_ record: RecordID) -> Bool {
        view.sames(of: record).isEmpty || model.omitted.contains(.sameness)
    }

    /// All records that are one with a record by registers, through those also that have not come.
    func group(of record: RecordID) -> Set<RecordID> {
        var group: Set<RecordID> = [record]
        if model.omitted.contains(.sameness) { return group }
        var waiting = [record]
        while let record = waiting.popLast() {
            for other in view.sames(of: record) where group.insert(other).inserted { waiting.append(other) }
        }
        return group
    }

    func isDead(_ record: RecordID) -> Bool {
        memory.index.dead.value(record, at: view.moment) ?? false
    }

    /// Whether all records of an object that registers make are dead.
    func isGone(_ id: RecordID) -> Bool {
        if !isDead(id) { return false }
        if isSingle(id) { return true }
        return group(of: id).allSatisfy { isDead($0) || view.entity(of: $0) == nil }
    }

    /// What an object that registers make is seen as.
    func name(of id: RecordID) -> RecordID { memory.index.seenAs.value(id, at: view.moment) ?? id }

    /// What others take of an object's keys.
    func taken(of name: RecordID) -> Set<Uniqueness.Taken> {
        memory.index.taken.value(name, at: view.moment) ?? []
    }

    /// Whether an object is not seen since another has its key.
    func isHidden(_ name: RecordID) -> Bool { taken(of: name).contains(where: \.isHidden) }

    /// The records of an object that is hidden; none if it is not.
    func hiddenRecords(of name: RecordID) -> Set<RecordID> {
        isHidden(name) ? records(of: name, by: .seen)?.set ?? [] : []
    }
}

extension Objects {
    func cuts(of id: RecordID) -> Set<String> {
        switch level {
        case .sealed: memory.index.sealedCuts.value(id, at: view.moment) ?? []
        case .seen: memory.index.seenCuts.value(id, at: view.moment) ?? []
        }
    }

    func cut(_ link: Link, _ isCut: Bool) {
        var cuts = cuts(of: link.object)
        if isCut { cuts.insert(link.property) } else { cuts.remove(link.property) }
        let cut = cuts.isEmpty ? nil : cuts
        switch level {
        case .sealed: memory.index.sealedCuts[link.object] = cut
        case .seen: memory.index.seenCuts[link.object] = cut
        }
    }

    private func joinLinks(of id: RecordID) {
        switch level {
        case .sealed: memory.index.sealedCuts.remove(id)
        case .seen: memory.index.seenCuts.remove(id)
        }
    }

    /// Cuts circles again around objects of some records, all of which are made again.
    ///
    /// - Returns: These objects, and all that have to do with them or had with what they were before.
    func renew(_ records: Set<RecordID>) -> Set<RecordID> {
        let before = Objects(memory, level, at: .former)
        let (former, made) = (
            Set(records.compactMap { before.object(of: $0) }), Set(records.compactMap { object(of: $0) })
        )
        // An object's id is a record's: of what it became, if it is gone.
        var reached = former
        for record in records { reached.formUnion(before.view.namers(of: record)) }
        for id in former { reached.formUnion(before.neighbours(of: id)) }
        var uncertain: Set<Link> = []
        for link in before.circularLinks(of: former) { uncertain.formUnion(before.circle(link)) }
        for id in former.union(made) { joinLinks(of: id) }
        uncertain.formUnion(circularLinks(of: made))
        let recut = cutCircles(uncertain)
        var affected = Set(reached.compactMap { object(of: $0) }).union(made).union(recut)
        for id in made.union(recut) { affected.formUnion(neighbours(of: id)) }
        return affected
    }
}
