import CofferDBus
import CofferLinux
import CofferSQLite
import CofferService
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

@Test(arguments: [10, 200, 1_000])
func `SIGTERM during saves loses none that was acknowledged`(afterAnswers count: Int) throws {
    try withService { service in
        let process = try service.startByHand()
        let writer = try service.channel()
        let store = try writer.open()
        var keys: [UInt64: String] = [:]
        for number in 0..<2_000 {
            let title = "note \(number)"
            keys[try writer.start(.save, store.insertion([title], writer.requestID()).packed())] = title
            // Not so many at once that the budget refuses some.
            if number >= 500, number % 100 == 0 { try writer.waitForAnswers(number - 450) }
            if writer.answers.count >= count { break }
        }
        try writer.waitForAnswers(min(count, keys.count))
        try process.kill(.terminate)
        try writer.waitUntilClosed()
        #expect(try process.waitForExit(timeout: .seconds(60)) == .code(0))

        let answers = writer.takeAnswers()
        var acknowledged: [String] = []
        for (call, answer) in answers where answer.header.status == .ok {
            guard case .saved(let saved) = try SaveReplyMessage(packed: answer.payload),
                let title = keys[call]
            else {
                Issue.record("a wrong answer: \(answer)")
                continue
            }
            #expect(saved.firstKeys.count == 1)
            acknowledged.append(title)
        }
        #expect(acknowledged.count >= min(count, keys.count))

        let reader = try service.channel()
        let found = try reader.titles(reader.open(mustExist: true))
        #expect(Set(acknowledged).subtracting(found) == [], "acknowledged, and gone")
        #expect(Set(found).count == found.count, "a save was applied twice")
        #expect(Set(found).isSubset(of: keys.values))
        #expect(try service.integrity(of: Notes.path("Notes", user: CurrentProcess.userID)) == [])
    }
}

@Test
func `SIGTERM ends a service that nobody uses, and gives its name back`() throws {
    try withService { service in
        let process = try service.startByHand()
        try process.kill(.terminate)
        #expect(try process.waitForExit(timeout: .seconds(60)) == .code(0))
        #expect(try service.pid() == nil)
    }
}

@Test
func `a service whose bus goes ends by itself, and keeps what was saved`() throws {
    try withService { service in
        let process = try service.startByHand()
        let writer = try service.channel()
        let store = try writer.open()
        try writer.insert(["Milk"], into: store)
        try ProcessControl.kill(service.bus.processID, .kill)
        #expect(try process.waitForExit(timeout: .seconds(60)) == .code(0))
        let file = try SQLiteConnection(path: store.path, mode: .readWrite)
        #expect(try file.integrityCheck() == [])
        let titles = try file.prepare("SELECT ZTITLE FROM ZNOTE")
        #expect(try titles.step() && titles.text(0) == "Milk")
    }
}

@Test
func `calls of strangers that came before a service ends are answered`() throws {
    try withService { service in
        for _ in 0..<4 {
            let process = try service.startByHand()
            let callers = try (0..<24).map { _ in try DBusConnection(to: .explicit(service.bus.address)) }
            defer { for caller in callers { caller.close() } }
            let outcomes = Outcomes()
            try process.kill(.stop)
            try waitUntilStopped(process.id)
            for caller in callers {
                let call = DBusMessage.methodCall(
                    to: BusNames.name, path: BusNames.path, interface: "org.freedesktop.DBus.Properties",
                    member: "Get", body: [.string(BusNames.name), .string("Version")])
                caller.call(call) { outcomes.add($0) }
                try caller.flush()
            }
            // It finds the calls and the signal at once, and has to ask the bus about each caller.
            try process.kill(.terminate)
            try process.kill(.resume)
            outcomes.wait(for: callers.count)
            #expect(outcomes.names == ["ok": callers.count])
            #expect(try process.waitForExit(timeout: .seconds(60)) == .code(0))
        }
    }
}

