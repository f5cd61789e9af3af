package import CofferMerge

extension Exchange {
    /// Whether logs outweigh what baselines stand for, or folds are nowhere in the container for a day.
    mutating func wantsBaseline(at now: WallTime) -> Bool {
        guard let round, !round.hasAskedForBaseline else { return false }
        // What was begun is finished first, and what is not read yet would have to be in it.
        guard baselines.allSatisfy(\.objects.isEmpty), !vector.entries.isEmpty else { return false }
        return isTurn(to: .baseline, if: !isLastUnread && logsOutweigh, at: now) || isGapOverdue()
    }

    /// Whether the last baseline of one's own stands for less than a day, and no other peer has read it.
    ///
    /// Then a further one would be of no use to any.
    private var isLastUnread: Bool {
        guard let last = baselines.last, isThere(last), !isReadElsewhere(last) else { return false }
        return last.standsSince.map { !hasPassed(rules.daily, since: $0) } ?? true
    }

    /// Whether there are many logs, or large ones, that no baseline stands for which was read.
    private var logsOutweigh: Bool {
        // One that is missing in a listing may be there: what is lost is found out by its folds.
        var standing = baselines.map { ($0.vector, $0.byteCount) }
        for object in known.values {
            if case .baseline(_, let vector, let byteCount) = object.facts {
                standing.append((vector, byteCount))
            }
        }
        let covered = baselines.reduce(into: Set<ObjectName>()) { $0.formUnion($1.covered) }
        let least = max(rules.baselineByteCount, (standing.map(\.1).max() ?? 0) / 2)
        let own = Dictionary(outbox.map { ($0.name, $0) }) { first, _ in first }
        var (count, byteCount) = (0, 0)
        for name in round?.objects ?? [] where !covered.contains(name) {
            guard case .log(let writer, let folds) = name.identity else { continue }
            let size: Int
            let last: ChainHash
            if case .log(_, let hash, let bytes) = known[name]?.facts {
                (size, last) = (bytes, hash)
            } else if let log = own[name] {
                (size, last) = (log.byteCount, log.content.chain.last)
            } else {
                continue
            }
            if standing.contains(where: { chains.covers(folds, last: last, of: writer, by: $0.0) }) {
                continue
            }
            count += 1
            byteCount += size
        }
        return count >= rules.baselineLogCount || byteCount >= least
    }

    /// Whether folds that the state has are in no log or baseline that is there, for a day.
    private mutating func isGapOverdue() -> Bool {
        guard let round else { return false }
        var there = chains.withoutFolds
        for name in round.objects {
            switch known[name]?.facts {
            case .log(let folds, let last, _):
                if case .log(let writer, _) = name.identity { there.have(folds, last: last, by: writer) }
            case .baseline(let parts, let vector, _):
                if areThere(parts) { there.have(vector) }
            case .leftOver, nil: break
            }
        }
        for log in outbox where round.objects.contains(log.name) {
            there.have(log.content.chain, by: log.writer)
        }
        for baseline in baselines where isThere(baseline) { there.have(baseline.vector) }
        guard !there.vector.isSuperset(of: vector) else {
            gapSince = nil
            return false
        }
        gapSince = gapSince ?? round.time
        return gapSince.map { hasPassed(rules.daily, since: $0) } ?? false
    }

    /// Writes a baseline of a state, after a fold of what is buried in it.
    ///
    /// Then states of the same folds have the same registers, whatever baselines were read for them.
    ///
    /// - Throws: `ObjectFault.tooLarge` if it would be larger than readers accept; nothing is changed.
    package mutating func writeBaseline(_ whole: WholeState, at now: WallTime) throws(ObjectFault) {
        var next = self
        if !whole.burials.isEmpty {
            try next.append(whole.burials, digest: whole.digest, modelID: whole.modelID, at: now)
        }
        try next.addBaseline(of: whole, at: now)
        self = next
    }

    private mutating func addBaseline(of whole: WholeState, at now: WallTime) throws(ObjectFault) {
        var objects: [NamedObject] = []
        var parts: Set<ObjectHash> = []
        for part in BaselineCut(rules).parts(of: whole.registers) {
            let content = try RegisterContent.bytes(of: part)
            let object = try NamedObject(ContainerObject(.part, content: content))
            if let hash = object.name.hash, parts.insert(hash).inserted { objects.append(object) }
        }
        let number = lastBaseline + 1
        let vector = vector
        let content = BaselineContent(
            time: now.microseconds, parts: parts, vector: vector, digest: whole.digest,
            modelID: whole.modelID, container: marks.own)
        let index = try NamedObject(
            ContainerObject(.baseline(peer, number: number), content: try content.bytes()))
        objects.append(index)
        baselines.append(
            OwnBaseline(
                name: index.name, parts: parts, vector: vector, covered: covered,
                byteCount: objects.reduce(0) { $0 + $1.byteCount }, objects: objects))
        (lastBaseline, checkedAt) = (number, nil)
        acknowledged.join(vector)
    }

