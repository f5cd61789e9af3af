import CofferContainer
import CofferCoordination
import CofferLinux
import CofferStores
import CofferUbiquity
import CofferWire
import Logging

/// What a store owes to the container of an account.
struct Debt: Sendable {
    let key: StoreKey
    let account: Int64
    /// How often it has written something that is not there yet.
    let unexported: UInt64
}

/// What stores owe to containers: it is told before a sign-out, and brought there afterwards.
extension ServiceCore {
    /// All that is owed, as far as is known, by store and account.
    func listDebts() -> [Debt] {
        // A file that is served shows by itself what it owes.
        let others = debts.owed.filter { file, _ in
            file.isOnlyOwing || stores.openStore(file.key)?.sharing.content?.account != file.account
        }
        var found = others.map { Debt(key: $0.key.key, account: $0.key.account, unexported: $0.value) }
        for store in stores.openStores {
            guard let account = store.sharing.content?.account, let count = store.unexported, count > 0
            else { continue }
            found.append(Debt(key: store.key, account: account, unexported: count))
        }
        return found.sorted { ($0.key.description, $0.account) < ($1.key.description, $1.account) }
    }

    /// Writes down what was saved for other machines, and brings it to the container as far as that goes in
    /// a moment, for a caller that asks what is owed.
    func settleUp() {
        let end = Monotonic.now + Limits.settlingUp.wholeNanoseconds
        for store in stores.openStores where store.unexported ?? 0 > 0 {
            let now = Monotonic.now
            _ = store.sharing.finishRound(timeout: .nanoseconds(end > now ? end - now : 0))
        }
    }

    /// Brings what the files of accounts owe that are not served now to their containers, and tries again
    /// as long as something is left.
    func deliverDebts() {
        guard lives != nil, debts.begin() else { return }
        do throws(LinuxError) {
            _ = try WorkerThread(name: "coffer-debts") { [weak self] in
                while let self {
                    self.goThroughDebts()
                    guard self.debts.isToGoOn() else { return self.deliverDebtsLater() }
                }
            }
        } catch {
            _ = debts.isToGoOn()
            logger.error("No thread can be started", metadata: ["error": "\(error)"])
            deliverDebtsLater()
        }
    }

    private func deliverDebtsLater() {
        guard let pause = debts.pause() else { return }
        _ = deadlines.add(after: pause) { [weak self] in self?.deliverDebts() }
    }

    private func goThroughDebts() {
        do throws(ServiceError) {
            guard let lives, let known = try knownAccountsByNumber() else { return }
            var files: Set<Debts.File> = []
            for (key, store) in try lives.kept() {
                for place in store.owingPlaces {
                    guard let number = place.account, let account = known[number] else { continue }
                    let file = Debts.File(
                        key: key, place: place.number, account: number, isOnlyOwing: place.role == .owing)
                    files.insert(file)
                    if debts.isPaid(file) { continue }
                    deliver(file, of: place, to: account)
                }
            }
            debts.forgetOthers(than: files)
        } catch {
            logger.error(
                "It cannot be read what is owed to containers", metadata: ["error": "\(error.logText)"])
        }
    }

    private func knownAccountsByNumber() throws(ServiceError) -> [Int64: Account]? {
        guard let accounts else { return nil }
        do throws(AccountError) {
            return Dictionary(uniqueKeysWithValues: try accounts.all().map { ($0.number, $0) })
        } catch {
            throw .account(error)
        }
    }

