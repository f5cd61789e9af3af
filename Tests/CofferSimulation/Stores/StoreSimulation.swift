internal import CofferContainer
internal import CofferLinux
internal import CofferMerge
internal import CofferStores
internal import CofferUbiquity

/// Peers whose rows and registers are in SQLite files in memory, and that exchange a container's objects over
/// folders that are carried badly, as a schedule says.
///
/// They save through contexts, and fold, import and write baselines as the service does; machines die at any
/// write of their files. A file's rows are compared after each save with what it was to do, after each fold
/// with what its author saw, and whenever all is folded with what the definition shows of the file's own
/// registers.
///
/// All kinds of edits are carried over. What was deleted comes back under another name, since a store brings
/// back only what is edited, and only as long as its machine runs. When peers that exchange folds would read
/// one of them, a whole state, or something out of turn, these peers visit the container. What they find
/// there is up to the carrier. In the strict world stores are migrated to the second version of its model.
struct StoreSimulation {
    let schedule: Schedule
    let tell: Simulation.Telling?
    private let world: StoredPeer.World
    private(set) var peers: [StoredPeer] = []
    /// The version of the model, and what was saved and not folded, of the files that were kept aside.
    private(set) var backups: [Int: (SimulatedModel.Version, [LocalEdit])] = [:]
    /// Whether the carrier lost files: if the peer that had a long text went back to a backup, it is lost.
    private(set) var hasForgotten = false

    var folders: SimulatedFolders { world.folders }

    init(_ schedule: Schedule, models: SimulatedModels, tell: Simulation.Telling?) throws(Divergence) {
        (self.schedule, self.tell) = (schedule, tell)
        do {
            world = StoredPeer.World(
                versions: try SimulatedModel.Version.allCases.map { version in
                    let model = try StoreModel(try schedule.model.objectModel(version))
                    return (model, models[schedule.model, version])
                }, files: try MemoryFolder(),
                folders: SimulatedFolders(
                    schedule.peers, seed: schedule.carrierSeed, start: schedule.start),
                rules: ContainerSimulation.rules(for: schedule, omitting: []))
            try world.folders.begin()
            for number in 0..<schedule.peers {
                let peer = try StoredPeer(
                    world, schedule.firstVersion, folder: number, name: "\(number)",
                    skew: schedule.skews[number],
                    seed: schedule.carrierSeed &+ UInt64(number))
                // Each finds the container once, before anything befalls it.
                _ = try peer.work(onlyFolding: false)
                try peer.read()
                peers.append(peer)
            }
        } catch { throw Divergence(.broken("\(error)")) }
    }

    /// Runs the schedule to its end, when all peers have everything.
    ///
    /// - Throws: What went wrong first.
    mutating func run() throws(Divergence) {
        do {
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
            try save(kind, in: event, at: peer, &draw)
            if draw.chance(60) { try fold(peer, &draw) }
        case .fold: try fold(peer, &draw)
        case .migrate where schedule.firstVersion == .first: try migrate(peer, &draw)
        case .take, .meet, .migrate: try visit(in: event, at: peer, &draw)
        case .baseline:
            let story = folders.passSome(&draw)
            tell?(story)
        case .stray:
            let event = folders.befall(peers[peer].folder, of: name(peer), &draw)
            if event.isLoss { hasForgotten = true }
            tell?(event.story)
        case .clone:
            guard peers.count < 5 else { return }
            let label = peers.count
            try peers[peer].copyFiles(to: "\(label)")
            try add(
                folder: folders.addFolder(copying: peers[peer].folder), skew: peers[peer].clock.skew,
                seed: event.seed, peers[peer].version)
            peers[label].goOn(with: peers[peer].open)
            tell?("\(name(peer)) is copied, as peer \(label)")
        case .backup:
            try peers[peer].copyFiles(to: "backup \(peer)")
            backups[peer] = (peers[peer].version, peers[peer].open)
            tell?("\(name(peer)) is backed up")
        case .restore:
            guard let (version, open) = backups[peer] else { return }
            var choice = draw.fork(6)
            if schedule.model == .strict, choice.chance(50) {
                if choice.chance(40) { return try fill(peer, choosing: &choice, &draw) }
                return try restoreContent(of: peer, &draw)
            }
            try peers[peer].putBack("backup \(peer)", version, with: open)
            try peers[peer].read()
            tell?("\(name(peer)) goes back to its backup")
        case .months: try passMonths(without: peer, event, &draw)
        case .damage:
            guard let file = folders.damage(&draw) else { return }
            hasForgotten = true
            tell?("\(file) is damaged for good")
        case .takeBack:
            try takeBack(at: peer, &draw)
            if draw.chance(60) { try fold(peer, &draw) }
        case .setClock:
            peers[peer].clock.skew = Schedule.skew(besides: schedule.skew(of: peer), &draw)
            tell?("the clock of \(name(peer)) is set to \(peers[peer].clock.skew / 1_000_000) seconds ahead")
        }
    }

