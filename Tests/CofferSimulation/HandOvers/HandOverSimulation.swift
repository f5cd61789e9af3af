internal import CofferContainer
internal import CofferMerge
internal import CofferUbiquity
internal import CofferWire

/// Machines whose users sign in and out while clients have a store open, as a schedule says, and what is
/// looked at after each step.
struct HandOverSimulation {
    let schedule: HandOverSchedule
    let mutant: HandOverMutant?
    let tell: (String) -> Void
    let ledger = HandOverLedger()
    let containers: [Int64: AccountContainer]
    let machines: [SimulatedMachine]
    let model: MergeModel
    private var now: Int64 = 1_000_000

    init(
        _ schedule: HandOverSchedule, model: MergeModel, mutant: HandOverMutant?,
        tell: ((String) -> Void)?
    ) {
        (self.schedule, self.mutant, self.tell, self.model) = (schedule, mutant, tell ?? { _ in }, model)
        var containers: [Int64: AccountContainer] = [:]
        for account in 1...Int64(schedule.accounts) {
            let container = AccountContainer(ContainerID(high: 1, low: UInt64(account)))
            let count = schedule.foreignLogs[Int(account) - 1]
            if count > 0 {
                container.replace(
                    with: ContainerID(high: 2, low: UInt64(account)),
                    Self.foreign(account, count: count, round: 0, model))
            }
            containers[account] = container
        }
        self.containers = containers
        let ledger = ledger
        machines = (0..<schedule.machines).map { number in
            SimulatedMachine(
                number, clients: schedule.clients, containers, model: model, mutant: mutant, ledger: ledger,
                tell: tell ?? { _ in })
        }
    }

    /// The first of the numbers that other machines' records have.
    static let foreign = 1_000_000

    /// Logs of a machine that is not simulated.
    private static func foreign(
        _ account: Int64, count: Int, round: Int, _ model: MergeModel
    ) -> [LogName: [Register]] {
        var content = StoreContent(PeerID(UInt64(1_000 * round) + UInt64(account)), model)
        for number in 0..<count {
            let label = foreign + Int(account) * 10_000 + round * 100 + number
            content.save([.insert(label)], at: WallTime(microseconds: Int64(number + 1)))
            content.fold()
        }
        return content.outbox
    }

    /// Runs the schedule to its end, when everything is back and no client is waited for.
    ///
    /// - Throws: What went wrong first.
    mutating func run() throws(Divergence) {
        for event in schedule.events { try advance(event) }
        try settle()
    }

    private mutating func advance(_ event: HandOverSchedule.Event) throws(Divergence) {
        var draw = Draw(event.seed)
        pass(seconds: draw.below(4))
        let machine = machines[event.machine % machines.count]
        do throws(SimulatedMachine.Death) { try step(event, on: machine, &draw) } catch { machine.restart() }
        try check()
    }

    private mutating func pass(seconds: Int) {
        now += Int64(seconds) * 1_000_000 + 1
        for machine in machines { machine.now = WallTime(microseconds: now) }
    }

    private mutating func step(
        _ event: HandOverSchedule.Event, on machine: SimulatedMachine, _ draw: inout Draw
    ) throws(SimulatedMachine.Death) {
        let client = draw.below(machine.clients.count)
        let account = Int64(1 + draw.below(schedule.accounts))
        switch event.kind {
        case .signIn: try machine.signIn(to: account)
        case .signOut: try machine.signIn(to: nil)
        case .open:
            let choices: [LocalContentMessage?] = [nil, nil, nil, .merge, .merge, .keep, .discard]
            var choice = choices[draw.below(choices.count)]
            if schedule.isMerging, draw.chance(80) { choice = .merge }
            try machine.open(by: client, localContent: choice)
        case .edit: machine.edit(by: client, inserting: event.place + 1, &draw)
        case .save:
            if machine.clients[client].changes.isEmpty {
                machine.edit(by: client, inserting: event.place + 1, &draw)
            }
            try machine.save(by: client)
        case .answer: try machine.answer(by: client, saving: draw.chance(70))
        case .deadline: machine.passDeadline()
        case .die: machine.die(client)
        case .work: try machine.work()
        case .progress:
            for _ in 0...draw.below(schedule.pace) {
                try machine.progress(&draw)
                if draw.chance(50) { try machine.work() }
            }
        case .close: machine.closeUnused()
        case .rebuild: try machine.open(by: client, localContent: nil, rebuilds: true)
        case .removeContent: try machine.beginContentRemoval()
        case .removeStore: try machine.beginRemoval()
        case .crash: machine.dieLater(after: draw.below(6))
        case .powerFailure: machine.loseAll()
        case .wait: pass(seconds: 100)
        case .away, .there, .emptied, .replaced:
            befall(account, event, on: machine)
        }
    }

    /// Something happens to an account's container.
    private func befall(_ account: Int64, _ event: HandOverSchedule.Event, on machine: SimulatedMachine) {
        switch event.kind {
        case .away:
            machine.away.insert(account)
            machine.say("the folder of account \(account) is away")
        case .there:
            machine.away = []
            machine.say("all folders are there")
        case .emptied:
            containers[account]?.empty()
            ledger.noteLoss(of: account)
            tell("the container of account \(account) is emptied")
        case .replaced:
            containers[account]?.replace(
                with: ContainerID(high: 3, low: UInt64(event.place)),
                Self.foreign(account, count: 10, round: event.place + 1, model))
            ledger.noteLoss(of: account)
            tell("the container of account \(account) is another one")
        default: break
        }
    }
}

extension HandOverSimulation {
    /// Everything comes back, each account is signed in to once on all machines, and at last no account is.
    private mutating func settle() throws(Divergence) {
        tell("all is well from now on")
        for machine in machines {
            machine.away = []
            machine.stepsLeft = nil
        }
        try quiesce()
        var seen: [Int64?: [[Int: Int]]] = [:]
        for account in (1...Int64(schedule.accounts)).map(Optional.some) + [nil] {
            for machine in machines {
                do throws(SimulatedMachine.Death) { try machine.signIn(to: account) } catch {
                    machine.restart()
                }
            }
            try quiesce()
            for machine in machines {
                try checkServed(machine)
                seen[account, default: []].append(machine.shown)
            }
        }
        for (label, record) in ledger.records.sorted(by: { $0.key < $1.key }) {
            try check(label, record, in: seen)
        }
    }

    private mutating func quiesce() throws(Divergence) {
        for turn in 0..<30 {
            pass(seconds: 61)
            for machine in machines {
                do throws(SimulatedMachine.Death) { try machine.doAll() } catch { machine.restart() }
            }
            try check()
            if turn > 2, machines.allSatisfy(\.isIdle) { return }
        }
        for machine in machines { try checkServed(machine) }
        throw Divergence(.broken("it does not come to an end"))
    }
}
