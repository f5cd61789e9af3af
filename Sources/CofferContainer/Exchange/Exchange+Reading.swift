internal import CofferMerge

extension Exchange {
    /// The next object to read: baselines, then logs, each peer's in the order of their folds.
    mutating func nextToRead(at now: WallTime) -> ObjectName? {
        guard let round else { return nil }
        if let gathering = round.gathering {
            if let part = gathering.missing.first { return ObjectName(.part, hash: part) }
        }
        let queue = round.queue ?? readingQueue(of: round)
        self.round?.queue = queue
        let next = queue[round.passed...].firstIndex {
            round.objects.contains($0) && !round.tried.contains($0) && isDue($0, at: now)
        }
        self.round?.passed = next ?? queue.endIndex
        return next.map { queue[$0] }
    }

    /// What may be read in a round, in order.
    ///
    /// What is passed over waits for earlier folds, which no later object of the queue has but a baseline, or
    /// a log that tells of another chain: those have it gone through once more.
    private func readingQueue(of round: ExchangeRound) -> [ObjectName] {
        let own = Set(outbox.map(\.name))
        let names = known.lazy.filter { name, object in
            // What was taken is not read again.
            object.facts == nil && round.objects.contains(name) && isReadable(name) && !own.contains(name)
        }
        .map(\.key)
        return names.map { (readingOrder($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Baselines come before logs, since they have the most; of logs those of the first folds, and of these
    /// the larger one.
    private func readingOrder(_ name: ObjectName) -> (Int, UInt64, UInt64, UInt64, String) {
        switch name.identity {
        case .model: (0, 0, 0, 0, "\(name)")
        case .baseline(let peer, let number): (1, .max - number, 0, peer.number, "\(name)")
        case .log(let peer, let folds): (2, folds.lowerBound, .max - folds.upperBound, peer.number, "\(name)")
        default: (3, 0, 0, 0, "\(name)")
        }
    }

    /// Whether an object is to be read now.
    private func isDue(_ name: ObjectName, at now: WallTime) -> Bool {
        guard let object = known[name], object.facts == nil, isReadable(name), let round else { return false }
        switch object.condition {
        case .taken: return false
        case .quarantined(_, let tries, let next): return isTime(next, after: tries, at: now)
        case .waiting(.part(let part)): return round.objects.contains(ObjectName(.part, hash: part))
        case .waiting(.fold(let fold)):
            guard case .log(let writer, _) = name.identity else { return false }
            return chains.hasAny(fold, by: writer) || joinedObjects.contains(name)
                || hasPassed(rules.patience, since: object.firstSeen)
        case .unread:
            guard case .log(let writer, let folds) = name.identity, folds.lowerBound > 1 else { return true }
            // It is read once to know its chain, unless it is plain that it waits.
            return chains.hasAny(folds.lowerBound - 1, by: writer) || writer == peer
                || joinedObjects.contains(name)
                || hasPassed(rules.patience, since: object.firstSeen) || round.leftWriters.contains(writer)
        }
    }

    /// Whether an object is of a kind that is read for itself, and not one's own.
    private func isReadable(_ name: ObjectName) -> Bool {
        switch name.identity {
        case .log: replaced[name] == nil
        case .baseline: !baselines.contains { $0.name == name } && isWanted(name)
        case .marker, .removal, .keys, .part, .model, .data: false
        }
    }

    private func isWanted(_ baseline: ObjectName) -> Bool {
        guard rules.omitted.contains(.allBaselines), let round else { return true }
        let newest = round.objects.filter { if case .baseline = $0.identity { true } else { false } }
            .min { readingOrder($0) < readingOrder($1) }
        return newest == baseline
    }

    /// Takes what was read of an object.
    ///
    /// - Parameters:
    ///   - name: What was asked for.
    ///   - bytes: `nil` if it is not there, or not now.
    ///   - now: The time.
    /// - Returns: Registers to join, in one transaction with this exchange; `nil` if there are none.
    package mutating func took(_ name: ObjectName, _ bytes: [UInt8]?, at now: WallTime) -> ExchangeTaking? {
        if case .part = name.identity { return tookPart(name, bytes, at: now) }
        if isReadBack(name) {
            // Reading it tells whether it is whole.
            tookOwnLog(
                name, isWhole: bytes.map { (try? ContainerObject(reading: $0, named: name)) != nil } ?? false)
            return nil
        }
        round?.tried.insert(name)
        guard let bytes else {
            // It went, or has not come: it is looked for when it is listed again.
            round?.objects.remove(name)
            return nil
        }
        do throws(ObjectFault) {
            let object = try object(named: name, in: bytes, at: now)
            switch object.identity {
            case .log(let writer, let folds):
                let content = try content(of: name, object.content, folds: folds)
                if isLeftOver(content.container) { return leave(name) }
                try checkTimes(of: content.registers, at: now)
                return try tookLog(name, content, by: writer, byteCount: bytes.count)
            case .baseline:
                let content = try BaselineContent(reading: object.content)
                if isLeftOver(content.container) { return leave(name) }
                return tookBaseline(name, content, byteCount: bytes.count)
            case .marker, .removal, .keys, .part, .model, .data: return nil
            }
        } catch {
            quarantine(name, error, at: now)
            return nil
        }
    }

    /// What a log holds; of one whose registers the state has, only what it says of itself.
    private func content(
        of name: ObjectName, _ content: [UInt8], folds: ClosedRange<UInt64>
    ) throws(ObjectFault) -> LogContent {
        joinedObjects.contains(name) && !rules.omitted.contains(.chains)
            ? try LogContent.head(in: content, folds: folds, from: .container).content
            : try LogContent(reading: content, folds: folds, from: .container)
    }

    /// Refuses registers by a clock that is far ahead.
    ///
    /// Whatever overwrites a register gets a later stamp, so that the last stamp there is would win for
    /// ever. The time that an object tells of itself proves nothing: it is by the same clock. A clock that
    /// tells a time before this was written was never set.
    private func checkTimes(of registers: [Register], at now: WallTime) throws(ObjectFault) {
        let present = max(now, Limits.written)
        guard let latest = registers.lazy.map(\.stamp.microseconds).max(),
            latest > (present + rules.lead).microseconds
        else { return }
        throw .ahead(days: (latest - present.microseconds) / 86_400_000_000)
    }

    /// Whether what was made for a container is of content that was removed there.
    private func isLeftOver(_ container: ContainerMark?) -> Bool {
        container.map(marks.removed.contains) ?? false
    }

    /// Takes nothing of what a carrier brought after its content had been removed.
    private mutating func leave(_ name: ObjectName) -> ExchangeTaking? {
        known[name]?.condition = .taken(.leftOver)
        // The next of its writer's logs waits for nothing.
        if case .log(let writer, _) = name.identity, round?.leftWriters.insert(writer).inserted ?? false {
            round?.passed = 0
        }
        return nil
    }

    /// Tells that an object cannot be read now.
    package mutating func didNotGet(_ name: ObjectName, reason: String, at now: WallTime) {
        if isReadBack(name) { return tookOwnLog(name, isWhole: false) }
        guard case .part = name.identity else { return quarantine(name, .malformed(reason: reason), at: now) }
        // Nothing is read of a part for itself: its baseline waits, or is not to be relied on.
        noteDamage(to: name, reason: reason, at: now)
        round?.tried.insert(name)
        guard let gathering = round?.gathering else { return }
        quarantine(gathering.name, .malformed(reason: "its part '\(name)': \(reason)"), at: now)
        abandonGathering()
    }

    /// Tells that the registers of an object could not be joined; the exchange is as before it was read.
    package mutating func didNotJoin(_ name: ObjectName, _ refusal: JoinRefusal, at now: WallTime) {
        if round?.gathering?.name == name { abandonGathering() }
        quarantine(name, .unjoinable(reason: refusal.reason), at: now)
    }

    private mutating func quarantine(_ name: ObjectName, _ fault: ObjectFault, at now: WallTime) {
        round?.tried.insert(name)
        // One's own that cannot be read counts as not there, and is looked for again.
        if baselines.contains(where: { $0.name == name }) {
            noteDamage(to: name, reason: "\(fault)", at: now)
            return
        }
        var tries = 0
        if case .quarantined(_, let before, _) = known[name]?.condition { tries = before + 1 }
        setAside(name, .quarantined(reason: "\(fault)", tries: tries, next: now + pause(after: tries)))
    }

    /// Notes that an object cannot be read now, whatever was read of it before: once it can be again, that is
    /// news.
    private mutating func setAside(_ name: ObjectName, _ condition: KnownObject.Condition) {
        known[name]?.condition = condition
        joinedObjects.remove(name)
    }
}

extension Exchange {
    private mutating func tookLog(
        _ name: ObjectName, _ log: LogContent, by writer: PeerID, byteCount: Int
    ) throws(ObjectFault) -> ExchangeTaking? {
        let chain = log.chain
        if writer == peer { doubtOwnFolds(through: chain.folds.upperBound, chain.last) }
        doubtOwnFolds(of: log.vector)
        let own = formerPeers.union([peer])
        if let fault = chains.fault(of: chain, by: writer, own: own, rules: rules) { throw fault }
        if !rules.omitted.contains(.chains) { chains.note(chain, by: writer) }
        let former = chain.first - 1
        let isLate = known[name].map { isOverdue($0) } ?? false
        let hasFormer =
            rules.omitted.contains(.chains)
            ? chains.hasAny(former, by: writer) : chains.has(chain.before, at: former, by: writer)
        guard former == 0 || isLate || hasFormer || joinedObjects.contains(name) else {
            known[name]?.condition = .waiting(for: .fold(former))
            round?.waiting[writer, default: []].insert(name)
            return nil
        }
        let isNew =
            rules.omitted.contains(.chains)
            ? !vector.folds(of: writer).contains(chain.folds)
            : !chains.unknown(of: chain, by: writer).isEmpty
        // What only seems to be had is joined once more; if it is had, that changes nothing.
        let isHad =
            rules.omitted.contains(.chains)
            ? !isNew
            : joinedObjects.contains(name) || chains.hasCertainly(chain, by: writer) && !isNew
        chains.have(chain, by: writer)
        known[name]?.condition = .taken(.log(folds: chain.folds, last: chain.last, byteCount: byteCount))
        joinedObjects.insert(name)
        // What waited for its folds can be read now.
        if let waiting = round?.waiting.removeValue(forKey: writer) {
            round?.tried.subtract(waiting)
            round?.passed = 0
        }
        note(log, by: writer)
        noteReplaced(name, of: writer, folds: chain.folds, last: chain.last)
        if isHad { return nil }
        if isNew, !log.registers.isEmpty { hasNews = true }
        return ExchangeTaking(
            source: name, registers: log.registers, modelID: log.modelID, vector: log.vector)
    }

    /// Notes what is said of one's own folds: those that were not written here are another copy's, which goes
    /// on, or one's own from before this store was put back.
    private mutating func doubtOwnFolds(through last: UInt64, _ hash: ChainHash?) {
        guard last > 0, !rules.omitted.contains(.chains) else { return }
        if last > lastFold || hash.map({ $0 != ownHashes[Int(last) - 1] }) ?? false {
            round?.isInDoubt = true
        }
    }

    private mutating func doubtOwnFolds(of vector: KnowledgeVector) {
        guard let entry = vector.entries[peer] else { return }
        doubtOwnFolds(through: entry.folds.last, entry.chain)
    }

    private func isOverdue(_ object: KnownObject) -> Bool {
        hasPassed(rules.patience, since: object.firstSeen)
    }

    /// Keeps what a peer told of itself.
    private mutating func note(_ log: LogContent, by writer: PeerID) {
        guard writer != peer, !formerPeers.contains(writer) else { return }
        let name = chains.name(of: log.chain, by: writer)
        if name == writer { knowledge[writer, default: PeerKnowledge()].note(log, by: writer) }
        var state = told[name] ?? ToldState()
        let isLatest = log.chain.folds.upperBound > state.lastFold
        state.vector.join(log.vector)
        state.vector.insert(FoldSet(1...log.chain.folds.upperBound), of: name, chain: log.chain.last)
        if isLatest {
            state.lastFold = log.chain.folds.upperBound
            (state.digest, state.time, state.read) = (log.digest, log.time, log.read)
        }
        told[name] = state
    }

    private mutating func tookBaseline(
        _ name: ObjectName, _ baseline: BaselineContent, byteCount: Int
    ) -> ExchangeTaking? {
        if round?.verified.contains(name) == false, baselines.contains(where: { $0.name == name }) {
            round?.verified.insert(name)
            return nil
        }
        known[name]?.outline = .baseline(
            parts: baseline.parts, vector: baseline.vector, byteCount: byteCount)
        let parts = baseline.parts.sorted()
        if let missing = parts.first(where: { round?.objects.contains(ObjectName(.part, hash: $0)) == false })
        {
            setAside(name, .waiting(for: .part(missing)))
            return nil
        }
        let joined = baseline.parts.intersection(joinedParts)
        round?.gathering = .init(
            name: name, content: baseline, missing: parts, joined: joined, byteCount: byteCount)
        return parts.isEmpty ? finishGathering() : nil
    }

    /// The parts whose registers the state has: what is old stands in the same part of each baseline.
    private var joinedParts: Set<ObjectHash> {
        var parts = Set(joinedObjects.compactMap { if case .part = $0.identity { $0.hash } else { nil } })
        for baseline in baselines { parts.formUnion(baseline.parts) }
        return parts
    }

    private mutating func tookPart(
        _ name: ObjectName, _ bytes: [UInt8]?, at now: WallTime
    ) -> ExchangeTaking? {
        guard var gathering = round?.gathering, gathering.missing.first == name.hash else {
            verifyPart(name, bytes, at: now)
            return nil
        }
        guard let bytes else {
            round?.objects.remove(name)
            if let part = name.hash { setAside(gathering.name, .waiting(for: .part(part))) }
            abandonGathering()
            return nil
        }
        do throws(ObjectFault) {
            let object = try object(named: name, in: bytes, at: now)
            if !gathering.joined.contains(gathering.missing[0]) {
                let registers = try RegisterContent.registers(in: object.content, from: .container)
                try checkTimes(of: registers, at: now)
                gathering.parts.append(registers)
            }
        } catch {
            quarantine(gathering.name, error, at: now)
            abandonGathering()
            return nil
        }
        gathering.missing.removeFirst()
        gathering.byteCount += bytes.count
        round?.gathering = gathering
        return gathering.missing.isEmpty ? finishGathering() : nil
    }

    private mutating func abandonGathering() { round?.gathering = nil }

    /// All parts are here: only now the state has what the baseline has.
    private mutating func finishGathering() -> ExchangeTaking? {
        guard let gathering = round?.gathering else { return nil }
        let (name, content) = (gathering.name, gathering.content)
        round?.gathering = nil
        doubtOwnFolds(of: content.vector)
        chains.have(content.vector)
        if case .baseline(let author, _) = name.identity, !isOwn(author) {
            knowledge[author, default: PeerKnowledge()].note(content, by: author)
        }
        known[name]?.condition = .taken(
            .baseline(parts: content.parts, vector: content.vector, byteCount: gathering.byteCount))
        if joinedObjects.insert(name).inserted { hasNews = true }
        joinedObjects.formUnion(content.parts.map { ObjectName(.part, hash: $0) })
        // What waited for its folds can be read now.
        round?.tried = []
        round?.passed = 0
        let registers = Array(gathering.parts.joined())
        if registers.isEmpty { return nil }
        return ExchangeTaking(
            source: name, registers: registers, modelID: content.modelID, vector: content.vector)
    }

    private mutating func verifyPart(_ name: ObjectName, _ bytes: [UInt8]?, at now: WallTime) {
        guard let bytes else {
            round?.objects.remove(name)
            return
        }
        round?.tried.insert(name)
        // Reading it records what is wrong.
        if (try? object(named: name, in: bytes, at: now)) != nil { round?.verified.insert(name) }
    }
}
