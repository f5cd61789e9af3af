import CofferContainer
import CofferCoordination
import CofferDBus
import CofferLinux
import CofferMerge
import CofferModel
import CofferStores
import CofferUbiquity
import CofferWire
import Logging
import Synchronization

/// How one open store is shared with other machines, while somebody is signed in.
///
/// Shared.
final class StoreSharing: Sendable {
    private struct State: Sendable {
        /// What it is called in containers; `nil` where it is not shared.
        var contentName: String?
        var store: UbiquitousStore?
        /// The account with which it is shared.
        var account: Account?
        /// Which look at who is signed in it follows.
        var turn: UInt64 = 0
        var isOver = false
        /// How many objects came from other machines.
        var importedCount: UInt64 = 0
        /// What was told last of it on the bus.
        var told: [String: DBusValue]?
    }

    private let state = Mutex(State())
    /// Held while the store is made to follow an account: others wait for this store alone, and for no
    /// carrier.
    private let following = Mutex(())

    /// Says what the store is called in containers.
    ///
    /// - Throws: `ServiceError.denied` where it is called something else already.
    func name(_ contentName: String) throws(ServiceError) {
        let former = state.withLock { state in
            state.contentName = state.contentName ?? contentName
            return state.contentName
        }
        if let former, !former.utf8.elementsEqual(contentName.utf8) {
            throw .denied("The store is shared as '\(former)' already: ask for that name.")
        }
    }

    /// Shares the store with the account that is signed in, and with no other one.
    ///
    /// - Parameters:
    ///   - sight: Who is signed in; whoever was seen before the one that is followed now is too late.
    ///   - persistentStore: The store.
    ///   - application: Whose it is.
    ///   - environment: For the work on it.
    /// - Returns: What ended by that: it has left the store, and a call of its carrier may be under way.
    /// - Throws: What keeps the store from being shared.
    func follow(
        _ sight: AccountSight, _ persistentStore: PersistentStore, of application: String,
        in environment: UbiquitousStore.Environment
    ) throws -> UbiquitousStore? {
        try following.withLock { _ in
            let isLate = state.withLock { state in
                if state.turn >= sight.turn { return true }
                state.turn = sight.turn
                return false
            }
            let (name, present, former) = state.withLock { ($0.contentName, $0.store, $0.account) }
            guard !isLate, let name, former != sight.account || present == nil else { return nil }
            present?.stop()
            state.withLock { ($0.store, $0.account) = (nil, nil) }
            guard let account = sight.account else { return present }
            let carrier = try FolderCarrier(root: account.path, path: "\(application)/\(name)")
            let store = try UbiquitousStore(persistentStore, named: name, over: carrier, in: environment)
            let isOver = state.withLock { state in
                if !state.isOver { (state.store, state.account) = (store, account) }
                return state.isOver
            }
            if isOver { store.stop() }
            return present
        }
    }

    /// Ends the sharing, before the store is closed: nothing of it touches the store from then on.
    ///
    /// - Returns: What ended; a call of its carrier may be under way still.
    @discardableResult
    func end() -> UbiquitousStore? {
        let store = state.withLock { state in
            state.isOver = true
            return state.store.take()
        }
        store?.stop()
        return store
    }

    /// Whether and what is new on the bus.
    enum News {
        case first, more, nothing
    }

    /// Notes what is told of it on the bus now.
    func tell(_ values: [String: DBusValue]) -> News {
        state.withLock { state in
            let former = state.told
            state.told = values
            return former == nil ? .first : former == values ? .nothing : .more
        }
    }

    /// Counts objects that came from other machines.
    func noteImport(of count: Int) { state.withLock { $0.importedCount += UInt64(clamping: count) } }

    /// How many objects came from other machines since the store was opened.
    var importedCount: UInt64 { state.withLock { $0.importedCount } }

    /// Brings in what is in its container now; whether that was done in time.
    func finishRound(timeout: Duration) -> Bool {
        state.withLock { $0.store }?.finishRound(timeout: timeout) ?? false
    }

    /// The objects of its container that are known, `limit` at most.
    func objects(limit: Int) -> [CarriedObject] {
        // Not under the lock: they may be many.
        state.withLock { $0.store }?.objects(limit: limit) ?? []
    }

    /// What it is called in containers, and how far it is; `nil` where it is not shared.
    var status: (contentName: String, status: UbiquityStatus?)? {
        state.withLock { state in state.contentName.map { ($0, state.store?.status) } }
    }
}

extension ServiceCore {
    /// Shares an open store under a name from now on, while somebody is signed in.
    ///
    /// - Throws: `ServiceError` where it cannot be shared.
    func share(_ store: ServedStore, as contentName: String) throws(ServiceError) {
        _ = try requireAccounts(ofSandboxed: false)
        if let fault = Self.fault(ofContentName: contentName) {
            throw .invalidName(field: "ubiquitous_content_name", value: contentName, reason: fault)
        }
        guard store.type == .sqlite, !store.persistentStore.file.isReadOnly else {
            throw .denied("Only stores in files of SQLite that are open for writing can be shared.")
        }
        try store.sharing.name(contentName)
        rememberSharing(of: store, as: contentName)
        follow([store])
    }

    /// Why a store cannot be called that in a container; `nil` where it can.
    private static func fault(ofContentName name: String) -> String? {
        if name.utf8.count > 100 { return "it has more than 100 bytes" }
        if name.utf8.first == UInt8(ascii: ".") { return "it begins with a dot" }
        if name.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "/") || $0 == 0x7F }) {
            return "it has a slash or a control character"
        }
        return nil
    }

    /// Has each shared store follow who is signed in now.
    func followAccount() { follow(stores.openStores) }

    /// Has stores follow who is signed in now, and waits a while for the carriers that are left.
    private func follow(_ stores: [ServedStore]) {
        var ended: [UbiquitousStore] = []
        do {
            let sight = try lookAtAccount()
            for store in stores {
                // What is shown of it then, too, where its container cannot be reached.
                defer { if store.sharing.status != nil { sharingChanged(store) } }
                if let former = try follow(sight, store) { ended.append(former) }
            }
        } catch {
            logger.error("Stores cannot be shared", metadata: ["error": "\(error)"])
        }
        UbiquitousStore.waitForCarriers(of: ended, telling: logger)
    }

    /// Who is signed in now.
    private func lookAtAccount() throws -> AccountSight {
        try accountSights.withLock { count in
            count += 1
            return AccountSight(turn: count, account: try accounts?.current())
        }
    }

    private func follow(_ sight: AccountSight, _ store: ServedStore) throws -> UbiquitousStore? {
        try store.sharing.follow(
            sight, store.persistentStore, of: store.key.application, in: ubiquityEnvironment(of: store))
    }
}

extension ContainerCondition {
    /// A word for it, as status and logs have it.
    var word: String {
        switch self {
        case .new: "new"
        case .there(.open): "there"
        case .there(.readOnly): "read-only"
        case .there(.full): "full"
        case .doubtful: "doubtful"
        case .away: "away"
        case .emptied: "emptied"
        case .replaced: "replaced"
        case .locked: "locked"
        case .newer: "newer"
        }
    }
}
