internal import CofferContainer
internal import CofferMerge
internal import CofferUbiquity

/// What a service knows while it runs.
struct ServiceLife {
    /// What the store's row says, and the question that is asked.
    var kept: KeptStore?
    /// The store, while it is open.
    var open: OpenStore?
    /// The exchange of its file that is under way.
    var exchange: StoreExchangeUnderWay?
    /// What is done in turn.
    var reactor: [Task] = []
    /// What threads of their own have to do.
    var threads: [Job] = []
    /// Whether a client that opens the store wants it to be rebuilt.
    var wantsRebuild = false
    /// Whether something failed, and is tried again later.
    var isPausing = false
    /// The files that are known to owe nothing.
    var paid: Set<Int64> = []
    var owesLook = false

    /// What is done in turn.
    enum Task: Equatable {
        case followAccount, updateResidency, deliverDebts, beginHandOver
        case becomeLive(Int, Int64)
        case beginBuilding(Int, Int64)
        case finishBuilding(Int64)
        case takeContainerEvent(Int)
        case dropGone(Int, Int64, BuildingProgress)
    }

    /// What takes long.
    enum Job: Equatable {
        case joinFormer(Int, ServedContent)
        case joinLocal(Int)
        case noteJoined(Adoption.Origin)
    }
}

/// A store that is open.
struct OpenStore {
    let generation: Int
    /// The file.
    let place: Int64
    /// What it is served with; `nil` if its content follows no account.
    var content: ServedContent?
    /// With which account it is shared, or is to be.
    var account: Int64?
    /// What shares it.
    var sharing: Sharing?
    /// What looks at its account's container: whether that was enough.
    var lookout: Bool?
    /// What fills the account's own store.
    var builder: Sharing?
    /// Whether it follows the account that is signed in.
    var hasFollowed = false
    /// The clients that have it open.
    var clients: Set<Int> = []
}

/// The work on a file that is shared.
struct Sharing {
    let place: Int64
    var visit: ContainerVisit
    /// What is to be joined.
    var adoptions: [Adoption] = []

    init(_ place: Int64, _ content: StoreContent, root: ContainerID?) {
        self.place = place
        var memory = content.memory
        memory.root = root
        visit = ContainerVisit(memory)
    }
}

/// What another file holds, to be joined.
struct Adoption: Equatable {
    let registers: [Register]
    let origin: Origin

    /// Where it comes from, to note that it was joined.
    enum Origin: Equatable {
        case former(Int64)
        case local(Int64)
    }
}

/// The exchange of a store's file.
struct StoreExchangeUnderWay {
    enum Change {
        case handOver, removal
        case contentRemoval(of: Int64)
    }

    let change: Change
    /// The number of the question that clients were asked.
    var asked: UInt64?
    /// What was asked first.
    var first: StoreQuestion?
    /// The clients that have not answered yet.
    var waitingFor: Set<Int> = []
    /// The clients that had the store open; `nil` before it was taken from them.
    var parted: Set<Int>?
    /// What has filled the account's own store.
    var builder: Sharing?
    /// What is ready to be served.
    var prepared: ServedContent?
    /// Whether accounts are followed once it is over.
    var isFollowedByAccount = false
}

/// A client and its context.
struct SimulatedClient {
    /// Whether it runs.
    var isRunning = false
    /// The store that it has open.
    var handle: Int?
    /// The file of that.
    var place: Int64?
    /// Whose content it takes that for; `nil` for content of no account.
    var basis: Int64?
    /// What is not saved.
    var changes: [StoreContent.Change] = []
    /// Whether it is asked, and has not answered.
    var isAsked = false
    /// Whether it waits for the store to be opened.
    var isWaiting = false

    /// The service has died: the store is opened again at the next call.
    mutating func loseService() { (handle, isAsked, isWaiting) = (nil, false, isRunning) }

    /// Its store is another one now: what was not saved has gone.
    mutating func reset() { (changes, place, handle) = ([], nil, nil) }
}
