internal import CofferContainer
internal import CofferMerge

/// Peers that exchange a container's objects over folders that are carried badly, as a schedule says.
///
/// The same schedules as of peers that exchange folds: a peer that takes visits its container, what else it
/// would read is the carrier's doing here.
struct ContainerSimulation {
    private let schedule: Schedule
    let mutant: Mutant?
    private let model: MergeModel
    private let tell: Simulation.Telling?
    let folders: SimulatedFolders
    private(set) var peers: [ExchangingPeer]
    private var backups: [Int: ExchangingPeer] = [:]
    private var lastPeer: UInt64 = 100
    /// Whether stores were copied or put back: then nothing promises that no fold is lost.
    private(set) var hasCopies = false
    private(set) var hasForgotten = false
    /// How often a peer's clock was set forward: each time counts as a step at most.
    private(set) var jumps: [Int: Int] = [:]

    /// Few objects are many here.
    static func rules(
        for schedule: Schedule, omitting omitted: OmittedExchangeRules
    ) -> ExchangeRules {
        let peerCount = schedule.peers
        var rules = ExchangeRules()
        // If clocks are set, their jumps are not to count as time that passes.
        if !schedule.hasClocks { rules.step = .seconds(200 * 86_400) }
        rules.logByteCount = 6_000
        rules.mergedCount = 3
        // More than the receipts that follow a baseline, which would bring about the next one.
        rules.baselineLogCount = 2 * peerCount + 2
        rules.baselineByteCount = 6_000
        rules.receiptLogCount = peerCount + 2
        rules.recordsOfPart = 4
        rules.omitted = omitted
        return rules
    }

    init(_ schedule: Schedule, models: SimulatedModels, mutant: Mutant?, tell: Simulation.Telling?) {
        self.schedule = schedule
        model = models[schedule.model]
        self.mutant = mutant
        self.tell = tell
        folders = SimulatedFolders(
            schedule.peers, seed: schedule.carrierSeed, start: schedule.start)
        let rules = Self.rules(for: schedule, omitting: mutant?.omittedOfExchange ?? [])
        peers = (0..<schedule.peers).map { number in
            var store = SimulatedPeer(
                number, models[schedule.model, schedule.firstVersion], mutant: mutant)
            store.id = PeerID(UInt64(number + 1))
            store.isMigrated = schedule.firstVersion == .second
            store.skew = schedule.skews[number]
            return ExchangingPeer(store, rules: rules, folder: number, mutant: mutant)
        }
    }

    /// Runs the schedule to its end, when all peers have everything.
    ///
    /// - Throws: What went wrong first.
    mutating func run() throws(Divergence) {
        do {
            try folders.begin()
            // Each finds the container once, before anything befalls it.
            for peer in peers { _ = peer.find(folders) }
            for event in schedule.events {
                var draw = Draw(event.seed)
                folders.pass(draw.chance(50) ? 0 : Int64(draw.below(4)))
                try step(event, at: event.peer % peers.count, &draw)
            }
            try settle()
        } catch let divergence as Divergence {
            throw divergence
        } catch {
            throw Divergence(.broken("\(error)"))
        }
    }

    private mutating func step(_ event: Schedule.Event, at peer: Int, _ draw: inout Draw) throws {
        switch event.kind {
        case .save(let kind):
            let now = folders.now.microseconds
            guard let save = peers[peer].store.edit(kind, in: event, of: schedule, at: now, &draw) else {
                return
            }
            tell?("\(name(peer)) \(save.story)")
            if draw.chance(60) { try fold(peer, &draw) }
        case .fold: try fold(peer, &draw)
        case .migrate where schedule.firstVersion == .first:
            try fold(peer, &draw)
            try migrate(peer)
        case .take, .meet, .migrate:
            var fork = draw.fork(1)
            let hints = fork.chance(40) ? fork : nil
            try visit(
                peer, toldBy: hints, crashingAfter: draw.chance(20) ? draw.below(12) : nil, &draw)
        case .baseline:
            let story = folders.passSome(&draw)
            tell?(story)
        case .stray:
            let event = folders.befall(peers[peer].folder, of: name(peer), &draw)
            if event.isLoss { hasForgotten = true }
            tell?(event.story)
        case .clone:
            guard peers.count < 5 else { return }
            hasCopies = true
            peers.append(
                ExchangingPeer(copying: peers[peer], folder: folders.addFolder(copying: peers[peer].folder)))
            tell?("\(name(peer)) is copied, as peer \(peers.count - 1)")
        case .backup:
            backups[peer] = ExchangingPeer(copying: peers[peer], folder: peers[peer].folder)
            tell?("\(name(peer)) is backed up")
        case .restore:
            guard let backup = backups[peer] else { return }
            hasCopies = true
            peers[peer] = ExchangingPeer(copying: backup, folder: backup.folder)
            tell?("\(name(peer)) goes back to its backup")
        case .months: try passMonths(without: peer, &draw)
        case .damage:
            guard let file = folders.damage(&draw) else { return }
            hasForgotten = true
            tell?("\(file) is damaged for good")
        case .takeBack:
            let now = folders.now.microseconds
            guard let save = peers[peer].store.takeBack(at: now) else { return }
            tell?("\(name(peer)) takes back a save: \(save.story)")
            if draw.chance(60) { try fold(peer, &draw) }
        case .setClock:
            let former = peers[peer].store.skew
            peers[peer].store.skew = Schedule.skew(besides: schedule.skew(of: peer), &draw)
            if peers[peer].store.skew > former { jumps[peer, default: 0] += 1 }
            tell?("the clock of \(name(peer)) is set to \(peers[peer].store.skew / 1_000_000) seconds ahead")
        }
        try check(peer)
    }

