extension Exchange {
    /// Begins a round with what a carrier lists, in which objects are read only if `isReading` says so.
    package mutating func listed(
        _ listing: CarrierListing, in marks: ContainerMarks = ContainerMarks(), at now: WallTime,
        reading isReading: Bool = true
    ) {
        self.marks = marks
        let clock = (clock ?? PatientClock(startingAt: now)).seen(at: now, step: rules.step)
        self.clock = clock
        let time = clock.time(at: now, step: rules.step)
        round = ExchangeRound(objects: listing.objects, time: time, isReading: isReading)
        for name in listing.objects where known[name] == nil {
            known[name] = KnownObject(firstSeen: time, condition: .unread)
        }
        // A listing proves no absence, so what was taken is remembered for a while.
        known = known.filter { name, object in
            listing.objects.contains(name)
                || object.facts != nil && !hasPassed(rules.longPatience, since: object.firstSeen)
        }
        if !damaged.isEmpty { damaged = damaged.filter { listing.objects.contains($0.key) } }
        if !joinedObjects.isSubset(of: listing.objects) { joinedObjects.formIntersection(listing.objects) }
        noteReplacedLogs()
        readBack.formIntersection(listing.objects)
        settleBaselines()
        emptyOutbox()
        markLogs()
        mergeLogs()
        noteUnnamedParts()
    }

    /// Whether the last round can go on for what came since, without a listing.
    ///
    /// - Parameter news: Objects of others that may have come.
    /// - Returns: Whether it can; not once so many objects have come that there may be something to be merged
    ///   or removed.
    package func canGoOn(with news: Set<ObjectName>) -> Bool {
        guard let round, round.isReading, round.hasEnded, !round.isInDoubt else { return false }
        return round.addedCount + news.count < rules.mergedCount
            && news.allSatisfy { isNewLog($0, in: round) }
    }

    /// Goes on with the last round: reads what came, and puts what was folded since; what follows from a
    /// listing waits for the next one.
    package mutating func goOn(with news: Set<ObjectName>) {
        guard var round else { return }
        for name in news where known[name] == nil {
            known[name] = KnownObject(firstSeen: round.time, condition: .unread)
        }
        round.objects.formUnion(news)
        round.addedCount += news.count
        (round.hasEnded, round.isContinued) = (false, true)
        if !news.isEmpty { (round.queue, round.passed) = (nil, 0) }
        self.round = round
    }

    /// Whether an object is another's log that was not there when the container was listed.
    private func isNewLog(_ name: ObjectName, in round: ExchangeRound) -> Bool {
        guard case .log(let writer, _) = name.identity else { return false }
        return !isOwn(writer) && !round.objects.contains(name) && known[name] == nil
    }

    /// Whether at least so long has been seen to pass since.
    func hasPassed(_ duration: Duration, since start: WallTime) -> Bool {
        round?.time.isPast(duration, since: start) ?? false
    }

    /// What is to be done next; `nil` if the round is at its end.
    package mutating func nextStep(at now: WallTime) -> ExchangeStep? {
        let step = nextStepOfRound(at: now)
        if step == nil { round?.hasEnded = true }
        return step
    }

    private mutating func nextStepOfRound(at now: WallTime) -> ExchangeStep? {
        guard let round else { return nil }
        let next = round.isReading ? nextToRead(at: now) : nil
        self.round?.isReadingOthers = next != nil
        if let next { return .get(next) }
        if let (object, name) = nextLogToPut() { return .put(object, name) }
        if round.isContinued { return nil }
        if round.isReading, let name = nextToCheck(at: now) { return .get(name) }
        if let (object, name) = nextOfBaselineToPut() { return .put(object, name) }
        if !round.isReading { return nil }
        if wantsReceipt(at: now) {
            self.round?.hasAskedForReceipt = true
            return .writeReceipt
        }
        if wantsBaseline(at: now) {
            self.round?.hasAskedForBaseline = true
            return .writeBaseline
        }
        if let name = nextToVerify() ?? nextToReadBack() { return .get(name) }
        let names = removable()
        return names.isEmpty ? nil : .remove(names)
    }

    /// Tells that an object was put there, and is kept.
    package mutating func didPut(_ name: ObjectName, at now: WallTime) {
        round?.objects.insert(name)
        round?.addedCount += 1
        round?.verified.insert(name)
        readBack.remove(name)
        damaged[name] = nil
        for index in outbox.indices where outbox[index].name == name {
            outbox[index].putAt = round?.time ?? now
        }
    }

    /// Tells that an object could not be put there now.
    package mutating func didNotPut(_ name: ObjectName) { round?.refused.insert(name) }

    /// Tells that objects were taken away.
    package mutating func didRemove(_ names: [ObjectName]) {
        round?.objects.subtract(names)
        round?.removed.formUnion(names)
        for name in names {
            replaced[name] = nil
            unnamedSince[name] = nil
        }
        baselines.removeAll { names.contains($0.name) }
    }

    /// Tells that objects could not be taken away now.
    package mutating func didNotRemove(_ names: [ObjectName]) { round?.removed.formUnion(names) }
}

extension Exchange {
    /// The next log that has to be there, or the model, and is not or was not put again for a day.
    private func nextLogToPut() -> (ContainerObject, ObjectName)? {
        guard let round else { return nil }
        if let model, !round.objects.contains(model.name), !round.refused.contains(model.name) {
            return (model.object, model.name)
        }
        for log in outbox where !round.refused.contains(log.name) {
            let isDue = log.putAt.map { hasPassed(rules.daily, since: $0) } ?? true
            guard isDue || !round.objects.contains(log.name) else { continue }
            // A baseline that is there stands for it.
            if baselines.contains(where: { $0.covered.contains(log.name) && standsAlone($0) }) {
                continue
            }
            // It only throws for a log that is too large, and such a log was never kept.
            if let object = try? log.object() { return (object, log.name) }
        }
        return nil
    }

    /// The next object of a baseline that was written and is not there.
    private func nextOfBaselineToPut() -> (ContainerObject, ObjectName)? {
        guard let round else { return nil }
        for baseline in baselines {
            for object in baseline.objects {
                // Its name comes last: what it names is to be there.
                if round.refused.contains(object.name) { break }
                if !isThere(object.name) { return (object.object, object.name) }
            }
        }
        return nil
    }
}
