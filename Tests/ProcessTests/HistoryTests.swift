import CofferDBus
import CofferLinux
import CofferSQLite
import CofferService
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

private func history(_ client: RawClient, _ store: OpenNotes, of uuid: UUID, after number: UInt64) throws
    -> HistoryReplyMessage
{
    try client.call(.history, HistoryRequestMessage(store: store.handle, storeUUID: uuid, after: number))
}

@Test
func `a token below the floor of history is told so, with the way on`() throws {
    try withService { service in
        let writer = try service.channel()
        let before = try writer.open()
        for number in 1...20 { try writer.insert(["\(number)"], into: before) }
        try service.kill9()
        // Ten transactions grow older than history is kept.
        let tool = try SQLiteConnection(path: before.path, mode: .readWrite)
        try tool.execute("INSERT INTO COFFER_STATE(name, value) VALUES('retention_mark:1000', 10)")

        let reader = try service.channel()
        let store = try reader.open(mustExist: true)
        // The purge of opening ran before the first write.
        try reader.insert(["21"], into: store)
        #expect(
            try history(reader, store, of: store.uuid, after: 9)
                == .expired(floor: 10, current: 21, isOtherStore: false))
        #expect(
            try history(reader, store, of: store.uuid, after: 99)
                == .expired(floor: 10, current: 21, isOtherStore: false))
        guard
            case .transactions(let transactions, 21, false) = try history(
                reader, store, of: store.uuid, after: 10)
        else {
            Issue.record("history after its floor must be there")
            return
        }
        #expect(transactions.map(\.number) == Array(11...21))
        #expect(try service.integrity(of: Notes.path("Notes", user: CurrentProcess.userID)) == [])
    }
}

@Test
func `a client that has opened a store to read only changes nothing of it`() throws {
    try withService { service in
        let writer = try service.channel()
        let store = try writer.open()
        try writer.insert(["Milk"], into: store)
        let reader = try service.channel()
        let reply: OpenStoreReplyMessage = try reader.call(
            .openStore,
            OpenStoreRequestMessage(name: StoreNameMessage(name: "Notes"), modelID: [], isReadOnly: true))
        guard case .opened(let opened) = reply else {
            Issue.record("the store must open")
            return
        }
        let metadata: MetadataReplyMessage = try reader.call(
            .metadata, MetadataRequestMessage(store: opened.store))
        #expect(metadata.uuid == store.uuid)
        let consumers: ConsumerReplyMessage = try reader.call(
            .consumer, ConsumerRequestMessage(store: opened.store, name: "", acknowledged: 0))
        #expect(consumers.consumers.isEmpty)
        let refused = [
            #expect(throws: Refusal.self) {
                let _: MetadataReplyMessage = try reader.call(
                    .metadata,
                    MetadataRequestMessage(
                        store: opened.store, changes: ["a": MetadataValueMessage(text: "b")]))
            },
            #expect(throws: Refusal.self) {
                let _: ConsumerReplyMessage = try reader.call(
                    .consumer, ConsumerRequestMessage(store: opened.store, name: "backup", acknowledged: 1))
            },
            #expect(throws: Refusal.self) {
                let _: PurgeHistoryReplyMessage = try reader.call(
                    .purgeHistory, PurgeHistoryRequestMessage(store: opened.store, before: 1))
            },
        ]
        for refusal in refused { #expect(refusal?.reason == "read_only", "\(refusal as Any)") }
    }
}

@Test
func `the token of a store that was replaced is refused`() throws {
    try withService { service in
        let client = try service.channel()
        let old = try client.open()
        try client.insert(["Milk"], into: old)
        let inUse = #expect(throws: Refusal.self) {
            let _: EmptyMessage = try client.call(
                .removeStore, RemoveStoreRequestMessage(name: .init(name: "Notes")))
        }
        #expect(inUse?.code == .failedPrecondition && inUse?.reason == "store_in_use", "\(inUse as Any)")
        let _: EmptyMessage = try client.call(.closeStore, CloseStoreRequestMessage(store: old.handle))
        let _: EmptyMessage = try client.call(
            .removeStore, RemoveStoreRequestMessage(name: .init(name: "Notes")))
        let new = try client.open()
        #expect(new.uuid != old.uuid)
        try client.insert(["Bread"], into: new)
        #expect(
            try history(client, new, of: old.uuid, after: 1)
                == .expired(floor: 0, current: 1, isOtherStore: true))
        let late = #expect(throws: Refusal.self) { try client.count(old) }
        #expect(late?.reason == "unknown_store", "\(late as Any)")
    }
}

@Test
func `an idle client gets bookmarks, which follow each other without a gap`() throws {
    try withService { service in
        let idle = try service.channel()
        let seen = try idle.open()
        let writer = try service.channel()
        let store = try writer.open()
        for number in 1...200 { try writer.insert(["\(number)"], into: store) }
        var reached = seen.number
        while reached < 190 {
            let push = try idle.nextPush()
            #expect(push.kind == .bookmark && push.previous == reached && push.transaction == nil)
            reached = push.number
        }
        guard
            case .transactions(let rest, 200, false) = try history(idle, seen, of: seen.uuid, after: reached)
        else {
            Issue.record("history after a bookmark must be there")
            return
        }
        #expect(rest.count == Int(200 - reached))
    }
}

@Test
func `a store that Core Data made is read, not written, and gets no log and no other file`() throws {
    try withService { service in
        let maker = try service.channel()
        try maker.insert(["Milk", "Tea"], into: maker.open())
        try service.kill9()
        let folder = try Folder(at: LogFile.folder(service))
        let path = LogFile.path(service, "Notes")
        do {
            // Without the tables that Core Data knows nothing of.
            let file = try SQLiteConnection(path: path, mode: .readWrite)
            let tables = try file.prepare(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'COFFER_*' OR name IN ('ACHANGE', 'ATRANSACTION')"
            )
            var names: [String] = []
            while try tables.step() { names.append(tables.text(0)) }
            #expect(names.count > 2)
            for name in names { try file.execute("DROP TABLE \(name)") }
        }
        let bytes = try folder.read("Notes.sqlite", limit: 1 << 20)
        let names = try folder.names().sorted()
        let client = try service.channel()
        let refusal = #expect(throws: Refusal.self) { try client.open() }
        #expect(refusal?.reason == "unadoptable", "\(refusal as Any)")
        let model: RegisterModelReplyMessage = try client.call(
            .registerModel, RegisterModelRequestMessage(model: try Notes.model()))
        let reply: OpenStoreReplyMessage = try client.call(
            .openStore,
            OpenStoreRequestMessage(
                name: StoreNameMessage(name: "Notes"), modelID: model.modelID, isReadOnly: true))
        guard case .opened(let opened) = reply else {
            Issue.record("the store must open")
            return
        }
        #expect(try service.property("ReadOnly", ofStore: "Notes") == .boolean(true))
        let store = try OpenNotes(opened)
        #expect(try client.count(store) == 2)
        let late = #expect(throws: Refusal.self) { try client.insert(["Bread"], into: store) }
        #expect(late?.reason == "read_only", "\(late as Any)")
        #expect(try folder.read("Notes.sqlite", limit: 1 << 20) == bytes)
        #expect(try folder.names().sorted() == names, "there is no log, and nothing else beside it")
    }
}
