internal import CofferContainer
internal import CofferMerge
internal import CofferUbiquity
internal import CofferWire

/// What threads of their own do for the store, and what follows.
extension SimulatedMachine {
    /// `ContainerLookout.swift`: looks how much an account's container holds.
    func lookAtContainer() {
        guard let store = life.open, store.lookout == false, let account = store.account,
            let carrier = carrier(of: account)
        else { return }
        let logs = carrier.container.logs
        let finding: ContainerLookout.Finding
        do throws(CarrierError) {
            finding =
                ContainerLookout.Finding(try carrier.look(), of: carrier.container.root)
                ?? ContainerLookout.Finding(logCount: logs.count, baselineCount: 0)
        } catch {
            finding = .unreachable
        }
        say("finds the container of account \(account) \(finding)")
        switch finding {
        case .unreachable: return
        case .empty, .small: life.reactor.append(.becomeLive(store.generation, account))
        case .large: life.reactor.append(.beginBuilding(store.generation, account))
        }
        life.open?.lookout = true
    }

    /// `ServiceCore+Following.swift`: what served meanwhile is the account's own store from now on.
    func becomeLive(_ generation: Int, _ account: Int64) throws(Death) {
        guard life.open?.generation == generation, try take(.small(account)) != nil else { return }
        noteLive(account)
        share(with: account)
        joinOthers()
    }

    private func noteLive(_ account: Int64) {
        switch life.open?.content {
        case .fallback(of: account), .rebuilding(of: account): life.open?.content = .live(of: account)
        default: break
        }
    }

    /// `ServiceCore+Joining.swift`, `build`: the account's own store is filled beside what serves.
    func beginBuilding(_ generation: Int, _ account: Int64) throws(Death) {
        guard let store = life.open, store.generation == generation, store.content == .fallback(of: account),
            store.account == account, store.builder == nil, followed != nil
        else { return }
        let place = try change { kept in
            kept.building(for: account) ?? kept.add(for: account, as: .building, now: seconds)
        }
        guard let place else { return }
        try makeFile(at: place.number)
        life.open?.builder = sharing(of: place.number, for: account)
    }

    /// `StoreBuilder.swift`: reads some of what is in the container.
    func fill() throws(Death) {
        guard let store = life.open, let account = store.account, var builder = store.builder else { return }
        let exchanged = try exchange(&builder, with: account, readingAtMost: 3)
        guard life.open?.generation == store.generation else { return }
        life.open?.builder = builder
        let progress = BuildingProgress(
            in: builder.visit.condition, isWhole: exchanged.isWhole, listedCount: exchanged.listedCount)
        switch progress {
        case .fills: break
        case .isGone, .hasNothing: life.reactor.append(.dropGone(store.generation, account, progress))
        case .isWhole:
            if life.isPausing || life.kept?.state != .serving(.fallback(of: account)) { return }
            life.reactor.append(.finishBuilding(account))
        }
    }

    func finishBuilding(_ account: Int64) throws(Death) {
        if try take(.built(account)) != nil { try beginHandOver() }
    }

    /// `ServiceCore+Containers.swift`: the container that it was filled from is gone.
    func dropGone(
        _ generation: Int, of account: Int64, since progress: BuildingProgress
    ) throws(Death) {
        guard life.open?.generation == generation, life.open?.builder != nil else { return }
        life.open?.builder = nil
        for place in try change({ $0.dropBuilding(for: account) }) ?? [] { try removeFile(at: place.number) }
        if progress == .hasNothing {
            life.isPausing = true
        } else if life.open?.lookout != nil {
            life.open?.lookout = false
        }
    }

    /// `UbiquityWork.swift`: folds what was saved, joins what was handed in, and exchanges.
    func share() throws(Death) {
        guard let store = life.open, let account = store.account, var sharing = store.sharing else { return }
        try fold(sharing.place)
        while let adoption = sharing.adoptions.first {
            try write("join into \(sharing.place)") { $0.files[sharing.place]?.adopt(adoption.registers) }
            sharing.adoptions.removeFirst()
            life.threads.append(.noteJoined(adoption.origin))
        }
        _ = try exchange(&sharing, with: account, readingAtMost: .max)
        life.open?.sharing = sharing
        followContainer()
    }

    func fold(_ place: Int64) throws(Death) {
        if disk.files[place]?.isOpen ?? false { try write("fold in \(place)") { $0.files[place]?.fold() } }
    }

    /// How far an exchange came.
    struct Exchanged {
        var isWhole = false
        var listedCount = 0
    }