    private func name(_ peer: Int) -> String { "peer \(peer)" }
}

extension ContainerSimulation {
    /// Makes all peers but one visit the container while months pass; then a newcomer may come.
    private mutating func passMonths(without absent: Int, _ draw: inout Draw) throws {
        let months = Schedule.months(&draw)
        tell?("\(name(absent)) is away for \(months.step * Int64(months.count) / SimulatedFolders.day) days")
        for _ in 0..<months.count {
            folders.pass(months.step)
            for peer in peers.indices where peer != absent {
                try visit(peer, crashingAfter: nil, &draw)
                try check(peer)
            }
        }
        guard draw.chance(60), peers.count < 5 else { return }
        let label = peers.count
        lastPeer += 1
        var store = SimulatedPeer(label, model, mutant: mutant)
        store.id = PeerID(lastPeer)
        peers.append(
            ExchangingPeer(
                store, rules: peers[absent].exchange.rules,
                folder: folders.addFolder(copying: peers[draw.below(label)].folder), mutant: mutant))
        tell?("\(name(label)) is new")
        try visit(label, crashingAfter: nil, &draw)
        try check(label)
    }

    private mutating func fold(_ peer: Int, _ draw: inout Draw) throws {
        let salt = UInt32(truncatingIfNeeded: draw.next())
        guard try peers[peer].fold(salt: salt, at: peers[peer].time(folders)) else { return }
        tell?("\(name(peer)) writes fold \(peers[peer].exchange.lastFold)")
    }

    private mutating func migrate(_ peer: Int) throws {
        guard !peers[peer].store.isMigrated else { return }
        try peers[peer].migrate(to: model, folders)
        tell?("\(name(peer)) takes its store to the next version of the model")
    }

    private mutating func visit(
        _ peer: Int, toldBy hints: Draw? = nil, crashingAfter countdown: Int?, _ draw: inout Draw
    ) throws {
        if mutant != .foldedImports { try fold(peer, &draw) }
        var last = lastPeer
        let round = try peers[peer].visit(folders, toldBy: hints, crashingAfter: countdown) {
            last += 1
            return PeerID(last)
        }
        lastPeer = last
        switch round {
        case .none: tell?("\(name(peer)) finds no container: \(peers[peer].condition)")
        case .done(let stepCount):
            tell?("\(name(peer)) visits the container, \(stepCount) steps")
            // Of what no hint told of nothing can be told.
            if hints == nil { try checkTold(peer) }
            if stepCount > 2_000 { throw Divergence(.broken("a visit does not end"), peer: peer) }
        case .crashed: tell?("\(name(peer)) crashes while it visits the container")
        }
        if let sentence = peers[peer].changedByBurial { throw Divergence(.broken(sentence), peer: peer) }
        try checkCarried(peer)
    }
}

extension ContainerSimulation {
    /// Lets everything arrive, and everybody read it, until all are equal.
    private mutating func settle() throws {
        var draw = Draw(schedule.carrierSeed)
        for peer in peers.indices {
            try fold(peer, &draw)
            try migrate(peer)
        }
        folders.calm()
        tell?("all is carried from now on")
        for turn in 0..<60 {
            folders.pass(SimulatedFolders.day / 2 + Int64(turn))
            for peer in peers.indices { try visit(peer, crashingAfter: nil, &draw) }
            // By then all was read twice, under whatever ids copies go on.
            if turn > 4 { for peer in peers.indices { try checkDigests(peer) } }
            if difference == nil { break }
        }
        for peer in peers.indices {
            try check(peer)
            guard peers[peer].store.open.isEmpty else {
                throw Divergence(.broken("what was read would be folded again"), peer: peer)
            }
            try checkDigests(peer)
        }
        if let difference { throw difference }
    }

    /// What two peers see or have otherwise.
    private var difference: Divergence? {
        let one = peers[0].store.replica
        for peer in peers.indices.dropFirst() {
            let other = peers[peer].store.replica
            if one.graph.seen != other.graph.seen {
                return Divergence(.unequal(0, peer, one.graph.seen.difference(from: other.graph.seen)))
            }
            if one.state != other.state { return Divergence(.unequal(0, peer, "their registers")) }
            if !hasCopies, !peers[0].exchange.vector.hasSameFolds(as: peers[peer].exchange.vector) {
                let vectors = [0, peer].map { peers[$0].exchange.vector.entries.mapValues(\.folds.runs) }
                return Divergence(.unequal(0, peer, "they say they have \(vectors)"))
            }
        }
        return nil
    }
}