@Test
func `a service whose clients never pause hears SIGTERM`() throws {
    try withService { service in
        let process = try service.startByHand()
        let served = ConditionLock([Int: Int]())
        let count = 2 * max(4, Processors.available * 2)
        let clients = try (0..<count).map { index in
            try WorkerThread(name: "client-\(index)") {
                // It ends when the service does.
                guard let client = try? service.channel(),
                    let request = try? ListStoresRequestMessage().packed()
                else { return }
                for round in 1... {
                    let frames = (0..<200).flatMap { _ in client.frame(.listStores, request).bytes }
                    guard (try? client.send(frames)) != nil,
                        (try? client.waitForAnswers(round == 1 ? 1 : 200)) != nil
                    else { return }
                    _ = client.takeAnswers()
                    served.withLock { $0[index] = round }
                    served.broadcast()
                }
            }
        }
        // All of them always have calls in the service.
        served.wait { $0.count == count && $0.values.allSatisfy { $0 > 2 } ? () : nil }
        try process.kill(.terminate)
        #expect(try process.waitForExit(timeout: .seconds(60)) == .code(0))
        for client in clients { client.join() }
    }
}

@Test
func `a second service on the same folder is refused with a clear line`() throws {
    try withService { service in
        _ = try service.channel().open()
        let pid = try #require(try service.pid())
        let second = try service.startService(["--data", service.data], errors: .pipe)
        let lines = try #require(second.errorLines())
        let line = try #require(try lines.next(timeout: .seconds(60)))
        #expect(line.contains("cannot start") && line.contains("process \(pid)"), "\(line)")
        #expect(try second.waitForExit(timeout: .seconds(60)) == .code(73))

        let other = try service.startService(["--data", "\(service.data)2"], errors: .pipe)
        let otherLines = try #require(other.errorLines())
        let refusal = try #require(try otherLines.next(timeout: .seconds(60)))
        #expect(refusal.contains("org.coffer.Storage1"), "\(refusal)")
        #expect(try other.waitForExit(timeout: .seconds(60)) == .code(69))
        #expect(try service.pid() == pid)
    }
}

extension RawClient {
    /// The titles of all notes.
    func titles(_ store: OpenNotes) throws -> [String] {
        let reply: FetchReplyMessage = try call(.fetch, store.fetch())
        guard let rows = reply.rows, let column = rows.columns.first(where: { $0.property == store.title }),
            case .bytes(let runs) = column.values
        else { return [] }
        return (0..<rows.rowCount).map { String(decoding: runs.data[runs.range($0)], as: UTF8.self) }
    }
}

@Test
func `SIGTERM ends a service that reads what a store's own SQL makes without end`() throws {
    try withService { service in
        let path: String
        do {
            let process = try service.startByHand()
            let channel = try service.channel()
            let store = try channel.open()
            path = store.path
            for _ in 0..<4 { try channel.insert((0..<500).map { "note \($0)" }, into: store) }
            try process.kill(.terminate)
            #expect(try process.waitForExit(timeout: .seconds(60)) == .code(0))
        }
        // Each title takes long to make, each time it is read.
        let text = (0..<6).reduce("hex(zeroblob(300000))") { sql, _ in "replace(\(sql), '00', '0000')" }
        try SQLiteConnection(path: path).execute(
            "ALTER TABLE ZNOTE RENAME COLUMN ZTITLE TO OLD; ALTER TABLE ZNOTE ADD COLUMN ZTITLE AS (substr(\(text), 1, 3))"
        )
        let process = try service.startByHand()
        let channel = try service.channel()
        let store = try channel.open()
        _ = try channel.start(.fetch, store.fetch().packed())
        let saving = try channel.start(.save, store.insertion(["new"], channel.requestID()).packed())
        #expect(try channel.nextFrame(of: saving).header.status == .failedPrecondition)
        try process.kill(.terminate)
        #expect(try process.waitForExit(timeout: .seconds(60)) == .code(0))
    }
}
