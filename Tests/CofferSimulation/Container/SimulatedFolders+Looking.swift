internal import CofferContainer
internal import CofferMerge
internal import Synchronization

/// What a simulation looks at from outside.
extension SimulatedFolders {
    /// The objects that were taken away since this was last asked.
    func takeRemovals() -> [ObjectName] {
        world.withLock { world in
            defer { world.removals = [] }
            return world.removals.map(\.name)
        }
    }

    /// The registers of a log that was ever put.
    func registers(of log: ObjectName) -> [Register] { world.withLock { $0.logs[log] ?? [] } }

    /// Whether something was written where no container of ours was to be seen.
    var hasTrespasses: Bool { world.withLock { $0.trespasses > 0 } }

    /// Whether an object was put so long ago.
    func hasStood(_ name: ObjectName, for duration: Duration) -> Bool {
        world.withLock { world in
            world.firstPut[name].map { start in
                WallTime(microseconds: world.clock).isPast(duration, since: WallTime(microseconds: start))
            } ?? false
        }
    }

    /// Whether a baseline that has folds of a peer was put so long ago.
    func hasStood(baselineOf folds: ClosedRange<UInt64>, by peer: PeerID, for duration: Duration) -> Bool {
        let names = world.withLock { world in
            world.baselines.filter { $0.value.vector.folds(of: peer).contains(folds) }.map(\.key)
        }
        return names.contains { hasStood($0, for: duration) }
    }

    /// Whether a larger log with the folds of one was put so long ago, and one is whole in a folder.
    func hasStood(
        largerThan folds: ClosedRange<UInt64>, by peer: PeerID, for duration: Duration, in folder: Int
    ) -> Bool {
        let (larger, there) = world.withLock { world in
            let larger = world.firstPut.keys.filter { name in
                guard case .log(peer, let others) = name.identity else { return false }
                return others != folds && others.contains(folds)
            }
            return (
                larger,
                larger.compactMap { name in world.folders[folder]["\(name)"]?.bytes.map { (name, $0) } }
            )
        }
        // What cannot be read is not whole.
        return there.contains { (try? ContainerObject(reading: $1, named: $0)) != nil }
            && larger.contains { hasStood($0, for: duration) }
    }

    /// The folds of a peer that are in any baseline that was ever put.
    func foldsOfBaselines(by peer: PeerID) -> FoldSet {
        world.withLock { world in
            world.baselines.values.reduce(into: FoldSet()) { $0.formUnion($1.vector.folds(of: peer)) }
        }
    }

    /// The folds of logs that were ever put, by the ids that they were written under.
    var everPut: [PeerID: FoldSet] {
        world.withLock { world in
            var folds: [PeerID: FoldSet] = [:]
            for name in world.firstPut.keys {
                guard case .log(let writer, let run) = name.identity else { continue }
                folds[writer, default: FoldSet()].insert(run)
            }
            return folds
        }
    }

    /// The folds that a container has, in logs or in baselines that are whole, once everything was carried.
    var coverage: KnowledgeVector {
        world.withLock { world in
            var covered = KnowledgeVector()
            let latest = world.latest
            let isThere = { (name: ObjectName) in latest["\(name)"]?.bytes != nil }
            for (text, file) in latest where file.bytes != nil {
                guard let name = ObjectName(text) else { continue }
                switch name.identity {
                case .log(let writer, let folds): covered.insert(FoldSet(folds), of: writer, chain: nil)
                case .baseline:
                    guard let baseline = world.baselines[name],
                        baseline.parts.allSatisfy({ isThere(ObjectName(.part, hash: $0)) })
                    else { continue }
                    covered.join(baseline.vector)
                default: break
                }
            }
            return covered
        }
    }
}
