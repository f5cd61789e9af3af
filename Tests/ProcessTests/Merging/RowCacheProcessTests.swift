import CofferDBus
import CofferLinux
import CofferSQLite
import CofferWire
import TestSupport
import Testing

@Suite(.serialized) struct RowCacheProcessTests {
    @Test
    func `faults of several processes are answered without reading the file`() throws {
        try withService { service in
            let clients = try (1...3).map { try ClientProcess(service, name: "client-\($0)") }
            try clients[0].insert(1, as: "it")
            for client in clients[1...] { try client.ask("fetch", ["as": "it", "sequence": "1"]) }
            for round in 1...5 {
                for client in clients {
                    try client.ask("refresh", ["as": "it"])
                    #expect(try client.ask("value", ["as": "it"])["title"] == "A")
                }
                #expect(try service.counter("CacheHits") >= 3 * round)
            }
            #expect(try service.counter("CacheMisses") == 0)
            let hits = try service.clientValues("CacheHits").compactMap(\.uint64Value)
            #expect(hits.count == 3 && hits.allSatisfy { $0 == 5 }, "\(hits)")
            #expect(try service.counter("CacheHits") == 15)
            // Each says how many contexts it has.
            #expect(try service.clientValues("Contexts").compactMap(\.uint32Value) == [1, 1, 1])
            #expect(try service.counter("CacheRows") == 1)
            #expect(try service.counter("CacheBytes") > 0)
            for client in clients { #expect(try client.end() == .code(0)) }
        }
    }

    @Test
    func `what another program writes reaches clients that wait`() throws {
        try withService { service in
            let client = try ClientProcess(service, name: "client")
            let number = try client.insert(1, as: "it")
            try write("UPDATE ZENTRY SET ZTITLE = 'theirs'", into: service.file())
            let merge = try client.ask("waitForMerge", ["number": "\(number + 1)"])
            #expect(merge["refreshed"] == "1", "\(merge)")
            #expect(try client.ask("value", ["as": "it"])["title"] == "theirs")
            #expect(try service.counter("ForeignChanges") == 1)
            #expect(try client.end() == .code(0))
        }
    }

    @Test
    func `what another program writes reaches clients that wait, though nothing can be watched`() throws {
        try withService { service in
            let process = try service.started {
                try ChildProcess(
                    BuiltProducts.path(of: "refusing"),
                    arguments: [
                        "watches", service.executable, "--data", service.data, "--idle-timeout", "0",
                    ], environment: service.bus.environment, errors: .discarded)
            }
            let client = try ClientProcess(service, name: "client")
            let number = try client.insert(1, as: "it")
            try write("UPDATE ZENTRY SET ZTITLE = 'theirs'", into: service.file())
            try client.ask("waitForMerge", ["number": "\(number + 1)"])
            #expect(try client.ask("value", ["as": "it"])["title"] == "theirs")
            #expect(try client.end() == .code(0))
            try process.kill()
            #expect(try process.waitForExit() == .code(0))
        }
    }

    @Test
    func `a save never overwrites what another program wrote`() throws {
        try withService { service in
            let client = try ClientProcess(service, name: "client")
            try client.insert(1, as: "it")
            try client.ask("policy", ["policy": "error", "merges": "false"])
            try client.ask("set", ["as": "it", "title": "mine"])
            try write("UPDATE ZENTRY SET ZTITLE = 'theirs'", into: service.file())
            let failure = try client.failure("save")
            #expect(failure["kind"] == "conflicts" && failure["stored.title"] == "theirs", "\(failure)")
            #expect(failure["snapshotVersion"] == "1" && failure["storedVersion"] == "2", "\(failure)")
            try client.ask("refresh", ["as": "it"])
            #expect(try client.ask("value", ["as": "it"])["title"] == "theirs")
            #expect(try client.end() == .code(0))
        }
    }

    @Test
    func `a copy of an open store is refused with both paths`() throws {
        try withService { service in
            let witness = try service.channel()
            let store = try witness.open()
            try witness.insert(["Milk"], into: store)
            let copy = store.path.replacing("Notes.sqlite", with: "Copy.sqlite")
            let source = try SQLiteConnection(path: store.path, mode: .readWrite)
            try source.backup(to: SQLiteConnection(path: copy))
            let other = try service.channel()
            do {
                _ = try other.open("Copy")
                Issue.record("the copy was opened")
            } catch let refusal as Refusal {
                #expect(refusal.code == .failedPrecondition && refusal.reason == "duplicate_store")
                #expect(refusal.text.contains(copy) && refusal.text.contains(store.path), "\(refusal.text)")
            }
            // Once no client uses the original, its copy can be opened.
            let _: EmptyMessage = try witness.call(
                .closeStore, CloseStoreRequestMessage(store: store.handle))
            let opened = try other.open("Copy")
            #expect(try other.count(opened) == 1)
            let _: EmptyMessage = try other.call(.closeStore, CloseStoreRequestMessage(store: opened.handle))
            let again = try witness.open("Notes")
            #expect(try witness.count(again) == 1)
            #expect(again.handle != store.handle)
        }
    }

    /// Another program writes, and closes the file.
    private func write(_ sql: String, into path: String) throws {
        try SQLiteConnection(path: path, mode: .readWrite).execute(sql)
    }
}
