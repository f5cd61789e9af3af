internal import CofferUbiquity

extension HandOverSimulation {
    /// What holds after each step.
    func check() throws(Divergence) {
        if let fault = ledger.fault { throw Divergence(.broken(fault)) }
        for machine in machines {
            machine.noteChoices()
            try check(machine)
        }
        for (account, container) in containers {
            // What one machine has merged of its own may be any account's.
            let isWrong = { (label: Int) in machines.allSatisfy { !mayBe(label, of: account, on: $0.number) }
            }
            if let label = container.labels.first(where: isWrong) {
                throw Divergence(
                    .broken("record \(label) of another is in the container of account \(account)"))
            }
        }
        try checkLosses()
    }

    private func check(_ machine: SimulatedMachine) throws(Divergence) {
        for place in machine.disk.row?.places ?? [] {
            for (label, count) in machine.disk.files[place.number]?.shown ?? [:] {
                if count > 1 {
                    throw Divergence(
                        "record \(label) is \(count) records in file \(place.number)", on: machine.number)
                }
                if !mayBe(label, of: place.account, on: machine.number) {
                    let owner = place.account.map { "account \($0)" } ?? "no account"
                    throw Divergence(
                        "record \(label) of another is in file \(place.number) of \(owner)",
                        on: machine.number)
                }
            }
        }
    }

    /// Whether a record may be in a file.
    private func mayBe(_ label: Int, of account: Int64?, on machine: Int) -> Bool {
        if label >= Self.foreign {
            return account.map { Int($0) == (label - Self.foreign) / 10_000 } ?? false
        }
        guard let record = ledger.records[label] else { return false }
        guard let account else { return record.owner == .nobody(machine: machine) }
        return record.owner == .account(account) || record.heirs.contains(account)
    }

    /// Nothing that was acknowledged is nowhere.
    private func checkLosses() throws(Divergence) {
        for (label, record) in ledger.records
        where record.isAcknowledged && !record.isDeleted && !record.isRemoved {
            if machines.contains(where: { $0.holds(label) }) { continue }
            if containers.values.contains(where: { $0.labels.contains(label) }) { continue }
            if record.isDelivered, !record.accounts.isDisjoint(with: ledger.losses) { continue }
            throw Divergence(
                "record \(label) is nowhere any more", on: record.machine)
        }
    }
}

extension HandOverSimulation {
    /// In the end the wanted content is served, and each client has it.
    func checkServed(_ machine: SimulatedMachine) throws(Divergence) {
        let (account, wanted) = (machine.disk.signedIn, machine.wanted)
        guard machine.life.open?.content == wanted, machine.life.kept?.state == .serving(wanted) else {
            throw Divergence(
                "\(machine.life.open?.content.map { "\($0)" } ?? "nothing") is served in the end, and not "
                    + "\(wanted); its row \(machine.life.kept?.state.summary ?? "is not there")",
                on: machine.number)
        }
        let place = machine.disk.row?.current(of: account)?.number
        for client in machine.clients where client.place != place {
            throw Divergence(
                "a client was not told that its store has other content", on: machine.number)
        }
    }

    /// Whether a record is where it is to be, and nowhere else.
    ///
    /// - Parameters:
    ///   - label: Its number.
    ///   - record: What became of it.
    ///   - seen: How often each machine shows each number while an account, or none, is signed in.
    /// - Throws: What is wrong with it.
    func check(
        _ label: Int, _ record: HandOverLedger.Record, in seen: [Int64?: [[Int: Int]]]
    ) throws(Divergence) {
        let holders = seen.filter { $0.value.contains { $0[label] != nil } }.map(\.key)
        if holders.count > 1 {
            throw Divergence(
                "record \(label) is of \(holders) at once", on: record.machine)
        }
        guard record.isAcknowledged, !record.isRemoved else { return }
        let owners: Set<Int64?>
        var mayBeAside = !record.accounts.isDisjoint(with: ledger.losses)
        switch record.owner {
        case .account(let account): owners = [account]
        case .nobody(let machine):
            owners = Set(record.heirs.map(Optional.some)).union([nil])
            mayBeAside = mayBeAside || ledger.discards.contains(machine)
        }
        if mayBeAside { return }
        if record.isDeleted {
            if case .account = record.owner, !holders.isEmpty {
                throw Divergence(
                    "record \(label) was deleted, and is there", on: record.machine)
            }
            return
        }
        guard let holder = holders.first, owners.contains(holder) else {
            throw Divergence(
                "record \(label) is lost", on: record.machine)
        }
        if let holder, seen[holder]?.contains(where: { $0[label] == nil }) ?? true {
            throw Divergence(
                "record \(label) of account \(holder) is not on all machines", on: record.machine)
        }
    }
}

extension Divergence {
    /// Something wrong on one machine.
    fileprivate init(_ sentence: String, on machine: Int) {
        self.init(.broken("machine \(machine): \(sentence)"))
    }
}
