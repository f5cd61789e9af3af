internal import CofferContainer
internal import CofferMerge

/// A store whose folds go into a container's logs.
///
/// Its file holds rows, registers and exchange, which stay or go together when it crashes. Confined to one
/// simulation.
final class ExchangingPeer: ExchangeReplica {
    struct Crash: Error {}

    var store: SimulatedPeer
    private(set) var exchange: Exchange
    private var visit = ContainerVisit()
    private let mutant: Mutant?
    /// Which folder is its machine's.
    let folder: Int
    /// How many more things are kept before it crashes; `nil`: it does not.
    private var crashCountdown: Int?
    /// What burying changed that was seen.
    private(set) var changedByBurial: String?

    init(_ store: SimulatedPeer, rules: ExchangeRules, folder: Int, mutant: Mutant?) {
        self.store = store
        self.folder = folder
        self.mutant = mutant
        exchange = Exchange(store.id, rules: rules)
    }

    /// A copy of its file, on whichever machine.
    init(copying other: ExchangingPeer, folder: Int) {
        store = other.store
        exchange = other.exchange
        exchange.restart()
        visit = other.visit
        mutant = other.mutant
        self.folder = folder
    }

    private static let modelID = [UInt8](repeating: 7, count: 32)

    var digest: StateDigest { StateDigest(store.replica.state.registers) }

    private func survive() throws {
        guard let left = crashCountdown else { return }
        crashCountdown = left > 0 ? left - 1 : nil
        if left == 0 { throw Crash() }
    }

    func keep(_ exchange: Exchange) throws {
        try survive()
        self.exchange = exchange
        store.id = exchange.peer
    }

    func goOn(with exchange: Exchange) { self.exchange = exchange }

    func join(_ taking: ExchangeTaking, keeping exchange: Exchange) throws -> Exchange {
        if mutant == .rowsFirst { self.exchange = exchange }
        try survive()
        store.join(taking.registers)
        self.exchange = exchange
        store.id = exchange.peer
        return exchange
    }

    func keepBaseline(
        at now: WallTime,
        _ write: @escaping @Sendable (WholeState) throws(ObjectFault) -> Exchange
    ) throws -> Exchange {
        try survive()
        let former = store.replica.graph.seen.objects
        let time = exchange.burialTime(at: now, newest: store.replica.state.newestTimes)
        // So few at once that some are left for the next one, as in a large store.
        let burials = store.replica.burials(before: time.microseconds, atMost: 3)
        store.join(burials)
        let seen = store.replica.graph.seen.objects
        for name in Set(former.keys).union(seen.keys).sorted() where former[name] != seen[name] {
            changedByBurial = "burying changed \(name.label)"
        }
        var registers = store.replica.state.registers
        if mutant == .looseReferences {
            registers.removeAll { register in
                guard case .cell(_, _, let cell) = register, let named = cell.value.record else {
                    return false
                }
                return seen[store.replica.name(of: named)] == nil
            }
        }
        exchange = try write(
            WholeState(
                registers: registers, burials: burials, digest: digest, modelID: Self.modelID))
        return exchange
    }
}

extension ExchangingPeer {
    /// Folds what was saved into a log, in one transaction.
    ///
    /// - Returns: Whether there was anything.
    func fold(salt: UInt32, at now: WallTime) throws -> Bool {
        guard let fold = try store.fold(salt: salt) else { return false }
        try exchange.append(fold.registers, digest: digest, modelID: Self.modelID, at: now)
        return true
    }

    /// The time by its machine's clock.
    func time(_ folders: SimulatedFolders) -> WallTime { folders.now(skewedBy: store.skew) }

    /// Takes the store to the second version of the model, in one transaction.
    func migrate(to model: MergeModel, _ folders: SimulatedFolders) throws {
        guard let fold = store.migrate(to: model, at: folders.now.microseconds) else { return }
        try exchange.append(
            fold.registers, digest: digest, modelID: Self.modelID, at: time(folders))
    }

    /// What came of a visit of the container.
    enum Round {
        /// There is no container of ours, as far as can be seen.
        case none
        /// It ended.
        case done(stepCount: Int)
        /// It was cut off by a crash, and what was kept until then stays.
        case crashed
    }

    /// Whether there is a container of ours.
    func find(_ folders: SimulatedFolders) -> Bool {
        let carrier = SimulatedCarrier(folders: folders, index: folder)
        return visit.look(carrier, as: exchange.peer, at: time(folders)).contains(.exchange)
    }

    /// Looks at the container, and does what is to be done there; in part, if hints tell what came since the
    /// visit before.
    func visit(
        _ folders: SimulatedFolders, toldBy hints: Draw?, crashingAfter countdown: Int?, newPeer: () -> PeerID
    ) throws -> Round {
        let carrier = SimulatedCarrier(folders: folders, index: folder)
        guard find(folders) else {
            exchange.restart()
            return .none
        }
        crashCountdown = countdown
        defer { crashCountdown = nil }
        do {
            let outcome = try ExchangeRunner(carrier).run(
                self, now: { [skew = store.skew] in folders.now(skewedBy: skew) }, newPeer: newPeer,
                goingOnWith: try hints.map { try carrier.news(for: exchange, $0) })
            if let event = outcome.refusal.flatMap({ ContainerEvent($0) }) {
                visit.take(event, at: time(folders))
            }
            return .done(stepCount: outcome.stepCount)
        } catch is Crash {
            exchange.restart()
            return .crashed
        }
    }

    /// Whether the container is as it was known.
    var condition: ContainerCondition { visit.condition }
}
