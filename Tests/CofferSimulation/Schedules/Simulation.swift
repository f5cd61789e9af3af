internal import CofferContainer
internal import CofferMerge
internal import MergeReference

/// Peers that save, fold and read of each other as a schedule says, and what is looked at after each step.
package struct Simulation {
    /// Told what happens, line by line.
    package typealias Telling = (String) -> Void

    private let schedule: Schedule
    private let mutant: Mutant?
    private let model: MergeModel
    private let tell: Telling?
    private var peers: [SimulatedPeer]
    private var backups: [Int: SimulatedPeer] = [:]
    private var carrier: any FoldCarrier
    private var chains: Int
    /// The records that some user labelled.
    private var labelled: Set<RecordID> = []
    private var now: Int64

    /// A simulation of one schedule.
    ///
    /// - Parameters:
    ///   - schedule: What happens.
    ///   - models: The simulated models, less what the mutant leaves out.
    ///   - mutant: What is wrong on purpose: the definition is not compared with then, only what rules
    ///     promise.
    ///   - tell: Told what happens.
    package init(
        _ schedule: Schedule, models: SimulatedModels, mutant: Mutant? = nil, tell: Telling? = nil
    ) {
        self.schedule = schedule
        model = models[schedule.model]
        self.mutant = mutant
        self.tell = tell
        let first = models[schedule.model, schedule.firstVersion]
        peers = (0..<schedule.peers).map {
            SimulatedPeer($0, first, mutant: mutant, isKept: schedule.isKept)
        }
        for (place, skew) in schedule.skews.enumerated() {
            peers[place].skew = skew
            peers[place].isMigrated = !schedule.hasMigrations
        }
        carrier = FaultyCarrier(schedule.carrierSeed)
        now = 100 + schedule.start
        chains = schedule.peers
    }

    /// Runs the schedule to its end, when all peers have everything.
    ///
    /// - Throws: What went wrong first.
    package mutating func run() throws(Divergence) {
        for event in schedule.events { try advance(event) }
        try meet()
    }

    /// Takes one step.
    mutating func advance(_ event: Schedule.Event) throws(Divergence) {
        var draw = Draw(event.seed)
        // Clocks are coarse, so that some stamps are equal.
        now += draw.chance(50) ? 0 : Int64(draw.below(4))
        try step(event, at: event.peer % peers.count, &draw)
    }

    /// Whether there are folds that a peer has not read.
    func hasNews(for peer: Int) -> Bool {
        carrier.all.contains { $0.number >= peers[peer].vector[$0.chain] ?? 0 }
    }

    private mutating func step(_ event: Schedule.Event, at peer: Int, _ draw: inout Draw) throws(Divergence) {
        switch event.kind {
        case .save(let kind):
            guard save(kind, in: event, at: peer, &draw) else { return }
            if draw.chance(60) { try fold(peer, &draw) }
        case .fold: try fold(peer, &draw)
        case .take:
            if mutant != .foldedImports { try fold(peer, &draw) }
            take(peer, &draw)
        case .migrate:
            try fold(peer, &draw)
            migrate(peer)
        case .meet:
            try fold(peer, &draw)
            readAll(peer)
        case .months: try passMonths(without: peer, &draw)
        case .baseline:
            let other = draw.below(peers.count)
            guard other != peer else { return }
            try fold(peer, &draw)
            try fold(other, &draw)
            peers[peer].join(peers[other])
            tell?("\(name(peer)) reads the baseline of \(name(other))")
        case .stray:
            try fold(peer, &draw)
            stray(peer, &draw)
        case .clone:
            guard peers.count < 6 else { return }
            try fold(peer, &draw)
            let label = peers.count
            peers.append(peers[peer].copy(as: label, chain: chains, id: peers[peer].id))
            chains += 1
            tell?("\(name(peer)) is copied, and \(name(label)) writes as the same peer")
        case .backup:
            backups[peer] = peers[peer]
            tell?("\(name(peer)) is backed up")
        case .restore:
            guard let backup = backups[peer] else { return }
            try fold(peer, &draw)
            peers[peer] = backup.copy(as: backup.label, chain: chains, id: PeerID(UInt64(100 + chains)))
            chains += 1
            tell?("\(name(peer)) goes back to its backup, as another peer")
        case .damage: return  // What carries folds loses them or not.
        case .takeBack:
            guard let save = peers[peer].takeBack(at: now) else { return }
            tell?("\(name(peer)) takes back a save: \(save.story)")
            if draw.chance(60) { try fold(peer, &draw) }
        case .setClock:
            peers[peer].skew = Schedule.skew(besides: schedule.skew(of: peer), &draw)
            tell?("the clock of \(name(peer)) is set to \(peers[peer].skew / 1_000_000) seconds ahead")
        }
        try check(peer)
    }

    private func name(_ peer: Int) -> String { "peer \(peer)" }
}

extension Simulation {
    private mutating func migrate(_ peer: Int) {
        guard !peers[peer].isMigrated else { return }
        if let fold = peers[peer].migrate(to: model, at: now) { carrier.put(fold) }
        tell?("\(name(peer)) takes its store to the next version of the model")
    }

    private mutating func readAll(_ peer: Int) {
        for fold in carrier.all where fold.number >= peers[peer].vector[fold.chain] ?? 0 {
            peers[peer].join(fold)
        }
        tell?("\(name(peer)) reads all")
    }

