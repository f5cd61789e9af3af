package import CofferMerge

extension Exchange {
    /// Takes a fold of the state: registers that were written here.
    ///
    /// - Parameters:
    ///   - registers: No two of one key; none in a receipt.
    ///   - digest: The state's, with them.
    ///   - modelID: The SHA-256 of the author's model; empty without registers.
    ///   - now: The time.
    /// - Throws: `ObjectFault.tooLarge` if the log would be larger than readers accept; nothing is changed.
    package mutating func append(
        _ registers: [Register], digest: StateDigest, modelID: [UInt8], at now: WallTime
    ) throws(ObjectFault) {
        let fold = lastFold + 1
        let hash = try lastHash.following(fold: fold, registers)
        guard let chain = ChainSegment(first: fold, before: lastHash, hashes: [hash]) else { return }
        let vector = chains.vector
        let isWhole = !outbox.contains { $0.writer == peer }
        let others = isWhole ? vector : vector.changes(since: toldVector)
        let log = try OutboxLog(
            LogContent(
                time: now.microseconds, chain: chain, vector: others, isWholeVector: isWhole, digest: digest,
                modelID: registers.isEmpty ? [] : modelID, read: readBaselines, registers: registers,
                container: marks.own),
            by: peer)
        outbox.append(log)
        chains.have(chain, by: peer)
        ownHashes.append(hash)
        lastLogAt = now
        (toldVector, acknowledged) = (vector, vector)
        hasNews = false
        dueSince[.receipt] = nil
    }

    /// Takes the folds that were written here while what this one took was joined piece by piece.
    ///
    /// - Parameter other: This exchange as it was before it took that, with nothing but folds added.
    package mutating func takeFolds(of other: Exchange) {
        guard other.peer == peer, other.lastFold > lastFold else { return }
        for log in other.outbox where log.writer == peer && log.content.chain.first > lastFold {
            outbox.append(log)
            chains.have(log.content.chain, by: peer)
        }
        ownHashes = other.ownHashes
        (lastLogAt, toldVector, acknowledged) = (other.lastLogAt, other.toldVector, other.acknowledged)
    }

    /// The baselines of others that were joined and that are still known to be there.
    private var readBaselines: Set<ObjectHash> {
        var read: Set<ObjectHash> = []
        for (name, object) in known {
            if case .baseline = object.facts, let hash = name.hash { read.insert(hash) }
        }
        // This process may not have come to read them again.
        for name in joinedObjects {
            if case .baseline = name.identity, let hash = name.hash { read.insert(hash) }
        }
        return read
    }

    /// Has logs tell which container they are for that were written before it was known.
    mutating func markLogs() {
        guard let own = marks.own, let round else { return }
        for (index, log) in outbox.enumerated() where log.putAt == nil && log.content.container == nil {
            // It was put before, whatever became of it.
            if round.objects.contains(log.name)
                || baselines.contains(where: { $0.covered.contains(log.name) })
            {
                continue
            }
            // One that is as large as it may be goes as it is.
            guard let marked = try? log.marked(for: own) else { continue }
            outbox[index] = marked
            for (name, other) in replaced where other.by == log.name { replaced[name]?.by = marked.name }
        }
    }

    /// Makes larger logs of adjacent ones that are there, tier by tier.
    mutating func mergeLogs() {
        if round == nil { return }
        while let run = mergeableRun {
            // Logs that would be too large as one stay several.
            guard let merged = try? OutboxLog.merging(outbox[run]) else { return }
            for log in outbox[run] {
                let chain = log.content.chain
                replace(log.name, of: log.writer, folds: chain.folds, last: chain.last, by: merged)
                for (name, other) in replaced where other.by == log.name { replaced[name]?.by = merged.name }
            }
            outbox.replaceSubrange(run, with: [merged])
        }
    }

    /// Notes that a log of one's own stands in a larger one.
    private mutating func replace(
        _ name: ObjectName, of writer: PeerID, folds: ClosedRange<UInt64>, last: ChainHash,
        by larger: OutboxLog
    ) {
        replaced[name] = ReplacedLog(
            by: larger.name, writer: writer, folds: folds, last: last, since: unnamedSince[name],
            wait: min(rules.patience, max(rules.lonePatience, larger.span * 2)))
    }

