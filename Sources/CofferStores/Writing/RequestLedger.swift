internal import CofferWire
internal import FoundationEssentials

/// The transactions of requests that were applied, until their clients confirm that they have the replies.
///
/// Confined to the writer. The replies themselves are in the file. The ledger knows the requests that its
/// writer applied; it learns of earlier ones when a client asks again.
struct RequestLedger {
    fileprivate struct Entry {
        var sequence: UInt64
        var number: UInt64
    }

    fileprivate struct Client {
        /// The requests that this writer applied, in the order in which they were applied.
        var entries: [Entry] = []
        /// The requests of earlier writers' transactions, by sequence; `nil` if they were not read yet.
        var earlier: [UInt64: UInt64]?
        /// The client has the replies of all requests up to this one.
        var acknowledged: UInt64 = 0
        /// The use of the ledger in which the client last appeared.
        var lastUse = 0
    }

    private var clients: [UUID: Client] = [:]
    private var pending: [RequestIDMessage] = []
    private var uses = 0
    /// Whether clients were dropped: then requests that this writer applied have to be looked for in the file
    /// as well.
    private(set) var hasForgotten = false

    /// The transaction of a request that was applied; `nil` if it is not known.
    func number(of request: RequestIDMessage) -> UInt64? {
        guard let client = clients[request.client] else { return nil }
        return client.entries.last { $0.sequence == request.sequence }?.number
            ?? client.earlier?[request.sequence]
    }

    /// Whether the client's requests of earlier transactions are known.
    func knowsEarlier(_ client: UUID) -> Bool { clients[client]?.earlier != nil }

    /// Whether the client confirmed that it has the reply to its request.
    func isAcknowledged(_ request: RequestIDMessage) -> Bool {
        request.sequence <= clients[request.client]?.acknowledged ?? 0
    }

    /// Records a request inside the transaction that applied it, and drops those whose replies the client
    /// has.
    mutating func record(_ request: RequestIDMessage, number: UInt64) {
        uses += 1
        if clients[request.client, default: Client()].record(request, number: number, use: uses) {
            hasForgotten = true
        }
        pending.append(request)
        if clients.count > Limits.requestingClients { forgetSome(butNot: request.client) }
    }

    /// Records which requests of a client earlier transactions applied, by sequence.
    mutating func recordEarlier(_ numbers: [UInt64: UInt64], of client: UUID) {
        uses += 1
        clients[client, default: Client()].earlier = numbers
        clients[client]?.lastUse = uses
        if clients.count > Limits.requestingClients { forgetSome(butNot: client) }
    }

    /// Takes over what was recorded: the transaction was committed.
    mutating func didCommit() { pending.removeAll(keepingCapacity: true) }

    /// Drops what the open transaction had recorded.
    mutating func didRollBack() {
        if pending.isEmpty { return }
        for request in pending {
            clients[request.client]?.entries.removeAll { $0.sequence == request.sequence }
        }
        pending.removeAll(keepingCapacity: true)
    }

    /// Drops the half of the clients that have been silent for longest, but never the one that asks now.
    private mutating func forgetSome(butNot client: UUID) {
        let uses = clients.values.map(\.lastUse).sorted()
        let middle = uses[uses.count / 2]
        let inUse = Set(pending.map(\.client)).union([client])
        clients = clients.filter { $0.value.lastUse > middle || inUse.contains($0.key) }
        hasForgotten = true
    }
}

extension RequestLedger.Client {
    /// Records a request; returns whether an earlier one was dropped for it whose reply the client may not
    /// have.
    fileprivate mutating func record(_ request: RequestIDMessage, number: UInt64, use: Int) -> Bool {
        lastUse = use
        acknowledged = max(acknowledged, request.acknowledged)
        if entries.contains(where: { $0.sequence <= request.acknowledged }) {
            entries.removeAll { $0.sequence <= request.acknowledged }
        }
        let isFull = entries.count >= Limits.requestsPerClient
        if isFull { entries.removeFirst() }
        entries.append(RequestLedger.Entry(sequence: request.sequence, number: number))
        return isFull
    }
}
