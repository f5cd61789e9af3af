import CofferDBus
import CofferLinux
import CofferModel
import CofferService
import CofferWire
import TestSupport
import Testing

/// How many transactions the slow client misses: a minute's work, or fewer if `COFFER_TEST_MISSED` says so.
private let missed = CurrentProcess.environment["COFFER_TEST_MISSED"].flatMap { Int($0) } ?? 30_000

/// A writer that never lets the commit queue run dry, and a reader that is measured meanwhile.
private final class Traffic {
    let writer: RawClient
    let store: OpenNotes
    let reader: RawClient
    let seen: OpenNotes
    let service: ServiceUnderTest
    private var keys: [Int64] = []
    private var held: [Int64] = []
    private(set) var largestLog = 0

    init(_ service: ServiceUnderTest) throws {
        self.service = service
        writer = try service.channel()
        store = try writer.open()
        reader = try service.channel()
        seen = try reader.open()
    }

    /// Makes `count` transactions, and fetches meanwhile; how long each fetch took.
    func run(_ count: Int) throws -> [UInt64] {
        var request = seen.fetch()
        request.fetch.limit = 10
        var latencies: [UInt64] = []
        var made = 0
        while made < count {
            let calls = try startSaves(256)
            for _ in 0..<32 {
                let start = Monotonic.now
                let _: FetchReplyMessage = try reader.call(.fetch, request)
                latencies.append(Monotonic.now - start)
            }
            for call in calls { try note(try SaveReplyMessage(packed: writer.reply(to: call))) }
            try release()
            made += calls.count
            if made % 4_096 == 0 { largestLog = max(largestLog, try logSize()) }
        }
        return latencies
    }

    /// Inserts, and now and then deletes, without waiting.
    private func startSaves(_ count: Int) throws -> [UInt64] {
        try (0..<count).map { index in
            guard index % 16 == 0, let key = keys.popLast() else {
                return try writer.start(.save, store.insertion(["x"], writer.requestID()).packed())
            }
            let deletion = SaveRequestMessage(
                store: store.handle, request: writer.requestID(),
                deletes: [DeleteGroup(entity: store.note, primaryKeys: [key], versions: [1])])
            return try writer.start(.save, deletion.packed())
        }
    }

    private func note(_ reply: SaveReplyMessage) throws {
        guard case .saved(let saved) = reply else { throw ServiceUnderTest.Missing() }
        keys += saved.firstKeys
        held += saved.firstKeys
        if keys.count > 100 { keys.removeFirst(keys.count - 100) }
    }

    /// Lets go of what was inserted, as a client does that keeps none of it: else the service would keep it
    /// at hand.
    private func release() throws {
        let release = ReleaseRequestMessage(store: store.handle, entity: store.note, primaryKeys: held)
        _ = try writer.reply(to: writer.start(.release, release.packed()))
        held = []
    }

    private func logSize() throws -> Int {
        let path = Notes.path("Notes", user: CurrentProcess.userID)
        let reply = try service.connection().call(
            BusNames.name, path: path, interface: "org.freedesktop.DBus.Properties", member: "Get",
            body: [.string("\(BusNames.name).Store"), .string("LogSize")])
        return try Int(reply.argument(0) { $0.unwrapped.uint64Value })
    }
}

/// The 99th percentile, in microseconds.
private func percentile99(_ latencies: [UInt64]) -> Double {
    Double(latencies.sorted()[latencies.count * 99 / 100]) / 1_000
}

extension OneAtATime {
    @Suite(.serialized) struct SlowReaderTests {
        @Test
        func `a client that stops reading costs nobody anything, and catches up`() throws {
            try withService { service in
                let traffic = try Traffic(service)
                _ = try traffic.run(2_048)  // Everything is warm now.
                let before = try traffic.run(max(4_096, missed / 8))
                let idle = try service.memory().resident

                let slow = try service.channel()
                let watched = try slow.open(watch: true)
                let busy = percentile99(try traffic.run(missed))
                let grown = try service.memory().resident - idle

                let (objects, number) = try catchUp(slow, watched)
                let ids: FetchReplyMessage = try slow.call(.fetch, allIDs(watched))
                #expect(ids.number == number)
                #expect(objects == Set(ids.rows?.primaryKeys ?? []))
                slow.socket.shutDown()

                let quiet = percentile99(before + (try traffic.run(max(4_096, missed / 8))))
                print(
                    "slow reader: \(missed) missed, p99 of fetches \(quiet) µs without and \(busy) µs with it,",
                    "\(grown >> 10) KB more memory, log at most \(traffic.largestLog >> 10) KB")
                #expect(grown <= 8 << 20)
                // Three times what is moved into the file at a time.
                #expect(traffic.largestLog <= 12 << 20)
                #expect(busy <= 2 * quiet)
                #expect(try service.integrity(of: Notes.path("Notes", user: CurrentProcess.userID)) == [])
            }
        }

