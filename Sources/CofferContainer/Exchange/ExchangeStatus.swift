package import CofferMerge

/// What an exchange shows of itself.
package struct ExchangeStatus: Hashable, Sendable {
    /// The folds that are not in the container yet.
    package let unwritten: FoldSet
    /// Logs that wait for the fold before them, and baselines that wait for a part.
    package let waiting: [ObjectName: KnownObject.Need]
    /// How many logs and baselines of others are known of, and how many of these were not read yet.
    package let listedCount: Int
    package let unreadCount: Int
    /// What cannot be read, and why.
    package let quarantined: [ObjectName: String]
    /// When the first of that is to be tried again; `nil` if nothing is.
    package let nextTry: WallTime?
    /// For each peer the last of one's own folds that it is known to have; 0 if there is none.
    package let seenBy: [PeerID: UInt64]
}

extension Exchange {
    /// What is to be shown of it.
    package var status: ExchangeStatus {
        var unwritten = FoldSet()
        for log in missingLogs where log.writer == peer {
            unwritten.insert(log.content.chain.folds)
        }
        var waiting: [ObjectName: KnownObject.Need] = [:]
        var quarantined: [ObjectName: String] = [:]
        var tries = damaged.values.map(\.next)
        var (listedCount, unreadCount) = (0, 0)
        // What was written under a former id, before the file was copied, is in it and never read.
        let own = Set(outbox.map(\.name)).union(baselines.map(\.name))
        for (name, object) in known {
            switch name.identity {
            case .log(let writer, _) where writer != peer && !own.contains(name),
                .baseline(let writer, _) where writer != peer && !own.contains(name):
                listedCount += 1
                if case .unread = object.condition { unreadCount += 1 }
            default: break
            }
            switch object.condition {
            case .waiting(let need): waiting[name] = need
            case .quarantined(let reason, _, let next):
                quarantined[name] = reason
                tries.append(next)
            case .unread:
                // It was not read, since its name says already that it waits.
                guard case .log(let writer, let folds) = name.identity, folds.lowerBound > 1,
                    !chains.hasAny(folds.lowerBound - 1, by: writer)
                else { continue }
                waiting[name] = .fold(folds.lowerBound - 1)
            case .taken: break
            }
        }
        // Nothing of a former baseline is needed any more.
        for name in baselines.last.map(names) ?? [] {
            if let object = damaged[name] { quarantined[name] = object.reason }
        }
        return ExchangeStatus(
            unwritten: unwritten, waiting: waiting, listedCount: listedCount, unreadCount: unreadCount,
            quarantined: quarantined, nextTry: tries.min(),
            seenBy: told.mapValues { $0.vector.folds(of: peer).gaplessLast })
    }
}
