internal import CofferContainer
internal import CofferMerge
internal import Synchronization

extension UbiquityWork {
    @discardableResult
    func showStatus(_ failure: String?) -> UbiquityStatus {
        let condition = visit.withLock { $0?.condition } ?? .new
        var status = kept.withLock { kept -> UbiquityStatus in
            guard let kept else { return UbiquityStatus() }
            return UbiquityStatus(kept)
        }
        status.condition = condition
        status.quarantined.merge(values.unreadable) { present, _ in present }
        status.failure = failure
        status.noteMissing()
        if let traffic {
            (status.sentByteCount, status.receivedByteCount) = (traffic.sent, traffic.received)
        }
        signals.show(status)
        environment.didShow()
        return status
    }
}

extension UbiquityStatus {
    /// What registers and their exchange show.
    fileprivate init(_ kept: KeptReplica) {
        let exchange = kept.exchange.status
        let all = kept.exchange
        folded = kept.folded
        let missing = all.missingLogs
        exported = kept.marks.last { all.isExported($0.fold, of: $0.writer, missing: missing) }
        waitingFor = exchange.waiting
        for (other, known) in all.knowledge {
            seenTransactions[other] = kept.marks.last { mark in
                all.has(known.vector, allUpTo: mark.fold, of: mark.writer)
            }
        }
        peer = kept.exchange.peer
        lastFold = kept.exchange.lastFold
        unwrittenFolds = exchange.unwritten.runs.reduce(0) { $0 + $1.count }
        // No other peer writes under its former ids.
        vector = all.vector.entries.filter { $0.key == all.peer || !all.isOwn($0.key) }
            .mapValues(\.folds.gaplessLast)
        seenBy = exchange.seenBy
        waiting = exchange.waiting.keys.map { (name: $0, text: "\($0)") }
            .sorted { $0.text < $1.text }.map(\.name)
        (listedCount, unreadCount) = (exchange.listedCount, exchange.unreadCount)
        (quarantined, nextTry) = (exchange.quarantined, exchange.nextTry)
        missingValueCount = kept.values.wanted.reduce(0) { $0 + $1.value.count }
        brokenLinkCount = kept.replica.graph.violationCount
        digest = kept.digest
        objectCount = kept.replica.graph.objectCount
        differing = kept.exchange.differing(from: kept.digest)
    }
}

extension UbiquityStatus {
    /// Says in words what is missing, and why.
    fileprivate mutating func noteMissing() {
        var texts: [String] = []
        if let failure { texts.append("the last attempt failed: \(failure)") }
        if condition != .there(.open) { texts.append(condition.missingText) }
        if unwrittenFolds > 0 { texts.append("\(unwrittenFolds) of its changes are not in the container") }
        if unreadCount > 0 { texts.append("\(unreadCount) of \(listedCount) files are not read yet") }
        if missingValueCount > 0 {
            texts.append("\(missingValueCount) values of more than 100 KB have not come")
        }
        if brokenLinkCount > 0 {
            texts.append("\(brokenLinkCount) required relationships or keys were lost when changes met")
        }
        for name in waiting.prefix(Limits.missingTold) {
            if let need = waitingFor[name] { texts.append("'\(name)' waits for \(need.text)") }
        }
        for (name, reason) in quarantined.sorted(by: { "\($0.key)" < "\($1.key)" })
            .prefix(Limits.missingTold)
        {
            texts.append("'\(name)' cannot be read: \(reason)")
        }
        for peer in differing.sorted() {
            texts.append("'\(peer)' has read as much, and shows something else")
        }
        missing = texts.prefix(Limits.missingTold).map { String($0.prefix(Limits.missingTextLength)) }
    }
}

extension ContainerCondition {
    /// What is wrong if it is not open, in words.
    fileprivate var missingText: String {
        switch self {
        case .new: "the container was not looked at yet"
        case .there(.open): "nothing"
        case .there(.readOnly): "the container can only be read"
        case .there(.full): "the container is full"
        case .doubtful: "the container's marker is missed"
        case .away: "the container cannot be reached"
        case .emptied: "the container was emptied"
        case .replaced: "another container is in its place"
        case .locked(let key): "the container is sealed with key \(key), which is not known here"
        case .newer(let version):
            "the container is of version \(version) or later of the format: update Coffer on this machine"
        }
    }
}

extension KnownObject.Need {
    /// What is waited for, in words.
    fileprivate var text: String {
        switch self {
        case .fold(let number): "change \(number) of its machine"
        case .part(let hash): "its part '\(hash)'"
        }
    }
}
