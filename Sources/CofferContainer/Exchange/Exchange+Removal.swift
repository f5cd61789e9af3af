internal import CofferMerge

extension Exchange {
    /// The newest baseline that is there and for which other objects may go.
    private var grounds: OwnBaseline? {
        let read = told.values.reduce(into: Set<ObjectHash>()) { $0.formUnion($1.read) }
        return baselines.last { baseline in
            guard isThere(baseline) else { return false }
            if rules.omitted.contains(.readBeforeRemoval) { return true }
            if let hash = baseline.name.hash, read.contains(hash) { return true }
            return hasStood(baseline) && isVerified(baseline)
        }
    }

    /// Whether a baseline stands for what it covers, so that this need not be there: others read it, or it
    /// has been there for long.
    func standsAlone(_ baseline: OwnBaseline) -> Bool {
        isThere(baseline) && (isReadElsewhere(baseline) || hasStood(baseline))
    }

    /// Whether another peer has joined a baseline.
    func isReadElsewhere(_ baseline: OwnBaseline) -> Bool {
        told.values.contains { told in baseline.name.hash.map { told.read.contains($0) } ?? false }
    }

    private func hasStood(_ baseline: OwnBaseline) -> Bool {
        baseline.standsSince.map { hasPassed(rules.patience, since: $0) } ?? false
    }

    private func isVerified(_ baseline: OwnBaseline) -> Bool {
        round?.verified.isSuperset(of: names(of: baseline)) ?? false
    }

    /// The objects that a baseline is.
    func names(of baseline: OwnBaseline) -> [ObjectName] {
        [baseline.name] + baseline.parts.map { ObjectName(.part, hash: $0) }
    }

    /// The next object of a baseline that no other peer has read for a week, which has to be readable.
    func nextToVerify() -> ObjectName? {
        guard let round, grounds == nil,
            let baseline = baselines.last(where: {
                isThere($0) && hasStood($0)
            }), !baseline.covered.isDisjoint(with: round.objects)
        else { return nil }
        return names(of: baseline).first { !round.verified.contains($0) }
    }

    /// What may go now.
    func removable() -> [ObjectName] {
        guard let round else { return [] }
        var names: Set<ObjectName> = []
        if let grounds {
            names = grounds.covered.intersection(round.objects)
            names.remove(grounds.name)
        }
        names.formUnion(replacedNames)
        names.formUnion(round.objects.filter { known[$0]?.facts == .leftOver })
        let named = namedParts
        for (name, since) in unnamedSince {
            if case .part = name.identity {
                // What was read since it was counted may name it.
                guard named.reading == .all, let hash = name.hash, !named.parts.contains(hash),
                    hasPassed(rules.patience, since: since)
                else { continue }
                names.insert(name)
            } else if case .data = name.identity, hasPassed(rules.longPatience, since: since) {
                names.insert(name)
            }
        }
        return names.filter { round.objects.contains($0) && !round.removed.contains($0) }.sorted {
            "\($0)" < "\($1)"
        }
    }

    /// Logs that stand in a larger one that is there, and that another peer has read, or that has stood there
    /// for some time and is whole.
    private var replacedNames: [ObjectName] {
        replaced.filter { _, log in
            guard round?.objects.contains(log.by) == true else { return false }
            let isRead = told.values.contains {
                chains.covers(log.folds, last: log.last, of: log.writer, by: $0.vector)
            }
            return isRead || hasWaited(log) && readBack.contains(log.by)
        }
        .map(\.key)
    }

    private func hasWaited(_ log: ReplacedLog) -> Bool {
        log.since.map { hasPassed(log.wait, since: $0) } ?? false
    }

    /// Counts since when logs are there that replaced others.
    mutating func noteReplacedLogs() {
        guard let round else { return }
        for (name, log) in replaced {
            if !round.objects.contains(log.by) {
                restartWait(of: name)
            } else if log.since == nil {
                replaced[name]?.since = round.time
                unnamedSince[name] = round.time
            }
        }
        // A listing proves no absence, so what was replaced is remembered for a while.
        replaced = replaced.filter { name, log in
            round.objects.contains(name)
                || !(log.since.map { hasPassed(rules.patience, since: $0) } ?? false)
        }
    }

    /// The next larger log of one's own to read again, so that those may go that it has the folds of.
    func nextToReadBack() -> ObjectName? {
        guard let round else { return nil }
        return replaced.filter { name, log in
            round.objects.contains(name) && round.objects.contains(log.by) && !round.tried.contains(log.by)
                && !readBack.contains(log.by) && hasWaited(log)
        }
        .map(\.value.by).min { "\($0)" < "\($1)" }
    }

    /// Takes what was read of a larger log of one's own; one that is not whole is put again.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - isWhole: Whether it is as it was put.
    mutating func tookOwnLog(_ name: ObjectName, isWhole: Bool) {
        round?.tried.insert(name)
        if isWhole {
            readBack.insert(name)
            return
        }
        round?.objects.remove(name)
        for index in outbox.indices where outbox[index].name == name { outbox[index].putAt = nil }
        // Those that it stands for wait for it again.
        for (other, log) in replaced where log.by == name { restartWait(of: other) }
    }

    /// Whether an object is a log of one's own that is read only to see whether it is whole.
    func isReadBack(_ name: ObjectName) -> Bool {
        outbox.contains { $0.name == name } || replaced.values.contains { $0.by == name }
    }

    private mutating func restartWait(of name: ObjectName) {
        replaced[name]?.since = nil
        unnamedSince[name] = nil
    }

    /// Counts since when no baseline that is there names a part.
    ///
    /// As long as one is there that was never read, every part may be its.
    mutating func noteUnnamedParts() {
        guard let round else { return }
        let named = namedParts
        for name in round.objects {
            guard case .part = name.identity, let hash = name.hash else { continue }
            let isNamed = named.parts.contains(hash) || named.reading == .unread
            let start = named.reading == .all ? round.time : nil
            unnamedSince[name] = isNamed ? nil : unnamedSince[name] ?? start
        }
        unnamedSince = unnamedSince.filter { round.objects.contains($0.key) }
    }

    /// How far baselines that are there were read.
    private enum BaselineReading {
        /// Each of them, and what they name is at hand.
        case all
        /// Each of them, some before this process began: it will read them again.
        case before
        /// Not all.
        case unread
    }

    /// The parts that baselines name which are there, as far as these were read.
    private var namedParts: (parts: Set<ObjectHash>, reading: BaselineReading) {
        var parts: Set<ObjectHash> = []
        for baseline in baselines { parts.formUnion(baseline.parts) }
        var reading = BaselineReading.all
        for name in round?.objects ?? [] {
            guard case .baseline = name.identity else { continue }
            if case .baseline(let others, _, _) = known[name]?.facts ?? known[name]?.outline {
                parts.formUnion(others)
            } else if !baselines.contains(where: { $0.name == name }), reading != .unread {
                reading = joinedObjects.contains(name) ? .before : .unread
            }
        }
        return (parts, reading)
    }

    /// Tells which values registers name; the others that are there go once nothing has named them for long.
    package mutating func noteValues(named: Set<ObjectHash>) {
        guard let round else { return }
        for name in round.objects {
            guard case .data = name.identity, let hash = name.hash else { continue }
            unnamedSince[name] = named.contains(hash) ? nil : unnamedSince[name] ?? round.time
        }
    }
}
