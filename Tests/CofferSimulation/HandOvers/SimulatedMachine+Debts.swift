internal import CofferContainer
internal import CofferUbiquity

/// What files owe to containers, and stores that are removed.
extension SimulatedMachine {
    /// `ServiceCore+Debts.swift`: brings what files owe that are not served to their containers.
    func deliverDebts() throws(Death) {
        life.owesLook = false
        guard let kept = life.kept else { return }
        for place in kept.owingPlaces {
            guard let account = place.account, hasFile(place), !life.paid.contains(place.number) else {
                continue
            }
            let isServed = disk.signedIn == account || life.open?.content?.account == account
            if isServed, place.role == .current { continue }
            // The exchange of the store has the file, or takes it.
            if life.exchange?.parted != nil, place.role == .current { continue }
            if mutant == .unreadDebts, place.role == .owing {
                try removeFile(at: place.number)
                try change { $0.forget(place.number) }
                continue
            }
            guard var delivery = sharing(of: place.number, for: account) else { continue }
            try fold(place.number)
            _ = try exchange(&delivery, with: account, readingAtMost: 0, reading: false)
            try end(delivery, of: place)
        }
    }

    private func end(_ delivery: Sharing, of place: KeptStore.Place) throws(Death) {
        let owes = disk.files[place.number]?.owes ?? false
        guard place.role == .owing else {
            if !owes { life.paid.insert(place.number) }
            return
        }
        switch delivery.visit.condition {
        case .emptied, .replaced:
            try change { $0.giveUpOwing(place.number, now: seconds) }
            return
        default: break
        }
        if owes || !delivery.visit.condition.isExchanged { return }
        ledger.noteDelivery(of: disk.files[place.number]?.shown.keys.sorted() ?? [])
        say("deletes the file \(place.number), which owes nothing any more")
        try removeFile(at: place.number)
        try change { $0.forget(place.number) }
    }

    /// `ContentRemoval.swift`: whether a client's wish to remove the store with its content is heard.
    func beginContentRemoval() throws(Death) {
        guard life.exchange == nil, followed != nil else { return }
        if life.open == nil { try settle() }
        guard let account = disk.signedIn, followed?.state.served.account == account else { return }
        try change { $0.lastQuestion += 1 }
        try begin(.contentRemoval(of: account))
    }

    func removeContent(of account: Int64) throws(Death) -> Bool {
        guard let kept = followed, kept.state.served.account == account, let carrier = carrier(of: account)
        else { return false }
        do throws(CarrierError) {
            _ = try carrier.removeContent(of: carrier.container.root, at: now)
        } catch {
            return false
        }
        ledger.noteRemoval(of: account, on: number)
        ledger.noteDiscard(on: number)
        try write("the content of account \(account) is removed") { _ in }
        for place in kept.contentPlaces(of: account) { try removeFile(at: place.number) }
        try change { $0.removeContent(of: account, now: seconds) }
        return true
    }

    /// `StoreReplacementCoordinator.swift`: the store is removed here; what its container lacks is kept until
    /// that has it.
    func beginRemoval() throws(Death) {
        guard life.exchange == nil, life.kept != nil else { return }
        try begin(.removal)
    }

    func removeStore() throws(Death) -> Bool {
        guard let kept = followed else { return false }
        if kept.state.served.account != nil {
            ledger.noteDiscard(on: number)
            try change { $0.part(keepsOwing: true, now: seconds) }
            return true
        }
        guard let place = kept.current(of: nil) else { return false }
        ledger.noteRemoval(of: disk.files[place.number]?.shown.keys.sorted() ?? [])
        try removeFile(at: place.number)
        try change { $0.part(now: seconds) }
        return true
    }
}
