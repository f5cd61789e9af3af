internal import CofferUbiquity
internal import CofferWire

/// What happens to a machine.
extension SimulatedMachine {
    /// `Accounts.swift` and `Service+Accounts.swift`: a user signs in, or out if `account` is `nil`.
    func signIn(to account: Int64?) throws(Death) {
        if disk.signedIn == account { return }
        say(account.map { "account \($0) signs in" } ?? "no account is signed in any more")
        try write("who is signed in") { $0.signedIn = account }
        life.reactor += [.followAccount, .updateResidency, .deliverDebts]
    }

    func dieLater(after count: Int) {
        if stepsLeft == nil { stepsLeft = count }
    }

    /// The service and all clients die at once.
    func loseAll() {
        say("all that runs dies")
        for client in clients.indices { clients[client] = SimulatedClient() }
        restart()
    }

    /// Does the next thing in turn, if there is one.
    func work() throws(Death) {
        guard !life.reactor.isEmpty else { return }
        switch life.reactor.removeFirst() {
        case .followAccount: try followAccount()
        case .updateResidency: try updateResidency()
        case .deliverDebts: life.owesLook = true
        case .beginHandOver: try beginHandOver()
        case .becomeLive(let generation, let account): try becomeLive(generation, account)
        case .beginBuilding(let generation, let account): try beginBuilding(generation, account)
        case .finishBuilding(let account): try finishBuilding(account)
        case .takeContainerEvent(let generation): try takeContainerEvent(generation)
        case .dropGone(let generation, let account, let progress):
            try dropGone(generation, of: account, since: progress)
        }
    }

    /// What takes long and may go on.
    private enum Progress: CaseIterable {
        case look, fill, share, job, exchange, debts, retry, reopen
    }

    /// Goes on with one thing that takes long.
    func progress(_ draw: inout Draw) throws(Death) {
        let possible = Progress.allCases.filter { isPossible($0) }
        guard let progress = draw.pick(possible) else { return }
        try go(on: progress, draw.below(max(life.threads.count, 1)))
    }

    private func isPossible(_ progress: Progress) -> Bool {
        switch progress {
        case .look: life.open?.lookout == false
        case .fill: life.open?.builder != nil
        case .share: life.open?.sharing != nil
        case .job: !life.threads.isEmpty
        case .exchange: life.exchange?.parted != nil
        case .debts: life.owesLook || life.kept?.owingPlaces.isEmpty == false
        case .retry: life.isPausing
        case .reopen: clients.contains(where: \.isWaiting) && life.exchange?.parted == nil
        }
    }

    private func go(on progress: Progress, _ place: Int) throws(Death) {
        switch progress {
        case .look: lookAtContainer()
        case .fill: try fill()
        case .share: try share()
        case .job:
            if !life.threads.isEmpty { try run(life.threads.remove(at: place % life.threads.count)) }
        case .exchange: try runExchange()
        case .debts: try deliverDebts()
        case .retry: try tryAgain()
        case .reopen:
            for client in clients.indices where clients[client].isWaiting {
                try open(by: client, localContent: nil)
            }
        }
    }

    /// Does all that there is to do, for a while.
    func doAll() throws(Death) {
        for client in clients.indices {
            if !clients[client].isRunning || clients[client].isWaiting {
                try open(by: client, localContent: nil)
            }
            if clients[client].isAsked { try answer(by: client, saving: true) } else { try save(by: client) }
        }
        for progress in Progress.allCases where isPossible(progress) { try go(on: progress, 0) }
        for _ in 0..<life.reactor.count { try work() }
    }

    /// What is served in the end.
    var wanted: ServedContent { disk.signedIn.map { .live(of: $0) } ?? .local }

    /// Whether nothing is under way.
    var isIdle: Bool {
        life.open?.content == wanted && isExchanged && life.reactor.isEmpty && life.threads.isEmpty
            && life.exchange == nil && !life.isPausing
            && !clients.contains { $0.isWaiting || $0.isAsked || !$0.changes.isEmpty }
            && life.open?.lookout != false && life.open?.builder == nil
            && (life.open?.sharing?.adoptions.isEmpty ?? true)
    }

    /// Whether what is served has all that its container has, which has all of it.
    private var isExchanged: Bool {
        guard let store = life.open, let account = store.account else { return true }
        guard let file = disk.files[store.place], let container = containers[account] else { return false }
        return !file.owes && container.logs.keys.allSatisfy { $0.peer == file.peer || file.read.contains($0) }
    }

    /// Whether a file of this machine shows a record.
    func holds(_ label: Int) -> Bool {
        // A file without a place is never found.
        disk.row?.places.contains { disk.files[$0.number]?.shown[label] != nil } ?? false
    }

    /// What the store shows that is served.
    var shown: [Int: Int] { life.open.flatMap { disk.files[$0.place]?.shown } ?? [:] }

    /// Writes down what an application wants done with content of no account.
    func noteChoices() {
        guard let kept = life.kept else { return }
        let accounts = [disk.signedIn, kept.state.wanted.account, kept.state.served.account]
        switch kept.localContent {
        case .merge: for case let account? in accounts { ledger.noteMerging(into: account, on: number) }
        case .discard: ledger.noteDiscard(on: number)
        case .keep: break
        }
    }
}