    /// Adds a peer with a new store, or with the files that are there under its name.
    mutating func add(
        folder: Int, skew: Int64, seed: UInt64, _ version: SimulatedModel.Version = .second
    ) throws {
        peers.append(
            try StoredPeer(
                world, version, folder: folder, name: "\(peers.count)", skew: skew, seed: seed))
    }

    func name(_ peer: Int) -> String { "peer \(peer)" }

    /// After how many calls of the file system a machine dies; `nil`: it does not.
    private func countdown(_ draw: inout Draw) -> Int? { draw.chance(25) ? draw.below(30) : nil }
}

extension StoreSimulation {
    private func save(
        _ kind: EditKind, in event: Schedule.Event, at peer: Int, _ draw: inout Draw
    ) throws {
        let (stored, before) = (peers[peer], peers[peer].reading)
        let countdown = countdown(&draw)
        guard let save = edit(kind, in: event, at: peer, &draw) else { return }
        let rows = Rows(objects: before.rows)
        tell?("\(name(peer)) \(save.story)")
        var isSaved = false
        let hasDied = try stored.surviving(countdown) {
            isSaved = try stored.save(save)
        }
        if hasDied { tell?("\(name(peer)) dies in a save\(isSaved ? ", when it is in the file" : "")") }
        try stored.read()
        let renamed = save.renaming(to: stored.reading.rows.keys.first { before.rows[$0] == nil })
        if let difference = renamed.rows.difference(from: stored.reading.rows) {
            if !isSaved, rows.difference(from: stored.reading.rows) == nil { return }
            throw Divergence(.broken("a save shows something else: \(difference)"), peer: peer)
        }
        stored.note(LocalEdit(at: folders.now.microseconds, renamed.changes))
        stored.didSave(save, from: before)
    }

    /// Undoes the last save in its context, and saves that.
    private func takeBack(at peer: Int, _ draw: inout Draw) throws {
        let (stored, before) = (peers[peer], peers[peer].reading)
        guard let last = stored.undoable else { return }
        let isExact = last.isExact(in: before, model: stored.model)
        var refusal: (any Error)?
        let hasDied = try stored.surviving(countdown(&draw)) { refusal = try stored.undo() }
        try stored.read()
        let (rows, now) = (Rows(objects: before.rows), Rows(objects: stored.reading.rows))
        let changes = rows.changes(to: now, model: stored.model)
        tell?(
            "\(name(peer)) undoes its save: " + changes.compactMap(\.label).joined(separator: ", ")
                + (hasDied ? ", and dies" : "") + (refusal.map { ", which is refused: \($0)" } ?? ""))
        if !changes.isEmpty { stored.note(LocalEdit(at: folders.now.microseconds, changes)) }
        guard isExact, !hasDied || !changes.isEmpty else { return }
        if let refusal { throw Divergence(.broken("undo of a save: \(refusal)"), peer: peer) }
        if let difference = last.difference(from: stored.reading.placedRows) {
            throw Divergence(.broken("undo of a save shows something else: \(difference)"), peer: peer)
        }
    }