    /// Looks at a container, reads logs of others there, and puts own ones.
    func exchange(
        _ sharing: inout Sharing, with account: Int64, readingAtMost limit: Int, reading: Bool = true
    ) throws(Death) -> Exchanged {
        guard let carrier = carrier(of: account), let content = disk.files[sharing.place] else {
            return Exchanged()
        }
        let place = sharing.place
        let actions = sharing.visit.look(carrier, as: content.peer, at: now)
        let memory = sharing.visit.memory
        if content.memory != memory {
            try write("memory of \(place)") { $0.files[place]?.memory = memory }
        }
        guard actions.contains(.exchange) else { return Exchanged() }
        let container = carrier.container
        for (name, registers) in content.outbox.sorted(by: { $0.key < $1.key })
        where !content.written.contains(name) {
            container.put(name, registers)
            try write("log \(name.number) of \(place)") { $0.files[place]?.noteWritten(name) }
        }
        sharing.visit.take(.accepted, at: now)
        let others = container.logs.filter { $0.key.peer != content.peer }
        var left = limit
        var unread = reading ? others.keys.filter { !content.read.contains($0) }.sorted() : []
        while let name = unread.first, left > 0, let registers = others[name] {
            try write("import into \(place)") { $0.files[place]?.take(name, registers) }
            unread.removeFirst()
            left -= 1
        }
        return Exchanged(isWhole: unread.isEmpty, listedCount: others.count)
    }

    /// `ServiceCore+Containers.swift`: the store follows what was found out of its container.
    func followContainer() {
        guard let store = life.open, containerEvent != nil, !life.isPausing else { return }
        let task = ServiceLife.Task.takeContainerEvent(store.generation)
        if !life.reactor.contains(task) { life.reactor.append(task) }
    }

    private var containerEvent: StoreOccurrence? {
        guard let store = life.open, let content = store.content, let sharing = store.sharing,
            let account = content.account, let container = containers[account],
            let file = disk.files[store.place]
        else { return nil }
        let condition = sharing.visit.condition
        let isRead = container.logs.keys.allSatisfy { $0.peer == file.peer || file.read.contains($0) }
        return content.occurrence(in: condition, isWhole: condition.isExchanged && isRead)
    }

    func takeContainerEvent(_ generation: Int) throws(Death) {
        guard life.open?.generation == generation, let event = containerEvent,
            let actions = try take(event)
        else { return }
        if actions.contains(where: \.isFirstQuestion) { return life.reactor.append(.beginHandOver) }
        if case .built(let account) = event {
            noteLive(account)
            joinOthers()
        }
    }
}

/// Bringing what several files hold into one, as `ServiceCore+Joining.swift` and `+Rebuilding.swift` do.
extension SimulatedMachine {
    func run(_ job: ServiceLife.Job) throws(Death) {
        switch job {
        case .joinFormer(let generation, let content):
            try joinFormer(into: content, generation)
            life.threads.append(.joinLocal(generation))
        case .joinLocal(let generation):
            for place in try joinedPlaces() {
                try handIn(place.number, from: .local(place.number), to: generation)
            }
        case .noteJoined(.former(let number)):
            try change { $0.forgetRejoined(number) }
        case .noteJoined(.local(let number)):
            try change { store in
                store.noteJoined(number, now: seconds)
                if mutant == .lateGift, store.current(of: nil)?.number == number {
                    store.retire(nil, now: seconds)
                }
            }
        }
    }

    /// The places of the content that belonged to no account and is to be joined.
    private func joinedPlaces() throws(Death) -> [KeptStore.Place] {
        guard let kept = followed else { return [] }
        let local = kept.current(of: nil)
        let hasFile = hasFile(local)
        if mutant == .everyLocal || mutant == .lateGift && kept.localContent == .merge {
            return hasFile ? [local].compactMap(\.self) : []
        }
        return try change { $0.beginJoining(hasFile: hasFile, now: seconds) } ?? []
    }

    private func joinFormer(into content: ServedContent, _ generation: Int) throws(Death) {
        guard let kept = followed, case .place(let place) = kept.rejoining(into: content) else { return }
        guard let place, hasFile(place) else {
            try change { $0.forgetRejoined(kept.rejoined) }
            return
        }
        try handIn(place.number, from: .former(place.number), to: generation)
        if mutant == .hastyForgetting { try change { $0.forgetRejoined(place.number) } }
    }

    /// Reads what a file holds, to be joined into the store that is open.
    private func handIn(_ place: Int64, from origin: Adoption.Origin, to generation: Int) throws(Death) {
        // A store that is open holds the lock of its file.
        if life.open?.place == place { return }
        try fold(place)
        let adoption = Adoption(registers: adoptable(place), origin: origin)
        guard life.open?.generation == generation,
            !(life.open?.sharing?.adoptions.contains { $0.origin == origin } ?? false)
        else { return }
        life.open?.sharing?.adoptions.append(adoption)
    }

    /// What a file holds.
    func adoptable(_ place: Int64) -> [Register] {
        let registers = disk.files[place]?.replica.state.registers ?? []
        guard mutant == .freshIDs else { return registers }
        return registers.map { register in
            switch register {
            case .life(let record, let life): .life(fresh(record), life)
            case .cell(let record, let property, let cell): .cell(fresh(record), property, cell)
            case .pair, .place, .same: register
            }
        }
    }

    private func fresh(_ record: RecordID) -> RecordID {
        RecordID(high: record.high + UInt64(nextGeneration()), low: record.low)
    }
}
