internal import CofferMerge

/// What one peer does for all.
enum SharedDuty: Hashable, Sendable {
    /// To write a baseline.
    case baseline
    /// To tell what was read.
    case receipt
}

/// What each of several peers could do, and one is to do.
extension Exchange {
    /// Whether it is this peer's turn to do what is to be done: at once if it is the first of those that were
    /// heard of within a day, and later if it is one of the others, at the next round that lists all.
    ///
    /// - Parameters:
    ///   - duty: What is to be done.
    ///   - isDue: Whether it is, as far as this peer knows.
    ///   - now: The time.
    /// - Returns: Whether it is to do it now.
    mutating func isTurn(to duty: SharedDuty, if isDue: Bool, at now: WallTime) -> Bool {
        guard isDue, let time = round?.time else {
            dueSince[duty] = nil
            return false
        }
        let start = dueSince[duty] ?? time
        dueSince[duty] = start
        let before = told.count { other, state in
            other < peer && !isOwn(other)
                && !now.isPast(rules.daily, since: WallTime(microseconds: state.time))
        }
        return hasPassed(rules.turn * before, since: start)
    }

    /// Whether others should know what was read here, and nothing else tells them: so much that an author may
    /// wait for it, or anything, once a day.
    mutating func wantsReceipt(at now: WallTime) -> Bool {
        guard let round, hasNews, !round.hasAskedForReceipt else { return false }
        // A clock that was set back tells nothing of how long that is ago.
        let isDaily = lastLogAt.map { now.isPast(rules.daily, since: $0) || now < $0 } ?? true
        return isDaily || isTurn(to: .receipt, if: hasMuchUntold, at: now)
    }

    /// Whether logs of others were read that neither this peer nor a third one has told of, and many.
    private var hasMuchUntold: Bool {
        var count = 0
        for name in round?.objects ?? [] {
            guard case .log(let writer, _) = name.identity, !isOwn(writer),
                case .log(let folds, let last, _) = known[name]?.facts
            else { continue }
            let isTold =
                chains.covers(folds, last: last, of: writer, by: acknowledged)
                || told.contains {
                    $0 != writer && chains.covers(folds, last: last, of: writer, by: $1.vector)
                }
            if !isTold { count += 1 }
            if count == rules.receiptLogCount { return true }
        }
        return false
    }
}