    func fold(_ peer: Int, _ draw: inout Draw) throws {
        let (stored, before) = (peers[peer], peers[peer].reading)
        var failure: String?
        let hasDied = try stored.surviving(countdown(&draw)) {
            failure = try stored.work(onlyFolding: true)
        }
        try stored.read()
        if hasDied { tell?("\(name(peer)) dies in a fold") }
        if let failure, !hasDied { throw Divergence(.broken("a fold failed: \(failure)"), peer: peer) }
        let isFolded = stored.lastFold > before.exchange.lastFold
        if isFolded { tell?("\(name(peer)) writes fold \(stored.lastFold)") }
        try checkFold(from: before, isFolded: isFolded, at: peer)
        if isFolded || !hasDied { stored.didFold() }
        try checkRows(of: peer, isFolded: !hasDied)
    }

    private func visit(in event: Schedule.Event, at peer: Int, _ draw: inout Draw) throws {
        let (stored, before) = (peers[peer], peers[peer].reading)
        var failure: String?
        var saved: [LocalEdit.Change] = []
        let countdown = countdown(&draw)
        let save = draw.chance(30) ? draw.pick([EditKind.attribute, .key, .attribute, .link]) : nil
        let edit = save.flatMap { self.edit($0, in: event, at: peer, &draw) }
        var fork = draw.fork(1)
        let hints = fork.chance(40) ? fork : nil
        let hasDied = try stored.surviving(countdown) {
            failure = try stored.work(whileSaving: edit, toldBy: hints) { saved = $0 }
        }
        try stored.read()
        tell?("\(name(peer)) visits the container" + (hasDied ? ", and dies" : ""))
        if let failure, !hasDied { throw Divergence(.broken("a visit failed: \(failure)"), peer: peer) }
        if !hasDied { stored.didFold() }
        if let edit {
            let changes = edit.changes.compactMap(\.label).joined(separator: ", ")
            tell?("\(name(peer)) \(saved.isEmpty ? "tries" : "saves") meanwhile: \(changes)")
            stored.note(LocalEdit(at: folders.now.microseconds, edit.changes))
            try checkKept(saved, from: before, at: peer)
        }
        try checkRows(of: peer, isFolded: !hasDied && edit == nil)
    }

    /// What a user of a peer does; `nil` if there is nothing to do it to.
    private func edit(
        _ kind: EditKind, in event: Schedule.Event, at peer: Int, _ draw: inout Draw
    ) -> Save? {
        let rows = Rows(objects: peers[peer].reading.rows)
        let fresh = RecordID(high: UInt64(1 + draw.below(255)), low: UInt64(event.place + 1))
        var user = User(
            draw: draw, model: peers[peer].model, kind: schedule.model, entities: schedule.entities)
        user.isCareful = true
        let kind = kind == .insert && rows.objects.count > 9 ? .attribute : kind
        return user.edit(kind, rows, fresh: fresh, returning: peers[peer].returning)
    }

    /// Lets everything arrive, and everybody read it, until all are equal.
    private func settle() throws {
        var draw = Draw(schedule.carrierSeed)
        for peer in peers.indices {
            try fold(peer, &draw)
            try migrate(peer, &draw)
        }
        folders.calm()
        tell?("all is carried from now on")
        for turn in 0..<60 {
            folders.pass(SimulatedFolders.day / 2 + Int64(turn))
            for peer in peers.indices { _ = try peers[peer].work(onlyFolding: false) }
            for peer in peers.indices { try peers[peer].read() }
            if difference == nil, hasForgotten || !peers.contains(where: { $0.isWaiting }) { break }
        }
        if let difference { throw difference }
        for peer in peers.indices {
            try checkRows(of: peer, isFolded: true)
            try checkEnd(of: peer)
        }
    }
}
