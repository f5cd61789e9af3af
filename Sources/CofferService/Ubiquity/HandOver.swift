import CofferCoordination
import CofferLinux
import CofferStores
import CofferUbiquity
import CofferWire
import Logging
import Synchronization

/// Takes what a store is served with from its clients and gives them another content, for the last account
/// that was signed in to meanwhile.
///
/// Shared; used once. What clients save until they have let it go is in the file of before, whose it is.
final class HandOver: Sendable {
    let key: StoreKey
    private let service: ServiceCore
    private let lives: StoreLives
    /// The model with which clients had it open.
    private let model = Mutex<StoreModel?>(nil)
    /// What has filled the account's own store.
    private let builder = Mutex<StoreBuilder?>(nil)
    /// What the account's store begins again with, instead of with nothing.
    private let start = Mutex<RestoredStart?>(nil)

    init(of key: StoreKey, _ lives: StoreLives, in service: ServiceCore) {
        (self.key, self.lives, self.service) = (key, lives, service)
    }

    /// What clients of a store are asked now; `nil` if nothing is to be exchanged any more.
    func begin(with store: ServedStore) -> StoreTransitionMessage? {
        model.withLock { $0 = store.persistentStore.file.model }
        return question.map { StoreTransitionMessage(kind: $0.kind, question: $0.number) }
    }

    /// Whether clients that answered this are to be asked something else.
    func isOutdated(_ asked: StoreTransitionMessage?) -> Bool {
        guard let number = question?.number else { return false }
        return number != asked?.question
    }

    /// Takes what fills the account's own store, to end it.
    func take(_ builder: StoreBuilder?) { self.builder.withLock { $0 = builder } }

    private var question: StoreQuestion? {
        // What cannot be read now is found out when the content is exchanged.
        (try? lives.store(key))?.question
    }

    /// Exchanges what no client has open any more.
    func run() throws(ServiceError) {
        do throws(ServiceError) { try exchange() } catch {
            // Before a client opens it again, which would follow the question.
            lives.giveUpExchange(of: key)
            throw error
        }
    }

    private func exchange() throws(ServiceError) {
        defer { builder.withLock { $0 }?.stop() }
        while let question {
            let next = question.next
            service.debts.leave(key, of: next.account)
            if question.kind == .initialImportCompleted { try join(next) }
            try prepare(next, isAnew: question.isAnew)
            #if DEBUG
            CrashPoint.beforeExchange.pass()
            #endif
            let isSwapped = try lives.swap(key, to: next)
            #if DEBUG
            CrashPoint.afterExchange.pass()
            #endif
            if isSwapped { return }
            // What was begun so is not to be gone on with.
            if question.isAnew, let account = next.account {
                start.withLock { $0 }?.withdraw()
                try lives.dropBuilding(for: account, key)
            }
        }
    }

    /// Joins what served meanwhile into the account's own store.
    private func join(_ next: ServedContent) throws(ServiceError) {
        guard let builder = builder.withLock({ $0 }), let model = model.withLock({ $0 }) else {
            throw .denied("What fills the account's own store has ended: it is begun again.")
        }
        let place = try lives.store(key)?.current(of: next.account)
        if let content = try service.content(of: place, key, model),
            !builder.adopt(content, timeout: Limits.lettingGo)
        {
            throw .denied("What was saved meanwhile could not be joined in time: it is tried again.")
        }
        do throws(StoreError) { try builder.end() } catch { throw .store(error) }
    }

    /// Has everything there that the content needs: a file, above all.
    private func prepare(_ next: ServedContent, isAnew: Bool) throws(ServiceError) {
        try lives.prepare(try service.account(next.account), key)
        let folder: Folder
        if isAnew, let account = next.account {
            folder = try lives.beginAnew(for: account, key)
            let start = start.withLock { start in
                if start == nil { start = lives.takeStart(key) }
                return start
            }
            try start?.move(to: folder, now: service.now())
        } else {
            folder = try lives.makePlace(of: next, key)
        }
        guard let model = model.withLock({ $0 }) else { return }
        do throws(LinuxError) {
            if try folder.exists(service.places.fileName(of: key)) { return }
        } catch {
            throw .system(error)
        }
        try service.stores.makeFile(of: key, in: folder, model)
    }

    /// What is done at the end, when the store can be opened again.
    func completion(_ result: Result<Void, ServiceError>) {
        (start.withLock { $0 } ?? lives.takeStart(key))?.end(result)
        if case .failure = result {
            lives.giveUpExchange(of: key)
            return service.tryAgainLater(key)
        }
        service.exchangePauses.end(key)
        service.reactor.run { [service] in
            // A store that is open by then follows an account that signed in or out since.
            service.followAccount()
            // Perhaps no client has it open, and it is to be filled all the same.
            service.updateResidency()
            service.deliverDebts()
        }
    }
}

extension ServiceCore {
    /// Asks a store's clients to let go what they have, and exchanges it then, after any exchange of before.
    func beginHandOver(of key: StoreKey, waitMilliseconds: UInt32 = 0) {
        guard let lives else { return }
        do throws(ServiceError) {
            try StoreReplacementCoordinator(
                HandOver(of: key, lives, in: self), in: self, waitMilliseconds: waitMilliseconds
            ).begin()
        } catch {
            if case .exchangeUnderWay = error {
                if stores.whenExchanged(key, { self.followAccount() }) { return }
                return beginHandOver(of: key, waitMilliseconds: waitMilliseconds)
            }
            logger.error(
                "A store cannot be given to another account",
                metadata: ["store": "\(key.description)", "error": "\(error)"])
            lives.takeStart(key)?.end(.failure(error))
            lives.giveUpExchange(of: key)
            tryAgainLater(key)
        }
    }

    /// An account by its number; `nil` for none.
    func account(_ number: Int64?) throws(ServiceError) -> Account? {
        guard let number, let accounts else { return nil }
        do throws(AccountError) {
            return try accounts.all().first { $0.number == number }
        } catch {
            throw .account(error)
        }
    }
}
