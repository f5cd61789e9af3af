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
        var isOver = false
        /// How many objects came from other machines.
        var importedCount: UInt64 = 0
        /// What was told last of it on the bus.
        var told: [String: DBusValue]?
    }

    private let state = Mutex(State())

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
    /// Calls do not overlap.
    func follow(
        _ account: Account?, _ persistentStore: PersistentStore, of application: String,
        in environment: UbiquitousStore.Environment
    ) throws {
        let (name, present, former) = state.withLock { ($0.contentName, $0.store, $0.account) }
        guard let name, former != account || present == nil else { return }
        present?.stop()
        state.withLock { ($0.store, $0.account) = (nil, nil) }
        guard let account else { return }
        let carrier = try FolderCarrier(root: account.path, path: "\(application)/\(name)")
        let store = try UbiquitousStore(persistentStore, named: name, over: carrier, in: environment)
        let isOver = state.withLock { state in
            if !state.isOver { (state.store, state.account) = (store, account) }
            return state.isOver
        }
        if isOver { store.stop() }
    }

    /// Ends the sharing, before the store is closed.
    func end() {
        let store = state.withLock { state in
            state.isOver = true
            return state.store.take()
        }
        store?.stop()
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
        followAccount()
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
    func followAccount() {
        followingAccount.withLock { _ in
            do {
                let account = try accounts?.current()
                for store in stores.openStores {
                    // What is shown of it then, too, where its container cannot be reached.
                    defer { if store.sharing.status != nil { sharingChanged(store) } }
                    try follow(account, store)
                }
            } catch {
                logger.error("Stores cannot be shared", metadata: ["error": "\(error)"])
            }
        }
    }

    private func follow(_ account: Account?, _ store: ServedStore) throws {
        let environment = ubiquityEnvironment(of: store)
        try store.sharing.follow(
            account, store.persistentStore, of: store.key.application, in: environment)
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
