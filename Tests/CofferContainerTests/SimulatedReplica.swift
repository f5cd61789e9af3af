import CofferContainer
import CofferMerge
import CofferModel
import TestSupport

/// A store in memory: a state and its exchange, which stay or go together when it crashes.
final class SimulatedReplica: ExchangeReplica {
    struct Crash: Error {}

    private(set) var exchange: Exchange
    private(set) var state = State()
    /// How many more things are kept before it crashes; `nil`: it does not.
    var crashCountdown: Int?
    /// Objects that it cannot join, for a reason.
    var refused: [ObjectName: String] = [:]
    /// How many registers were joined of each object.
    private(set) var joined: [ObjectName: Int] = [:]
    static let modelID = [UInt8](repeating: 7, count: 32)

    init(_ exchange: Exchange) { self.exchange = exchange }

    init(copying other: SimulatedReplica) {
        exchange = other.exchange
        exchange.restart()
        state = other.state
    }

    /// Its process ended, and began again with what was kept.
    init(restarting other: SimulatedReplica) {
        var kept = other.exchange.kept
        // A file keeps the bytes of logs alone; what was put always packs.
        kept.outbox = kept.outbox.map { log in
            (try? OutboxLog(reading: log.object().packed().bytes)) ?? log
        }
        exchange = Exchange(kept, rules: other.exchange.rules)
        state = other.state
    }

    var digest: StateDigest { StateDigest(state.registers) }

    private func survive() throws {
        guard let left = crashCountdown else { return }
        crashCountdown = left > 0 ? left - 1 : nil
        if left == 0 { throw Crash() }
    }

    func keep(_ exchange: Exchange) throws {
        try survive()
        self.exchange = exchange
    }

    func goOn(with exchange: Exchange) { self.exchange = exchange }

    func join(_ taking: ExchangeTaking, keeping exchange: Exchange) throws -> Exchange {
        try survive()
        if let reason = refused[taking.source] { throw JoinRefusal(reason: reason) }
        state.join(State(taking.registers))
        joined[taking.source] = taking.registers.count
        self.exchange = exchange
        return exchange
    }

    func keepBaseline(
        at now: WallTime,
        _ write: @escaping @Sendable (WholeState) throws(ObjectFault) -> Exchange
    ) throws -> Exchange {
        try survive()
        let burialTime = exchange.burialTime(at: now, newest: state.newestTimes)
        var burials: [Register] = []
        for (record, life) in state.lives {
            guard case .dead(let death) = life.value.condition else { continue }
            let youngest = (state.cells[record] ?? [:]).values.map(\.stamp).max() ?? life.stamp
            guard max(youngest, life.stamp).microseconds < burialTime.microseconds else { continue }
            let buried = Life(life.value.entity, .buried(cascaded: death.cascaded))
            burials.append(.life(record, Stamped(buried, life.stamp)))
        }
        for burial in burials { state.join(burial) }
        exchange = try write(
            WholeState(
                registers: state.registers, burials: burials, digest: digest, modelID: Self.modelID))
        return exchange
    }

    func restart() { exchange.restart() }

    /// Its process ended, and what was not kept is gone.
    func beginAnew() { exchange = Exchange(exchange.kept, rules: exchange.rules) }

    /// Writes some registers, as a fold would.
    func edit(_ random: inout SeededGenerator, at now: WallTime) throws {
        let fold = exchange.lastFold + 1
        var written = State()
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let record = RecordID(high: 5, low: UInt64.random(in: 0..<12, using: &random))
            let kind = Int.random(in: 0..<8, using: &random)
            let former = [state.lives[record]?.stamp, state.cells[record]?["a"]?.stamp].compactMap(\.self)
                .max()
            let time = max(now.microseconds, (former?.microseconds ?? 0) + 1)
            let stamp = Stamp(time, peer: exchange.peer, fold: fold)
            switch kind {
            case 0: written.join(.life(record, Stamped(Life("E", .dead(Death())), stamp)))
            case 1, 2: written.join(.life(record, Stamped(Life("E", .alive), stamp)))
            default:
                let value = AttributeValue.integer(.random(in: 0..<1_000, using: &random))
                written.join(.cell(record, "a", Stamped(Cell(.value(value)), stamp)))
            }
        }
        var next = state
        next.join(written)
        var exchange = exchange
        try exchange.append(
            written.registers, digest: StateDigest(next.registers), modelID: Self.modelID, at: now)
        state = next
        self.exchange = exchange
    }
}