    private func deliver(_ file: Debts.File, of place: KeptStore.Place, to account: Account) {
        debts.claim(file)
        do throws(ServiceError) {
            guard let delivery = try open(file, of: place, for: account) else {
                debts.note(nil, of: file)
                return
            }
            defer { delivery.end() }
            guard debts.keep(delivery, of: file) else { return }
            var left: UInt64?
            do throws(StoreError) { left = try delivery.run() } catch { throw ServiceError.store(error) }
            if place.role == .owing, let owed = left {
                left = try end(file, of: place, delivery, left: owed)
            }
            guard debts.note(left, of: file), let left else { return }
            logger.notice(
                "Brought what a store owes to an account's container there",
                metadata: [
                    "store": "\(file.key.description)", "account": "\(account.name)", "left": "\(left)",
                ])
        } catch {
            debts.note(1, of: file)
            logger.warning(
                "What a store owes to an account's container cannot be read",
                metadata: ["store": "\(file.key.description)", "error": "\(error.logText)"])
        }
    }

    /// Deletes the file of a removed store once all that it owes was read back; puts it aside if it can
    /// never be delivered.
    ///
    /// - Returns: How much it owes still.
    private func end(
        _ file: Debts.File, of place: KeptStore.Place, _ delivery: OutboxDelivery, left: UInt64
    ) throws(ServiceError) -> UInt64 {
        if delivery.isContainerGone {
            delivery.end()
            try lives?.change(file.key) { [now] store throws(ServiceError) in
                store.giveUpOwing(place.number, now: now())
            }
            return 0
        }
        if left > 0 { return left }
        do throws(CarrierError) { if try !delivery.isReadBack() { return 1 } } catch { return 1 }
        delivery.end()
        try lives?.delete(place, of: file.key)
        logger.notice(
            "Deleted the file of a store that was removed, since its container has all of it",
            metadata: ["store": "\(file.key.description)"])
        return 0
    }

    /// Opens a file, unless it is served, is to be, or is not there.
    ///
    /// Nothing of an account that is not signed in is opened to be served; but it may still be open. What
    /// is kept since its store was removed is served to no client.
    private func open(
        _ file: Debts.File, of place: KeptStore.Place, for account: Account
    ) throws(ServiceError) -> OutboxDelivery? {
        guard let lives, let store = try lives.kept(file.key),
            store.owingPlaces.contains(place), try lives.hasFile(place, file.key)
        else { return nil }
        let isServed =
            account.signedIn != nil || stores.openStore(file.key)?.sharing.content?.account == account.number
        if isServed, place.role == .current { return nil }
        var environment = UbiquitousStore.Environment(now: { [now] in WallTime(secondsSince2001: now()) })
        environment.root = account.root
        environment.patience = containerPatience
        let opened = try stores.openExistingFile(of: file.key, in: try lives.folder(of: place, file.key))
        do {
            let carrier = try FolderCarrier(root: account.path, path: store.path(of: place))
            return try OutboxDelivery(opened, over: carrier, in: environment)
        } catch let error as StoreError {
            throw .store(error)
        } catch {
            throw .denied("\(error)")
        }
    }
}

extension ServedStore {
    /// How often it has written something that its container does not have, as far as is known; `nil` if it
    /// is not shared.
    ///
    /// What was saved since counts as once.
    var unexported: UInt64? {
        guard let status = sharing.status else {
            // What serves until the container is reached was never there.
            if case .fallback = sharing.content { return persistentStore.number > 0 ? 1 : 0 }
            return nil
        }
        return UInt64(status.unwrittenFolds) + (persistentStore.number > status.folded ? 1 : 0)
    }
}

extension WallTime {
    /// A time in seconds since 2001-01-01 UTC.
    init(secondsSince2001 seconds: Double) {
        self.init(microseconds: Int64(((seconds + 978_307_200) * 1e6).rounded()))
    }
}

/// The rpc about it.
extension CallContext {
    func listDebts() throws(ServiceError) -> ListDebtsReplyMessage {
        _ = try service.requireAccounts(ofSandboxed: session.caller.isSandboxed)
        service.settleUp()
        return ListDebtsReplyMessage(
            debts: service.listDebts().map { debt in
                DebtMessage(
                    name: StoreNameMessage(debt.key), account: UInt32(clamping: debt.account),
                    unexported: debt.unexported)
            })
    }
}
