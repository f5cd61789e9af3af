import CofferCoordination
import CofferLinux
import CofferWire
import Synchronization

/// How a call goes on after its message was read.
enum CallOutcome: Sendable {
    /// The answer is there.
    case answered(RPCResult)
    /// Answers by itself, and may lead commits of the store: it says so before, and asks now and then whether
    /// its thread is needed elsewhere.
    typealias Run = @Sendable (_ beforeLeading: () -> Void, _ shouldYield: () -> Bool) -> Void

    /// The answer comes later, after `run`.
    case deferred(on: ServedStore, run: Run)
    /// The answer is sent later, by other code.
    case pending
}

/// One rpc of `service Storage` or `service Accounts`.
struct RPC: Sendable {
    /// As Protos/coffer/v1 calls it, and so the D-Bus method.
    let name: String
    /// Its number on a channel.
    let method: ChannelMethod
    /// How many descriptors it takes beside its message.
    var descriptorCount = 0
    /// Reads the message, checks the caller's right, and acts.
    let handle: @Sendable (CallContext, RequestPayload) throws -> CallOutcome

    /// What it takes of the descriptors that came with a call; the others are closed before it begins, since
    /// calls may wait.
    func wanted(of descriptors: [OwnedDescriptor]) -> [OwnedDescriptor] {
        Array(descriptors.prefix(descriptorCount))
    }

    /// An rpc that answers at once.
    static func answered(
        _ name: String, as method: ChannelMethod,
        _ handle: @escaping @Sendable (CallContext, RequestPayload) throws -> any WireMessage
    ) -> RPC {
        RPC(name: name, method: method) { context, payload in
            .answered(.packing(try handle(context, payload)))
        }
    }
}

/// What a handler knows of a call besides its message.
struct CallContext: Sendable {
    let service: ServiceCore
    let session: Session
    let sink: any PushSink
    let address: ReplyAddress
    /// Whether the caller waits for the answer.
    var interest: CallCancellation
    /// Bytes of the message.
    var requestByteCount = 0
    /// What came along with the message.
    var descriptors: [OwnedDescriptor] = []
}

extension CallContext {
    /// The store that the client calls `handle`, for a call whose answer it waits for.
    func use(_ handle: UInt32) throws(ServiceError) -> Subscription {
        let subscription = try session.subscription(handle)
        session.statistics.roundTrips.add(1, ordering: .relaxed)
        subscription.store.persistentStore.statistics.roundTrips.add(1, ordering: .relaxed)
        return subscription
    }
}