    /// Makes all peers but one read what is there while months pass; then a newcomer may come.
    private mutating func passMonths(without absent: Int, _ draw: inout Draw) throws(Divergence) {
        let months = Schedule.months(&draw)
        tell?("\(name(absent)) is away for \(months.step * Int64(months.count) / SimulatedFolders.day) days")
        for peer in peers.indices where peer != absent {
            now += months.step * Int64(months.count) / Int64(peers.count)
            try fold(peer, &draw)
            readAll(peer)
            try check(peer)
        }
        guard draw.chance(60), peers.count < 6 else { return }
        let label = peers.count
        var newcomer = SimulatedPeer(label, model, mutant: mutant, isKept: schedule.isKept)
        (newcomer.chain, newcomer.id) = (chains, PeerID(UInt64(200 + label)))
        chains += 1
        peers.append(newcomer)
        tell?("\(name(label)) is new")
        readAll(label)
        try check(label)
    }

    private mutating func save(
        _ kind: EditKind, in event: Schedule.Event, at peer: Int, _ draw: inout Draw
    ) -> Bool {
        guard let save = peers[peer].edit(kind, in: event, of: schedule, at: now, &draw) else { return false }
        tell?("\(name(peer)) \(save.story)")
        return true
    }

    private mutating func fold(_ peer: Int, _ draw: inout Draw) throws(Divergence) {
        let salt = UInt32(truncatingIfNeeded: draw.next())
        var crashed: CarriedFold?
        if draw.chance(10) {
            // All of it is one transaction: a crash leaves nothing, and it is done again.
            var lost = peers[peer]
            crashed = try lost.fold(salt: salt)
            if crashed != nil { tell?("\(name(peer)) crashes in a fold") }
        }
        guard let fold = try peers[peer].fold(salt: salt) else { return }
        if let crashed, Set(crashed.registers) != Set(fold.registers) {
            throw Divergence(.unrepeatable, peer: peer)
        }
        carrier.put(fold)
        for case .cell(let record, SimulatedModel.laterAttribute, let cell) in fold.registers
        where !cell.value.isDefaulted && !SimulatedModel.isComputed(cell.value) { labelled.insert(record) }
        tell?("\(name(peer)) folds, as fold \(fold.number) of chain \(fold.chain)")
    }

    private mutating func take(_ peer: Int, _ draw: inout Draw) {
        for _ in 0..<(1 + draw.below(4)) {
            let chain = draw.below(chains)
            guard chain != peers[peer].chain else { continue }
            let number = peers[peer].vector[chain] ?? 0
            guard let fold = carrier.fold(chain, number, at: now, reader: peer) else { continue }
            if draw.chance(5) {
                var lost = peers[peer]
                lost.join(fold)
                tell?("\(name(peer)) crashes in an import")
            }
            peers[peer].join(fold)
            tell?("\(name(peer)) takes fold \(number) of chain \(chain)")
        }
    }

    private mutating func stray(_ peer: Int, _ draw: inout Draw) {
        let chain = draw.below(chains)
        let number = draw.below(max(1, (peers[peer].vector[chain] ?? 0) + 3))
        guard let fold = carrier.fold(chain, number, at: now, reader: peer) else { return }
        peers[peer].join(fold.registers)
        tell?("\(name(peer)) reads fold \(number) of chain \(chain) out of turn")
    }

    /// Everybody reads everything, in any order, some of it twice.
    mutating func meet() throws(Divergence) {
        var draw = Draw(schedule.carrierSeed)
        for peer in peers.indices {
            try fold(peer, &draw)
            // Else they would not see the same.
            if schedule.model == .strict { migrate(peer) }
        }
        for peer in peers.indices {
            let folds = carrier.all.shuffled(using: &draw)
            for fold in folds + folds.prefix(3) { peers[peer].join(fold) }
            tell?("\(name(peer)) has all")
            try check(peer)
            guard peers[peer].open.isEmpty else {
                throw Divergence(.broken("what was read would be folded again"), peer: peer)
            }
        }
        for record in labelled.sorted() {
            let cell = peers[0].replica.state.cells[record]?[SimulatedModel.laterAttribute]
            if cell.map({ SimulatedModel.isComputed($0.value) }) ?? false {
                throw Divergence(.broken("a migration took the label away that \(record.label) was given"))
            }
        }
        for peer in peers.indices.dropFirst() {
            let (one, other) = (peers[0].replica, peers[peer].replica)
            guard one.graph.seen == other.graph.seen else {
                throw Divergence(.unequal(0, peer, one.graph.seen.difference(from: other.graph.seen)))
            }
            guard one.state == other.state else {
                throw Divergence(.unequal(0, peer, "their registers"))
            }
        }
    }

    private func check(_ peer: Int) throws(Divergence) {
        if let fault = peers[peer].replica.fault(without: mutant) { throw Divergence(fault, peer: peer) }
    }
}

extension Replica {
    /// What is not as the definition says, or as rules promise; without one of them only the latter is asked.
    func fault(without mutant: Mutant?) -> Divergence.Fault? {
        if mutant == nil {
            let defined = MergeReference(state, model: model).graph()
            if graph.seen != defined { return .undefined(graph.seen, defined) }
        }
        return Intents(self).broken().map { .broken($0) }
    }
}