    /// What a baseline that is written now stands for: all that the state has.
    private var covered: Set<ObjectName> {
        var covered = Set(known.filter { $0.value.facts != nil || isHad($0.value.outline) }.keys)
        covered.formUnion(outbox.map(\.name))
        covered.formUnion(replaced.keys)
        covered.formUnion(baselines.map(\.name))
        return covered
    }

    /// Whether the state has all that a baseline has which cannot be read whole.
    private func isHad(_ outline: KnownObject.Facts?) -> Bool {
        if case .baseline(_, let others, _) = outline { vector.isSuperset(of: others) } else { false }
    }

    /// What is dead and of which nothing is younger may be buried in a baseline that is written now.
    ///
    /// One's own clock alone does not say how old something is: it may be wrong, and what another edits
    /// meanwhile is to revive what is dead. So it is 90 days before what two others wrote last, if there are
    /// two. Of peers that were not heard of for a year none is waited for.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - newest: Of each peer the latest stamp in the state, in microseconds since 1970.
    /// - Returns: The time before which all of it was written.
    package func burialTime(at now: WallTime, newest: [PeerID: Int64]) -> WallTime {
        let present = min(now, clock?.time(at: now, step: rules.step) ?? now)
        let others = newest.filter { !isOwn($0.key) }
            .map { peer, stamp in WallTime(microseconds: max(stamp, told[peer]?.time ?? stamp)) }
            .filter { !present.isPast(rules.lead, since: $0) }
        return min(present, others.sorted(by: >).prefix(2).last ?? present) - rules.longPatience
    }

    /// Lets go of what was put for a baseline, once a listing shows all of it.
    ///
    /// A baseline that is gone from the container, and that a newer one stands for, is forgotten.
    mutating func settleBaselines() {
        guard let round else { return }
        for index in baselines.indices where baselines[index].standsSince == nil {
            let names = baselines[index].parts.map { ObjectName(.part, hash: $0) } + [baselines[index].name]
            guard names.allSatisfy(isThere) else { continue }
            // It may have been written long before there was room for it.
            (baselines[index].objects, baselines[index].standsSince) = ([], round.time)
        }
        // It was being put when the process ended, and only its names are kept: it is as if none
        // had been written.
        baselines.removeAll { $0.isLost && !round.objects.contains($0.name) }
        guard let newest = baselines.last, isThere(newest) else { return }
        baselines.removeAll { $0.name != newest.name && !round.objects.contains($0.name) }
    }
}

extension WallTime {
    /// The moment a while earlier.
    fileprivate static func - (time: WallTime, duration: Duration) -> WallTime { time + (.zero - duration) }
}

/// Cuts a state into parts that later baselines have too, if nothing in the parts changed.
struct BaselineCut {
    private let rules: ExchangeRules

    init(_ rules: ExchangeRules) { self.rules = rules }

    /// The registers by the record that they are of, cut between records by birth.
    ///
    /// A part ends where a record's id says so, or when it has as much as one part may have.
    func parts(of registers: [Register]) -> [[Register]] {
        var rows: [RecordID: [Register]] = [:]
        for register in registers { rows[register.home, default: []].append(register) }
        var parts: [[Register]] = []
        var part: [Register] = []
        var byteCount = 0
        for record in rows.keys.sorted() {
            let added = rows[record] ?? []
            part += added
            byteCount += added.reduce(0) { $0 + $1.roughByteCount }
            if isEnd(record) || part.count >= rules.registersOfPart || byteCount >= rules.runByteCount {
                parts += RegisterRuns.cut(part, byteCount: rules.runByteCount)
                (part, byteCount) = ([], 0)
            }
        }
        return parts + RegisterRuns.cut(part, byteCount: rules.runByteCount)
    }

    /// Whether parts end with a record: for one in so many.
    private func isEnd(_ record: RecordID) -> Bool {
        var mixed = record.low ^ (record.high &* 0x9E37_79B9_7F4A_7C15)
        mixed = (mixed ^ (mixed >> 31)) &* 0xBF58_476D_1CE4_E5B9
        return (mixed ^ (mixed >> 29)) % rules.recordsOfPart == 0
    }
}
