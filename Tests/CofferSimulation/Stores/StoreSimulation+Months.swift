internal import CofferContainer

extension StoreSimulation {
    /// Makes all peers but one visit the container while months pass; then a newcomer may come.
    mutating func passMonths(without absent: Int, _ event: Schedule.Event, _ draw: inout Draw) throws {
        let months = Schedule.months(&draw)
        tell?("\(name(absent)) is away for \(months.step * Int64(months.count) / SimulatedFolders.day) days")
        for _ in 0..<months.count {
            folders.pass(months.step)
            for peer in peers.indices where peer != absent { try look(peer) }
        }
        guard draw.chance(60), peers.count < 5 else { return }
        let label = peers.count
        let folder = folders.addFolder(copying: peers[draw.below(label)].folder)
        tell?("\(name(label)) is new")
        try add(folder: folder, skew: 0, seed: event.seed)
        try look(label)
    }

    /// Makes a peer visit the container, which nothing disturbs.
    private func look(_ peer: Int) throws {
        let stored = peers[peer]
        if let failure = try stored.work(onlyFolding: false) {
            throw Divergence(.broken("a visit failed: \(failure)"), peer: peer)
        }
        try stored.read()
        stored.didFold()
        tell?("\(name(peer)) visits the container")
        try checkRows(of: peer, isFolded: true)
    }
}
