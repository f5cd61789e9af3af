package import CofferMerge
internal import CofferWire

/// What is kept of an exchange when its process ends: all that is not found again in the container.
///
/// What others put there is read again, which changes nothing if it was joined before.
package struct KeptExchange: Hashable, Sendable {
    /// The id that folds are written under.
    package var peer: PeerID
    /// The hashes of that id's folds, from the first one on.
    package var hashes: [ChainHash]
    /// For each peer, the folds that the state has.
    package var vector: KnowledgeVector
    /// The number of the last baseline.
    package var lastBaseline: UInt64
    /// Logs of one's own that have to be in the container.
    package var outbox: [OutboxLog]
    /// The baselines of one's own that are there, without their objects; the newest is the last.
    package var baselines: [OwnBaseline]
    /// Ids that folds were written under before.
    package var formerPeers: Set<PeerID>
    /// What others are known to have had.
    package var knowledge: [PeerID: PeerKnowledge] = [:]
    /// Whether something was joined that others should know of.
    package var hasNews = false
    /// What is to be known again of objects in the container.
    package var objects: [ObjectName: KeptObject] = [:]
    /// Since when folds that the state has are nowhere in the container.
    package var gapSince: WallTime?
    /// When what is there of one's last baseline was last read again, and was whole.
    package var checkedAt: WallTime?
    /// How much time was seen to pass.
    package var clock: PatientClock?

    package init(
        peer: PeerID, hashes: [ChainHash], vector: KnowledgeVector, lastBaseline: UInt64,
        outbox: [OutboxLog], baselines: [OwnBaseline], formerPeers: Set<PeerID>
    ) {
        (self.peer, self.hashes, self.vector) = (peer, hashes, vector)
        (self.lastBaseline, self.outbox) = (lastBaseline, outbox)
        (self.baselines, self.formerPeers) = (baselines, formerPeers)
    }
}

/// What is kept of an object in the container.
package struct KeptObject: Hashable, Sendable {
    /// Whether the state has its registers.
    package var isJoined: Bool
    /// Since when it is there and cannot be taken.
    package var waitsSince: WallTime?
    /// Since when nothing names it, or a larger log stands for it.
    package var unnamedSince: WallTime?

    package init(isJoined: Bool = false, waitsSince: WallTime? = nil, unnamedSince: WallTime? = nil) {
        (self.isJoined, self.waitsSince, self.unnamedSince) = (isJoined, waitsSince, unnamedSince)
    }
}

extension Exchange {
    /// The exchange that goes on with what was kept of one.
    package init(_ kept: KeptExchange, rules: ExchangeRules = ExchangeRules()) {
        self.init(kept.peer, rules: rules)
        ownHashes = kept.hashes
        lastBaseline = kept.lastBaseline
        outbox = kept.outbox.sorted { one, other in
            if (one.writer == kept.peer) != (other.writer == kept.peer) { return other.writer == kept.peer }
            return one.content.chain.first < other.content.chain.first
        }
        baselines = kept.baselines
        knowledge = kept.knowledge
        (hasNews, gapSince, checkedAt) = (kept.hasNews, kept.gapSince, kept.checkedAt)
        clock = kept.clock
        for (name, object) in kept.objects {
            if object.isJoined { joinedObjects.insert(name) }
            if let time = object.waitsSince { known[name] = KnownObject(firstSeen: time, condition: .unread) }
            if let time = object.unnamedSince { unnamedSince[name] = time }
        }
        formerPeers = kept.formerPeers.union(kept.outbox.map(\.writer)).subtracting([kept.peer])
        lastLogAt = outbox.last { $0.writer == kept.peer }.map { WallTime(microseconds: $0.content.time) }
        if let chain = ChainSegment(first: 1, before: .start, hashes: kept.hashes) {
            chains.have(chain, by: kept.peer)
        }
        for log in outbox where log.writer == kept.peer { acknowledged.join(log.content.vector) }
        for baseline in baselines { acknowledged.join(baseline.vector) }
        for log in outbox where log.writer != kept.peer { chains.have(log.content.chain, by: log.writer) }
        chains.have(kept.vector)
    }

    /// What is to be kept of it.
    package var kept: KeptExchange {
        var kept = KeptExchange(
            peer: peer, hashes: ownHashes, vector: vector, lastBaseline: lastBaseline, outbox: outbox,
            baselines: baselines.map { baseline in
                var baseline = baseline
                baseline.objects = []
                return baseline
            }, formerPeers: formerPeers)
        kept.knowledge = knowledge
        (kept.hasNews, kept.objects, kept.clock) = (hasNews, keptObjects, clock)
        kept.gapSince = gapSince.flatMap { isWorthKeeping($0) || !damaged.isEmpty ? $0 : nil }
        // What is damaged is to be found again.
        let isWhole = baselines.last.map { names(of: $0).allSatisfy { damaged[$0] == nil } } ?? true
        kept.checkedAt = isWhole ? checkedAt : nil
        return kept
    }

    private var keptObjects: [ObjectName: KeptObject] {
        var objects: [ObjectName: KeptObject] = [:]
        for name in joinedObjects { objects[name] = KeptObject(isJoined: true) }
        let own = Set(outbox.map(\.name) + baselines.map(\.name))
        for (name, object) in known where object.facts == nil && name.hasRegisters && !own.contains(name) {
            guard isWorthKeeping(object.firstSeen) else { continue }
            objects[name, default: KeptObject()].waitsSince = object.firstSeen
        }
        for (name, time) in unnamedSince {
            objects[name, default: KeptObject()].unnamedSince = time
        }
        return objects
    }

    /// Whether so much time has passed since that it should outlast the process; most waiting is soon over.
    private func isWorthKeeping(_ time: WallTime) -> Bool {
        round == nil || hasPassed(rules.keptWait, since: time)
    }
}

extension ObjectName {
    /// Whether its object is read for the registers that it has or names.
    fileprivate var hasRegisters: Bool {
        switch identity {
        case .log, .baseline: true
        case .marker, .removal, .keys, .part, .model, .data: false
        }
    }
}

extension KnowledgeVector {
    /// Its bytes as they are kept: a `coffer.v1.ContainerBaseline` with nothing else in it.
    package func bytes() throws(ObjectFault) -> [UInt8] {
        try RegisterContent.packing { () throws(WireError) in
            try ContainerBaselineMessage(time: 0, parts: [], vector: message, digest: [], model: []).packed()
        }
    }

    /// The vector with these bytes.
    ///
    /// - Throws: `ObjectFault.malformed` if they are not one.
    package init(bytes: [UInt8]) throws(ObjectFault) {
        let kept = try RegisterContent.reading { () throws(WireError) in
            try ContainerBaselineMessage(packed: bytes)
        }
        try self.init(kept.vector, field: "coffer.v1.ContainerBaseline.vector", from: .ownFile)
    }
}
