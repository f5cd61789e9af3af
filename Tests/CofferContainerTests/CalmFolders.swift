import CofferContainer
import CofferLinux
import CofferMerge
import CofferSimulation
import Synchronization
import TestSupport

/// Tests of peers that exchange over three folders, whose carriers lose and delay nothing.
protocol CalmFolders {
    var folders: SimulatedFolders { get }
}

/// No baseline was written.
private struct MissingBaseline: Error {}

extension CalmFolders {
    static func calmFolders() -> SimulatedFolders {
        let folders = SimulatedFolders(3, seed: 1)
        folders.calm()
        return folders
    }

    /// A peer that writes a baseline for so many logs.
    func peer(_ number: UInt64, baselineAt count: Int = 200) -> SimulatedReplica {
        var rules = ExchangeRules()
        rules.step = .seconds(200 * 86_400)
        rules.baselineLogCount = count
        rules.recordsOfPart = 3
        return SimulatedReplica(Exchange(PeerID(number), rules: rules))
    }

    /// Does a round.
    ///
    /// - Returns: The objects that were read.
    @discardableResult
    func run(_ replica: SimulatedReplica, at index: Int) throws -> [ObjectName] {
        folders.pass(10)
        let read = ConditionLock<[ObjectName]>([])
        var carrier = SimulatedCarrier(folders: folders, index: index)
        carrier.onGet = { name in read.withLock { $0.append(name) } }
        _ = try ExchangeRunner(carrier).run(
            replica, now: { folders.now }, newPeer: { PeerID(1_000) })
        folders.pass(10)
        return read.withLock { $0 }
    }

    func edit(_ replica: SimulatedReplica, seed: UInt64) throws {
        var random = Seed(seed).generator()
        try replica.edit(&random, at: folders.now)
    }

    /// The names of the objects of a kind, by the letter of it, in the folders at the end.
    func names(_ letter: String) -> [String] {
        folders.finalFiles.keys.filter { $0.hasPrefix(letter) }.sorted()
    }

    /// What became of an object at a peer.
    func fate(of name: String, at replica: SimulatedReplica) throws -> CarriedObject.State? {
        replica.exchange.objects(limit: .max).first { "\($0.name)" == name }?.state
    }

    /// Damages objects in a folder.
    func damage(_ names: some Sequence<String>, at index: Int) {
        folders.world.withLock { world in
            for name in names { world.folders[index][name]?.bytes?.removeLast() }
        }
    }

    /// Edits until there is another baseline; its name.
    func writeBaseline(_ writer: SimulatedReplica) throws -> String {
        let former = Set(names("b-"))
        for _ in 0..<20 {
            try edit(writer, seed: writer.exchange.lastFold + 1)
            try run(writer, at: 0)
            if let name = names("b-").first(where: { !former.contains($0) }) { return name }
        }
        throw MissingBaseline()
    }
}