/// Every rpc, by its number.
enum RPCTable {
    static let all: [RPC] = [
        RPC(name: "Hello", method: .hello, descriptorCount: 1) {
            .answered(.packing(try $0.hello(HelloRequestMessage(packed: $1))))
        },
        .answered("RegisterModel", as: .registerModel) { try $0.registerModel($1) },
        RPC(name: "OpenStore", method: .openStore) { try $0.openStore(OpenStoreRequestMessage(packed: $1)) },
        .answered("CloseStore", as: .closeStore) { try $0.closeStore(CloseStoreRequestMessage(packed: $1)) },
        .answered("ListStores", as: .listStores) { try $0.listStores(ListStoresRequestMessage(packed: $1)) },
        RPC(name: "RemoveStore", method: .removeStore) {
            try $0.removeStore(RemoveStoreRequestMessage(packed: $1))
        },
        RPC(name: "ReplaceStore", method: .replaceStore, descriptorCount: 2) {
            try $0.replaceStore(ReplaceStoreRequestMessage(packed: $1))
        },
        RPC(name: "BackupStore", method: .backupStore, descriptorCount: 1) {
            try $0.backupStore(BackupStoreRequestMessage(packed: $1))
        },
        RPC(name: "CopyStore", method: .copyStore, descriptorCount: 1) {
            try $0.copyStore(CopyStoreRequestMessage(packed: $1))
        },
        RPC(name: "MoveStore", method: .moveStore) {
            try $0.moveStore(MoveStoreRequestMessage(packed: $1))
        },
        RPC(name: "VacuumStore", method: .vacuumStore) {
            try $0.vacuumStore(VacuumStoreRequestMessage(packed: $1))
        },
        RPC(name: "MigrateStore", method: .migrateStore) {
            try $0.migrateStore(MigrateStoreRequestMessage(packed: $1))
        },
        RPC(name: "Fetch", method: .fetch) { .answered(try $0.fetch(FetchRequestMessage(packed: $1))) },
        .answered("Explain", as: .explain) { try $0.explain(FetchRequestMessage(packed: $1)) },
        .answered("Rows", as: .rows) { try $0.rows(RowsRequestMessage(packed: $1)) },
        .answered("Relationship", as: .relationship) {
            try $0.relationship(RelationshipRequestMessage(packed: $1))
        },
        .answered("Release", as: .release) { try $0.release(ReleaseRequestMessage(packed: $1)) },
        RPC(name: "Save", method: .save) { try $0.save(SaveRequestMessage(packed: $1)) },
        RPC(name: "ReserveKeys", method: .reserveKeys) {
            try $0.reserveKeys(ReserveKeysRequestMessage(packed: $1))
        },
        .answered("History", as: .history) { try $0.history(HistoryRequestMessage(packed: $1)) },
        RPC(name: "Consumer", method: .consumer) { try $0.consumer(ConsumerRequestMessage(packed: $1)) },
        RPC(name: "PurgeHistory", method: .purgeHistory) {
            try $0.purgeHistory(PurgeHistoryRequestMessage(packed: $1))
        },
        RPC(name: "Metadata", method: .metadata) { try $0.metadata(MetadataRequestMessage(packed: $1)) },
        .answered("Pin", as: .pin) { try $0.pin(PinRequestMessage(packed: $1)) },
        .answered("SignIn", as: .signIn) { try $0.signIn(SignInRequestMessage(packed: $1)) },
        .answered("SignOut", as: .signOut) { context, _ in try context.signOut() },
        .answered("ListAccounts", as: .listAccounts) { context, _ in try context.listAccounts() },
        .answered("IdentityToken", as: .identityToken) { context, _ in try context.identityToken() },
        .answered("UbiquityStatus", as: .ubiquityStatus) { context, _ in try context.ubiquityStatus() },
        .answered("SyncStatus", as: .syncStatus) { try $0.syncStatus(SyncStatusRequestMessage(packed: $1)) },
        .answered("ListConflicts", as: .listConflicts) {
            try $0.listConflicts(ListConflictsRequestMessage(packed: $1))
        },
        RPC(name: "UndoConflict", method: .undoConflict) {
            try $0.undoConflict(UndoConflictRequestMessage(packed: $1))
        },
        RPC(name: "ListViolations", method: .listViolations) {
            try $0.listViolations(ListViolationsRequestMessage(packed: $1))
        },
        .answered("ListFormer", as: .listFormer) { context, _ in try context.listFormer() },
        RPC(name: "RestoreFormer", method: .restoreFormer) {
            try $0.restoreFormer(RestoreFormerRequestMessage(packed: $1))
        },
        .answered("ListDebts", as: .listDebts) { context, _ in try context.listDebts() },
        RPC(name: "RemoveUbiquitousContent", method: .removeUbiquitousContent) {
            try $0.removeUbiquitousContent(RemoveUbiquitousContentRequestMessage(packed: $1))
        },
        RPC(name: "SeedStore", method: .seedStore, descriptorCount: 1) {
            try $0.seedStore(SeedStoreRequestMessage(packed: $1))
        },
        .answered("Watch", as: .watch) { try $0.watch(WatchRequestMessage(packed: $1)) },
    ]

    /// An rpc by its number.
    static func rpc(_ method: ChannelMethod) -> RPC? { byMethod[method] }

    /// An rpc by its name.
    static func rpc(named name: String) -> RPC? { byName[name] }

    private static let byMethod = Dictionary(uniqueKeysWithValues: all.map { ($0.method, $0) })
    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}
