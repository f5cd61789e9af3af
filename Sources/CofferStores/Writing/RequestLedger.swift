internal import CofferWire
internal import FoundationEssentials

/// Replies to requests that were applied, until their clients say that they have them.
///
/// Confined to the writer. It holds what this writer applied and, once somebody asks again, what earlier ones did: every reply is in the
/// file besides, so that a request which is sent again after a crash finds its own.
struct RequestLedger {
    fileprivate struct Client {
        var replies: [(sequence: UInt64, packed: [UInt8])] = []
        var lastUse: Double
    }

    private var clients: [UUID: Client] = [:]
    private var pending: [RequestIDMessage] = []
    private var notesSinceSweep = 0

    /// The packed reply to a request that was applied; `nil` where it is not known.
    func reply(to request: RequestIDMessage) -> [UInt8]? {
        clients[request.client]?.replies.last { $0.sequence == request.sequence }?.packed
    }

    /// Notes a reply inside the transaction, and forgets those that its client has.
    mutating func note(_ packed: [UInt8], to request: RequestIDMessage, now: Double) {
        clients[request.client, default: Client(lastUse: now)].note(packed, to: request, now: now)
        pending.append(request)
        notesSinceSweep += 1
        if notesSinceSweep >= Limits.requestsPerSweep { sweep(now: now) }
    }

    /// Notes what an earlier writer answered at some time; the oldest come first.
    mutating func noteEarlier(_ packed: [UInt8], to request: RequestIDMessage, at time: Double) {
        guard reply(to: request) == nil else { return }
        clients[request.client, default: Client(lastUse: time)].note(packed, to: request, now: time)
    }

    /// Takes note that the transaction was committed.
    mutating func didCommit() { pending.removeAll(keepingCapacity: true) }

    /// Forgets what the open transaction had noted.
    mutating func didRollBack() {
        for request in pending {
            clients[request.client]?.replies.removeAll { $0.sequence == request.sequence }
        }
        pending.removeAll()
    }

    /// Forgets clients that nobody has heard of for as long as replies are kept.
    private mutating func sweep(now: Double) {
        notesSinceSweep = 0
        clients = clients.filter { now - $0.value.lastUse <= Limits.requestAge }
    }
}

extension RequestLedger.Client {
    fileprivate mutating func note(_ packed: [UInt8], to request: RequestIDMessage, now: Double) {
        lastUse = max(lastUse, now)
        if replies.contains(where: { $0.sequence <= request.acknowledged }) {
            replies.removeAll { $0.sequence <= request.acknowledged }
        }
        if replies.count >= Limits.requestsPerClient { replies.removeFirst() }
        replies.append((request.sequence, packed))
    }
}
