import Coffer
import CofferCoordination
import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

@Suite(.serialized) struct ExchangeTests {
    /// A store with one entry; its file is complete, and no process has anything to add to it.
    private func backup(_ service: ServiceUnderTest) throws -> String {
        let maker = try ClientProcess(service, store: "Backup")
        try maker.insert(7, title: "from the backup")
        #expect(try maker.end() == .code(0))
        _ = try service.connection().call(
            BusNames.name, path: BusNames.path, interface: BusNames.name, member: "Flush")
        return LogFile.path(service, "Backup")
    }

    private func connection(_ service: ServiceUnderTest) throws -> ServiceConnection {
        try ServiceConnection(application: "org.coffer.Tests", bus: .explicit(service.bus.address))
    }

    /// Begins to replace the store of entries, and does not wait.
    private func beginReplacing(
        _ client: RawClient, with path: String, waitMilliseconds: UInt32
    ) throws -> UInt64 {
        let file = try Folder(at: "/").openBeneath(String(path.dropFirst()))
        let request = ReplaceStoreRequestMessage(
            name: StoreNameMessage(name: "Log"), waitMilliseconds: waitMilliseconds)
        return try client.start(.replaceStore, request.packed(), descriptors: [file])
    }

    @Test
    func `clients that want to open a store that is being exchanged keep no worker`() throws {
        try withStoppableService { service, place in
            let path = try backup(service)
            let exchanger = try service.channel()
            // More than there are workers.
            let waiting = try (0..<(2 * max(4, Processors.available * 2))).map { _ in try service.channel() }
            let pid = try #require(try service.pid())
            try place.arm(.beforeExchange)
            _ = try beginReplacing(exchanger, with: path, waitMilliseconds: 1)
            try place.waitUntilReached(.beforeExchange)
            let request = try OpenStoreRequestMessage(name: StoreNameMessage(name: "Log"), modelID: [])
                .packed()
            for client in waiting { _ = try client.start(.openStore, request) }
            // It is told that the point is reached just before it stops.
            try waitUntilStopped(pid)
            try ProcessControl.kill(pid, .resume)
            for client in waiting {
                try client.waitForAnswers(1)
                let answer = try #require(client.takeAnswers().values.first)
                #expect(answer.header.status == .ok)
                // What stands there now is what is opened.
                guard case .opened(let opened) = try OpenStoreReplyMessage(packed: answer.payload) else {
                    Issue.record("a store that was exchanged is not opened")
                    continue
                }
                let count: FetchReplyMessage = try client.call(
                    .fetch,
                    FetchRequestMessage(store: opened.store, fetch: FetchDescription(entityName: "Entry")))
                #expect(count.rows?.rowCount == 1)
            }
            let other = try service.channel()
            let reply: ListStoresReplyMessage = try other.call(.listStores, ListStoresRequestMessage())
            #expect(!reply.stores.isEmpty)
        }
    }

    @Test(arguments: [CrashPoint.beforeExchange, .afterExchange])
    func `what a client saves when it is asked is kept until the whole new file is there`(point: CrashPoint)
        throws
    {
        try withStoppableService { service, place in
            let path = try backup(service)
            let client = try ClientProcess(service)
            try client.insert(1)
            try client.ask("keepUnsaved", ["title": "last words"])
            let exchanger = try service.channel()
            try place.arm(point)
            _ = try beginReplacing(exchanger, with: path, waitMilliseconds: 60_000)
            try place.waitUntilReached(point)
            #expect(try client.ask("waitForNotice", ["notice": "saved"]) == ["notices": "saved"])
            try service.kill9()
            try client.ask("waitForEvents", ["event": "reconnected"])
            // No client heard the end, but all see which file is there.
            let titles = Set(try client.fetchedTitles())
            #expect(titles == (point == .beforeExchange ? ["A", "last words"] : ["from the backup"]))
            #expect(try service.integrity(ofStore: "Log") == [])
            #expect(try client.end() == .code(0))
            let names = try Folder(at: LogFile.folder(service)).names()
            #expect(!names.contains { $0.contains(".new") }, "remains are removed: \(names)")
        }
    }

