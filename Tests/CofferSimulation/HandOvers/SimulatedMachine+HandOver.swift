internal import CofferContainer
internal import CofferUbiquity
internal import CofferWire

/// Taking the store from its clients, and giving them another content.
extension SimulatedMachine {
    /// `HandOver.swift` and `StoreReplacementCoordinator.swift`: clients are asked.
    func beginHandOver() throws(Death) { try begin(.handOver) }

    /// Asks clients for an exchange.
    func begin(_ change: StoreExchangeUnderWay.Change) throws(Death) {
        if life.exchange != nil {
            if case .handOver = change { life.exchange?.isFollowedByAccount = true }
            return
        }
        if life.open == nil { try settle() }
        var exchange = StoreExchangeUnderWay(change: change)
        exchange.first = life.kept?.question
        life.exchange = exchange
        if life.open == nil { part() } else { ask() }
    }

    private func ask() {
        guard let store = life.open else { return }
        let question = life.kept?.question?.number
        life.exchange?.asked = question
        life.exchange?.waitingFor = store.clients
        for client in store.clients { clients[client].isAsked = true }
        say("asks \(store.clients.count) clients, \(life.kept?.state.summary ?? "")")
        if store.clients.isEmpty { partUnlessAskedAnew() }
    }

    /// A client has answered, or will not.
    func takeAnswer(of client: Int) {
        clients[client].isAsked = false
        guard life.exchange?.parted == nil, life.exchange?.waitingFor.remove(client) != nil else { return }
        if life.exchange?.waitingFor.isEmpty ?? false { partUnlessAskedAnew() }
    }

    /// No client is waited for any more.
    func passDeadline() {
        guard let exchange = life.exchange, exchange.parted == nil else { return }
        say("no client is waited for any more")
        life.exchange?.waitingFor = []
        partUnlessAskedAnew()
    }

    private func partUnlessAskedAnew() {
        guard case .handOver = life.exchange?.change, let number = life.kept?.question?.number,
            number != life.exchange?.asked, mutant != .staleQuestion
        else { return part() }
        ask()
    }

    /// Takes the store from its users: what they would save from now on is refused.
    private func part() {
        guard var exchange = life.exchange else { return }
        exchange.parted = life.open?.clients ?? []
        if case .handOver = exchange.change { exchange.builder = life.open?.builder }
        (life.exchange, life.open) = (exchange, nil)
        say("takes the store from its clients")
    }

    /// Does what is to be done once no client has the store.
    func runExchange() throws(Death) {
        guard let exchange = life.exchange, exchange.parted != nil else { return }
        let isDone: Bool?
        switch exchange.change {
        case .handOver: isDone = try handOver(exchange)
        case .contentRemoval(let account): isDone = try removeContent(of: account)
        case .removal: isDone = try removeStore()
        }
        guard let isDone else { return }
        if !isDone { _ = life.kept?.take(.failed) }
        endExchange(isDone)
    }

    /// `HandOver.swift`, `exchange`: prepares what is to be served, and the next time serves it.
    ///
    /// - Returns: Whether it is served; `nil` if the exchange goes on.
    private func handOver(_ exchange: StoreExchangeUnderWay) throws(Death) -> Bool? {
        guard let question = life.kept?.question else { return true }
        let next = mutant == .staleQuestion ? exchange.first?.next ?? question.next : question.next
        guard exchange.prepared == next else {
            life.paid = []
            if question.kind == .initialImportCompleted, mutant != .swapBeforeJoin {
                guard exchange.prepared == nil, try join(exchange.builder, for: next) else { return false }
            }
            try prepare(next, isAnew: question.isAnew)
            life.exchange?.prepared = next
            return nil
        }
        let fallback = life.kept?.current(of: next.account)
        let isSwapped = try swap(to: next, for: question)
        if mutant == .swapBeforeJoin, question.kind == .initialImportCompleted, let fallback {
            try adopt(fallback.number, into: exchange.builder?.place ?? fallback.number)
        }
        return isSwapped ? true : nil
    }

    private func swap(to next: ServedContent, for question: StoreQuestion) throws(Death) -> Bool {
        ledger.noteExchange(to: next, wanted: question.next)
        if mutant == .staleQuestion, question.next != next {
            try change { $0.state = .serving(next) }
            return true
        }
        return try change { $0.swap(to: next, now: seconds) } ?? true
    }

    /// Joins what served meanwhile into the account's own store.
    private func join(_ builder: Sharing?, for next: ServedContent) throws(Death) -> Bool {
        guard let builder else { return false }
        if let place = followed?.current(of: next.account), hasFile(place), mutant != .lostFallback {
            try adopt(place.number, into: builder.place)
        }
        return true
    }

    /// `AdoptableContent`: what a file holds is folded there, and joined into another one.
    private func adopt(_ source: Int64, into target: Int64) throws(Death) {
        guard disk.files[source] != nil else { return }
        if disk.files[source]?.isOpen ?? false { try write("fold in \(source)") { $0.files[source]?.fold() } }
        let registers = adoptable(source)
        try write("join of \(source) into \(target)") { $0.files[target]?.adopt(registers) }
    }

    private func prepare(_ next: ServedContent, isAnew: Bool) throws(Death) {
        try prepare(next.account)
        let place: KeptStore.Place?
        if isAnew, let account = next.account {
            let made = try change { $0.beginAnew(for: account, now: seconds) }
            for dropped in made?.dropped ?? [] { try removeFile(at: dropped.number) }
            place = made?.place
        } else {
            place = try change { $0.place(of: next, now: seconds) }
        }
        if let place { try makeFile(at: place.number) }
    }

    /// Allows the store to be opened again, and tells the clients that had it open.
    private func endExchange(_ isDone: Bool) {
        guard let exchange = life.exchange else { return }
        life.exchange = nil
        say(isDone ? "has exchanged the store" : "could not exchange the store")
        say("its row \(life.kept?.state.summary ?? "is not there")")
        if mutant != .silentChange {
            for client in exchange.parted ?? [] where clients[client].isRunning {
                // Until it has read that it may save still, which is refused.
                (clients[client].isAsked, clients[client].isWaiting) = (false, true)
            }
        }
        if exchange.isFollowedByAccount { life.reactor.append(.followAccount) }
        guard case .handOver = exchange.change else {
            life.reactor += [.updateResidency, .deliverDebts]
            return
        }
        if isDone {
            life.isPausing = false
            life.reactor += [.followAccount, .updateResidency, .deliverDebts]
        } else {
            life.isPausing = true
        }
    }

    /// `ServiceCore+Containers.swift`: what failed is tried again.
    func tryAgain() throws(Death) {
        life.isPausing = false
        guard life.open != nil else { return try updateResidency() }
        try followAccount()
        if life.open?.builder == nil, life.open?.lookout != nil { life.open?.lookout = false }
        followContainer()
    }
}
