/// `coffer.v1.FrameKind`: what a frame of a channel is.
package enum FrameKind: UInt8, Sendable, CaseIterable {
    /// Asks the other end; carries the request.
    case call = 1
    /// The only answer of a call that has no items.
    case reply = 2
    /// One of the items before `end`.
    case item = 3
    /// The last answer of a call that has items.
    case end = 4
    /// Asks for an early `end`.
    case cancel = 5
    /// Tells what was not asked for.
    case push = 7
}

/// `coffer.v1.Method`: what a call asks for.
package enum ChannelMethod: UInt16, Sendable, CaseIterable {
    case hello = 1
    case registerModel = 2
    case openStore = 3
    case closeStore = 4
    case listStores = 5
    case removeStore = 6
    case fetch = 7
    case rows = 8
    case relationship = 9
    case release = 10
    case save = 11
    case history = 12
    case consumer = 13
    case metadata = 14
    case watch = 15
    case purgeHistory = 16
    case explain = 17
    case pin = 18
    case reserveKeys = 19
    case replaceStore = 20
    case backupStore = 21
    case migrateStore = 22
    case copyStore = 23
    case moveStore = 24
    case vacuumStore = 25
    case syncStatus = 38
    case listConflicts = 39
    case undoConflict = 40
    case listViolations = 41
    case signIn = 64
    case signOut = 65
    case listAccounts = 66
    case identityToken = 67
    case ubiquityStatus = 68
    case listFormer = 69
    case restoreFormer = 70
    case listDebts = 71
    case removeUbiquitousContent = 72
    case seedStore = 73
}

/// `coffer.v1.Method` from 128 on: what the service asks of a client.
package enum ClientMethod: UInt16, Sendable, CaseIterable {
    case storesWillChange = 128
    case migrateObjects = 129
}

extension ChannelMethod {
    /// Whether a call that is lost with the channel may be sent again.
    ///
    /// Doing it twice is doing it once, or the service knows the second time for what it is. What removes
    /// a store would destroy what others have saved in between. A migration that was done finds nothing to
    /// do. A client that signs out twice would be told that no user was signed in; a client that moves a
    /// store twice would be told that it is of the type already.
    package var mayBeSentAgain: Bool {
        switch self {
        case .removeStore, .replaceStore, .moveStore, .signOut, .removeUbiquitousContent: false
        default: true
        }
    }

    /// The rpc's name in `service Storage` or `service Accounts`, and its method's name on the bus:
    /// `OpenStore`.
    package var rpcName: String {
        switch self {
        case .hello: "Hello"
        case .registerModel: "RegisterModel"
        case .openStore: "OpenStore"
        case .closeStore: "CloseStore"
        case .listStores: "ListStores"
        case .removeStore: "RemoveStore"
        case .fetch: "Fetch"
        case .rows: "Rows"
        case .relationship: "Relationship"
        case .release: "Release"
        case .save: "Save"
        case .history: "History"
        case .consumer: "Consumer"
        case .metadata: "Metadata"
        case .watch: "Watch"
        case .purgeHistory: "PurgeHistory"
        case .explain: "Explain"
        case .pin: "Pin"
        case .reserveKeys: "ReserveKeys"
        case .replaceStore: "ReplaceStore"
        case .backupStore: "BackupStore"
        case .migrateStore: "MigrateStore"
        case .copyStore: "CopyStore"
        case .moveStore: "MoveStore"
        case .vacuumStore: "VacuumStore"
        case .syncStatus: "SyncStatus"
        case .listConflicts: "ListConflicts"
        case .undoConflict: "UndoConflict"
        case .listViolations: "ListViolations"
        case .signIn: "SignIn"
        case .signOut: "SignOut"
        case .listAccounts: "ListAccounts"
        case .identityToken: "IdentityToken"
        case .ubiquityStatus: "UbiquityStatus"
        case .listFormer: "ListFormer"
        case .restoreFormer: "RestoreFormer"
        case .listDebts: "ListDebts"
        case .removeUbiquitousContent: "RemoveUbiquitousContent"
        case .seedStore: "SeedStore"
        }
    }

    /// The method of an rpc; `nil` for an unknown name, and for `OpenChannel`, which only the bus has.
    package init?(rpcName: String) {
        guard let method = Self.byName[rpcName] else { return nil }
        self = method
    }

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rpcName, $0) })
}