    /// Notes that a log of one's own that was read stands in a larger one, which was made before this process
    /// began.
    mutating func noteReplaced(
        _ name: ObjectName, of writer: PeerID, folds: ClosedRange<UInt64>, last: ChainHash
    ) {
        guard isOwn(writer), replaced[name] == nil,
            let larger = outbox.first(where: {
                $0.writer == writer && $0.name != name && $0.has(folds, last: last)
            })
        else { return }
        replace(name, of: writer, folds: folds, last: last, by: larger)
    }

    /// Adjacent logs of one tier that become one.
    private var mergeableRun: Range<Int>? {
        let standing = baselines.filter(standsAlone)
        // What a baseline stands for is not to come back as a part of a larger log.
        let tiers = outbox.map { log in
            standing.contains { $0.covered.contains(log.name) } ? nil : tier(of: log)
        }
        for tier in Set(tiers.compactMap(\.self)).sorted() {
            var start = outbox.startIndex
            var size = LogSize()
            for index in outbox.indices {
                let log = outbox[index]
                let follows = index > start && log.follows(outbox[index - 1])
                if tiers[index] != tier || log.putAt == nil {
                    (start, size) = (index + 1, LogSize())
                    continue
                }
                if !follows { (start, size) = (index, LogSize()) }
                size.add(log)
                if !size.fits(rules) {
                    // What fits becomes one log if that leaves fewer logs.
                    if index - start > 1 { return start..<index }
                    (start, size) = (index, LogSize())
                    size.add(log)
                }
                if index - start + 1 == rules.mergedCount { return start..<index + 1 }
            }
        }
        return nil
    }

    /// How often logs became one to make a log, by the folds that it has; `nil` if it stays as it is, for few
    /// of its size have room in one.
    ///
    /// By folds and not by bytes: so each fold is written once in each tier.
    private func tier(of log: OutboxLog) -> Int? {
        if log.byteCount >= rules.logByteCount / 2 { return nil }
        var (tier, count) = (0, log.content.chain.hashes.count)
        while count >= rules.mergedCount { (tier, count) = (tier + 1, count / rules.mergedCount) }
        return tier
    }

    /// Lets go of logs whose folds are in a baseline that another peer than its author has read.
    mutating func emptyOutbox() {
        if rules.omitted.contains(.keptOutbox) { outbox.removeAll { $0.putAt != nil } }
        let read = told.values.reduce(into: Set<ObjectHash>()) { $0.formUnion($1.read) }
        var held: [KnowledgeVector] = []
        var covered: Set<ObjectName> = []
        for baseline in baselines {
            if let hash = baseline.name.hash, read.contains(hash), isThere(baseline) {
                held.append(baseline.vector)
                covered.formUnion(baseline.covered)
            }
        }
        for (name, object) in known where round?.objects.contains(name) ?? false {
            // It was read here, by another than its author.
            if case .baseline(let author, _) = name.identity, author != peer, !formerPeers.contains(author),
                case .baseline(let parts, let vector, _) = object.facts, areThere(parts)
            {
                held.append(vector)
            }
        }
        outbox.removeAll { log in
            let chain = log.content.chain
            return covered.contains(log.name)
                || held.contains { chains.covers(chain.folds, last: chain.last, of: log.writer, by: $0) }
        }
    }

    /// Whether a baseline of one's own stands there whole, as far as the listing shows.
    func isThere(_ baseline: OwnBaseline) -> Bool {
        baseline.objects.isEmpty && isThere(baseline.name) && areThere(baseline.parts)
    }

    /// Whether parts are there.
    func areThere(_ parts: Set<ObjectHash>) -> Bool {
        parts.allSatisfy { isThere(ObjectName(.part, hash: $0)) }
    }
}

/// How large a log of others is, at most.
private struct LogSize {
    private var byteCount = 0
    private var foldCount = 0
    private var registerCount = 0

    mutating func add(_ log: OutboxLog) {
        byteCount += log.byteCount
        foldCount += log.content.chain.hashes.count
        registerCount += log.registerCount
    }

    func fits(_ rules: ExchangeRules) -> Bool {
        byteCount <= rules.logByteCount && foldCount <= rules.foldsOfLog
            && registerCount <= rules.registersOfLog
    }
}

extension OutboxLog {
    /// Whether its folds are those after another's, and of the same model.
    fileprivate func follows(_ other: OutboxLog) -> Bool {
        let (model, former) = (content.modelID, other.content.modelID)
        return writer == other.writer && content.chain.before == other.content.chain.last
            && content.chain.first == other.content.chain.folds.upperBound + 1
            && (model == former || model.isEmpty || former.isEmpty)
    }
}