    @Test
    func `clients that answered read the new file, with numbers that go on`() throws {
        try withService { service in
            let path = try backup(service)
            let client = try ClientProcess(service)
            for number in 1...5 { try client.insert(number) }
            try client.ask("keepUnsaved", ["title": "last words"])
            let number = try connection(service).replaceStore(
                named: "Log", withFileAt: path, wait: .seconds(60))
            #expect(number == 7, "behind five saves and the last words")
            #expect(
                try client.ask("waitForNotice", ["notice": "didChange"]) == ["notices": "saved didChange"])
            #expect(try client.fetchedTitles() == ["from the backup"])
            #expect(try client.insert(8) == 8)
            #expect(try client.end() == .code(0))
        }
    }

    @Test
    func `a client that stands still is waited for until the deadline, and told later`() throws {
        try withService { service in
            let path = try backup(service)
            let client = try ClientProcess(service)
            try client.ask("keepUnsaved", ["title": "too late"])
            try ProcessControl.kill(client.child.id, .stop)
            let begin = Monotonic.now
            try connection(service).replaceStore(named: "Log", withFileAt: path, wait: .milliseconds(500))
            let time = Duration.nanoseconds(Int64(Monotonic.now - begin))
            #expect(time >= .milliseconds(500))
            #expect(time < .seconds(30))
            try ProcessControl.kill(client.child.id, .resume)
            let notices = try client.ask("waitForNotice", ["notice": "didChange"])["notices"] ?? ""
            #expect(notices.hasSuffix("didChange") && !notices.hasPrefix("saved"), "\(notices)")
            #expect(try client.fetchedTitles() == ["from the backup"])
            #expect(try client.end() == .code(0))
        }
    }

    @Test
    func `a client that dies is waited for no longer`() throws {
        try withService { service in
            let path = try backup(service)
            let victim = try ClientProcess(service)
            let witness = try ClientProcess(service)
            try victim.ask("keepUnsaved", ["title": "of the victim"])
            try witness.ask("keepUnsaved", ["title": "of the witness"])
            try ProcessControl.kill(victim.child.id, .stop)
            let exchanger = try service.channel()
            let begin = Monotonic.now
            let call = try beginReplacing(exchanger, with: path, waitMilliseconds: 60_000)
            try witness.ask("waitForNotice", ["notice": "saved"])
            // The victim was asked with the others, and keeps the exchange waiting; others are served
            // meanwhile.
            #expect(try witness.insert(3) > 0)
            try victim.child.kill(.kill)
            let reply = try ReplaceStoreReplyMessage(packed: exchanger.reply(to: call))
            #expect(reply.number == 3)
            #expect(Duration.nanoseconds(Int64(Monotonic.now - begin)) < .seconds(50))
            try witness.ask("waitForNotice", ["notice": "didChange"])
            #expect(try witness.fetchedTitles() == ["from the backup"])
            #expect(try witness.end() == .code(0))
        }
    }

    @Test
    func `a store that others have open is removed when that is asked for, and they are told`() throws {
        try withService { service in
            let client = try ClientProcess(service)
            try client.insert(1)
            #expect(throws: CofferError.self) { try connection(service).removeStore(named: "Log") }
            try connection(service).removeStore(named: "Log", evenIfOpen: true)
            try client.ask("waitForEvents", ["event": "storesDidChange"])
            let failure = try client.failure("count")
            #expect(failure["reason"] == "store_exchanged", "\(failure)")
            #expect(try connection(service).stores().isEmpty)
            #expect(try Folder(at: LogFile.folder(service)).names() == [])
        }
    }
}

@Suite struct `Exchanges that are refused` {
    @Test func `a file that is not a store takes no store's place`() throws {
        try withService { service in
            let client = try service.channel()
            let store = try client.open()
            try client.insert(["Milk"], into: store)
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let place = try Folder(at: folder.path)
            try place.replace(
                "text", with: Array("This is not a store, but it is long enough to be looked at.".utf8))
            try place.replace("empty", with: [])
            let request = try ReplaceStoreRequestMessage(name: .init(name: "Notes")).packed()
            for name in ["text", "empty"] {
                let call = try client.start(.replaceStore, request, descriptors: [place.openBeneath(name)])
                let refusal = #expect(throws: Refusal.self) { _ = try client.reply(to: call) }
                #expect(refusal?.reason == "not_a_store", "\(refusal as Any)")
            }
            let pipe = try Pipe.make()
            let call = try client.start(.replaceStore, request, descriptors: [pipe.reader])
            let refusal = #expect(throws: Refusal.self) { _ = try client.reply(to: call) }
            #expect(refusal?.reason == "unfit_replacement", "\(refusal as Any)")
            let none = #expect(throws: Refusal.self) { _ = try client.call(.replaceStore, bytes: request) }
            #expect(none?.reason == "unfit_replacement", "\(none as Any)")
            #expect(try client.count(store) == 1, "nobody was parted from the store")
        }
    }

    @Test func `an answer to what was never asked ends the channel`() throws {
        for id in [2 as UInt64, 3] {
            try withService { service in
                let client = try service.channel()
                try client.send(FrameHeader(kind: .reply, callID: id).bytes)
                try client.waitUntilClosed()
            }
        }
    }

    @Test func `a handle of a file that no longer exists says so`() throws {
        try withService { service in
            let client = try service.channel()
            let store = try client.open()
            try client.insert(["Milk"], into: store)
            let other = try service.channel()
            let request = RemoveStoreRequestMessage(
                name: .init(name: "Notes"), isEvenIfOpen: true, waitMilliseconds: 100)
            let _: EmptyMessage = try other.call(.removeStore, request)
            let push = try client.nextPush()
            #expect(push.kind == .storesDidChange && push.isRemoved && push.store == store.handle)
            let refusal = #expect(throws: Refusal.self) { _ = try client.count(store) }
            #expect(refusal?.reason == "store_exchanged" && refusal?.code == .aborted, "\(refusal as Any)")
            // The same name is free for a new store.
            #expect(try client.count(client.open()) == 0)
        }
    }
}

extension ClientProcess {
    /// The titles of all entries.
    fileprivate func fetchedTitles() throws -> [String] {
        try ask("fetch")
        return try ask("titles").values.sorted()
    }
}
