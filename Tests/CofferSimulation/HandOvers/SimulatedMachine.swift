internal import CofferContainer
internal import CofferMerge
internal import CofferUbiquity

/// A machine with one store whose content follows the accounts, the service that serves it, and its clients.
///
/// What the service decides is `KeptStore`'s doing. What is done then, step by step, is as the service does
/// it, in a line or two for each step: the methods say of which file of `CofferService` they are. Confined to
/// one simulation.
final class SimulatedMachine {
    /// The service, or all of the machine, died.
    struct Death: Error {}

    /// What outlives the service.
    struct Disk {
        var signedIn: Int64?
        /// The store's row in the accounts' database.
        var row: KeptStore?
        /// The files of the store's places.
        var files: [Int64: StoreContent] = [:]
    }

    let number: Int
    let model: MergeModel
    let containers: [Int64: AccountContainer]
    let mutant: HandOverMutant?
    let tell: (String) -> Void
    private(set) var disk = Disk()
    /// What the service knows while it runs.
    var life = ServiceLife()
    var clients: [SimulatedClient]
    /// The accounts whose folders cannot be reached.
    var away: Set<Int64> = []
    var now = WallTime(microseconds: 1_000_000)
    let ledger: HandOverLedger
    /// How many more durable steps the service lives; `nil`: it does not die.
    var stepsLeft: Int?
    private var generation = 0
    private var lastPeer: UInt64 = 0

    init(
        _ number: Int, clients: Int, _ containers: [Int64: AccountContainer], model: MergeModel,
        mutant: HandOverMutant?, ledger: HandOverLedger, tell: @escaping (String) -> Void
    ) {
        (self.number, self.containers, self.model, self.mutant) = (number, containers, model, mutant)
        (self.ledger, self.tell) = (ledger, tell)
        self.clients = (0..<clients).map { _ in SimulatedClient() }
        lastPeer = UInt64(number + 1) << 32
    }

    func say(_ text: String) { tell("machine \(number): \(text)") }

    /// Seconds, as rows have them.
    var seconds: Double { Double(now.microseconds) / 1e6 }

    /// One durable step: it is done, and then the service may be dead.
    func write(_ what: String, _ body: (inout Disk) -> Void) throws(Death) {
        body(&disk)
        guard let left = stepsLeft else { return }
        stepsLeft = left - 1
        if left > 0 { return }
        say("the service dies after it wrote: \(what)")
        throw Death()
    }

    /// What is left when the service ends; the next call starts it again.
    func restart() {
        stepsLeft = nil
        life = ServiceLife()
        life.kept = disk.row?.afterRestart
        life.reactor = [.updateResidency, .deliverDebts]
        for index in clients.indices { clients[index].loseService() }
    }

    /// A number that no store had that was open before.
    func nextGeneration() -> Int {
        generation += 1
        return generation
    }

    func makeFile(at place: Int64) throws(Death) {
        if disk.files[place] != nil { return }
        lastPeer += 1
        let content = StoreContent(PeerID(lastPeer), model)
        try write("file \(place)") { $0.files[place] = content }
    }

    func removeFile(at place: Int64) throws(Death) {
        if disk.files[place] == nil { return }
        try write("file \(place) gone") { $0.files[place] = nil }
    }

    /// `StoreLives.swift`: a row is written before anybody is told of it.
    @discardableResult
    func change<Result>(_ body: (inout KeptStore) -> Result) throws(Death) -> Result? {
        guard var store = life.kept else { return nil }
        let former = store
        let result = body(&store)
        if store != former { try keep(store) }
        return result
    }

    func keep(_ store: KeptStore) throws(Death) {
        try write("row: \(store.state.summary), \(store.places.map(\.summary).joined(separator: " "))") {
            $0.row = store
        }
        life.kept = store
    }

    /// `StoreLives.swift`: a store that follows no account is not known.
    var followed: KeptStore? {
        guard let kept = life.kept, !kept.contentName.isEmpty else { return nil }
        return kept
    }

    func take(_ event: StoreOccurrence) throws(Death) -> [StoreAction]? {
        try change { $0.take(event) } ?? nil
    }

    func hasFile(_ place: KeptStore.Place?) -> Bool { place.map { disk.files[$0.number] != nil } ?? false }

    func carrier(of account: Int64) -> AccountCarrier? {
        containers[account]?.carrier(isAway: away.contains(account))
    }
}

extension KeptStore.Place {
    /// Itself in a story.
    fileprivate var summary: String {
        "\(number):\(account.map { "account \($0)" } ?? "no account").\(role)\(isWhole ? "!" : "")"
    }
}

extension StoreState {
    /// Itself in a story.
    var summary: String {
        switch self {
        case .serving(let content): "serves \(content)"
        case .asking(let question): "asks about \(question.next) for \(question.former)"
        }
    }
}