        @Test
        func `a client that sends calls and reads no answers is not read either, and served when it reads`()
            throws
        {
            try withService { service in
                let witness = try service.channel()
                let store = try witness.open()
                try witness.insert((0..<2_000).map { "note \($0)" }, into: store)
                let before = try service.memory().resident
                let deaf = try service.channel()
                let own = try deaf.open()
                // Each answer takes tens of kilobytes, and so does each call, so that few fill what the
                // service reads ahead.
                let predicate = try QueryPredicate(
                    format: "title != %@", String(repeating: "x", count: 20_000))
                let request = try own.fetch(predicate).packed()
                let (sent, rest) = try fill(deaf, with: request, upTo: 20_000)
                #expect(sent < 20_000, "the service reads on")
                let grown = try service.memory().resident - before
                print("deaf client: \(sent) calls taken, \(grown >> 10) KB more memory")
                #expect(grown <= 48 << 20)
                #expect(try witness.count(store) == 2_000)
                try deaf.waitForAnswers(sent)
                try deaf.send(rest)
                try deaf.waitForAnswers(sent + 1)
            }
        }

        /// Sends fetches until the service has taken none for half a second; how many whole ones, and what
        /// the last one lacks.
        private func fill(
            _ client: RawClient, with request: [UInt8], upTo limit: Int
        ) throws -> (sent: Int, rest: [UInt8]) {
            var frame = client.frame(.fetch, request).bytes[...]
            var sent = 0
            while sent < limit {
                switch try client.socket.send(Array(frame)) {
                case .sent(let count): frame = frame.dropFirst(count)
                case .wouldBlock:
                    guard try client.socket.waitUntilWritable(timeout: .milliseconds(500)) else {
                        return (sent, Array(frame))
                    }
                case .closed: throw RawClient.Failure.closed
                }
                guard frame.isEmpty else { continue }
                sent += 1
                frame = client.frame(.fetch, request).bytes[...]
            }
            return (sent, Array(frame))
        }
    }
}

private func allIDs(_ store: OpenNotes) -> FetchRequestMessage {
    var request = store.fetch()
    request.fetch.resultType = .objectIDs
    return request
}

/// What a client does that was away: takes the pushes it has, and fetches the history that it lacks.
private func catchUp(_ client: RawClient, _ store: OpenNotes) throws -> (Set<Int64>, UInt64) {
    // What was there when it opened the store.
    var objects = Set<Int64>()
    var reached = store.number
    func apply(_ transactions: [TransactionMessage]) {
        for transaction in transactions {
            #expect(transaction.number == reached + 1, "the feed has a gap")
            reached = transaction.number
            for change in transaction.changes {
                if change.kind == .delete {
                    objects.subtract(change.primaryKeys)
                } else {
                    objects.formUnion(change.primaryKeys)
                }
            }
        }
    }
    func fetchHistory(from number: UInt64) throws {
        while true {
            let reply: HistoryReplyMessage = try client.call(
                .history, HistoryRequestMessage(store: store.handle, storeUUID: store.uuid, after: reached))
            guard case .transactions(let page, _, let hasMore) = reply else {
                throw ServiceUnderTest.Missing()
            }
            apply(page)
            if !hasMore { return }
        }
    }
    // The rows of before: history from the beginning has them all.
    reached = 0
    let initial = store.number
    while reached < initial {
        let reply: HistoryReplyMessage = try client.call(
            .history, HistoryRequestMessage(store: store.handle, storeUUID: store.uuid, after: reached))
        guard case .transactions(let page, _, _) = reply else { throw ServiceUnderTest.Missing() }
        apply(page.filter { $0.number <= initial })
    }
    while true {
        let push = try client.nextPush()
        if push.kind == .historySince {
            #expect(push.previous == reached)
            try fetchHistory(from: push.previous)
            #expect(reached >= push.number)
            return (objects, reached)
        }
        #expect(push.kind == .didSave && push.previous == reached)
        apply(push.transaction.map { [$0] } ?? [])
    }
}
