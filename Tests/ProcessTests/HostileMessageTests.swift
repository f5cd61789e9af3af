import CofferDBus
import CofferLinux
import CofferModel
import CofferService
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

/// One call with the error that it must be answered with.
private struct Offence {
    let name: String
    let method: ChannelMethod
    let bytes: [UInt8]
    let code: StatusCode
    let reason: String

    init(
        _ name: String, _ method: ChannelMethod, _ message: some WireMessage, _ code: StatusCode,
        _ reason: String
    ) throws {
        self.init(name, method, bytes: try message.packed(), code, reason)
    }

    init(_ name: String, _ method: ChannelMethod, bytes: [UInt8], _ code: StatusCode, _ reason: String) {
        (self.name, self.method, self.bytes, self.code, self.reason) = (name, method, bytes, code, reason)
    }
}

/// Sends every offence over a channel and over the bus, and compares the answers.
private func expectRefusals(
    _ service: ServiceUnderTest, _ offences: (OpenNotes, RawClient) throws -> [Offence]
) throws {
    let client = try service.channel()
    for offence in try offences(client.open(), client) {
        let refusal = #expect(throws: Refusal.self, "\(offence.name)") {
            try client.call(offence.method, bytes: offence.bytes)
        }
        #expect(
            refusal?.code == offence.code && refusal?.reason == offence.reason,
            "\(offence.name): \(refusal?.description ?? "no error")")
    }
    // The handles, used on the other plane.
    let bus = try service.busClient(id: client.id)
    let model: RegisterModelReplyMessage = try bus.call(
        "RegisterModel", RegisterModelRequestMessage(model: try Notes.model()))
    let reply: OpenStoreReplyMessage = try bus.call(
        "OpenStore", OpenStoreRequestMessage(name: StoreNameMessage(name: "Notes"), modelID: model.modelID))
    guard case .opened(let opened) = reply else { throw ServiceUnderTest.Missing() }
    for offence in try offences(OpenNotes(opened), client) {
        let refusal = #expect(throws: Refusal.self, "\(offence.name)") {
            try BusClient.call(offence.method.rpcName, offence.bytes, over: bus.connection)
        }
        #expect(
            refusal?.code == offence.code && refusal?.reason == offence.reason,
            "\(offence.name), over the bus: \(refusal?.description ?? "no error")")
    }
}

@Test
func `what names nothing is refused with its own error`() throws {
    try withWitness { service, _, _ in
        try expectRefusals(service) { store, client in
            let key = SaveRequestMessage(
                store: store.handle, request: client.requestID(),
                deletes: [DeleteGroup(entity: 99, primaryKeys: [1], versions: [1])])
            var wrongPath = store.fetch()
            wrongPath.fetch.predicate = try QueryPredicate(format: "colour == 1")
            return [
                try Offence(
                    "a handle", .fetch, FetchRequestMessage(store: 77, fetch: store.fetch().fetch),
                    .failedPrecondition, "unknown_store"),
                try Offence(
                    "an entity by name", .fetch,
                    FetchRequestMessage(store: store.handle, fetch: .init(entityName: "Castle")),
                    .invalidArgument, "unknown_entity"),
                try Offence(
                    "an entity by number", .rows,
                    RowsRequestMessage(store: store.handle, entity: 99, primaryKeys: [1]), .invalidArgument,
                    "unknown_entity"),
                try Offence("an entity in a save", .save, key, .invalidArgument, "unknown_entity"),
                try Offence("a property in a predicate", .fetch, wrongPath, .invalidArgument, "predicate"),
                try Offence(
                    "a relationship", .relationship,
                    RelationshipRequestMessage(
                        store: store.handle, entity: store.note, property: 99, primaryKeys: [1]),
                    .invalidArgument, "unknown_property"),
                try Offence(
                    "an attribute as a relationship", .relationship,
                    RelationshipRequestMessage(
                        store: store.handle, entity: store.note, property: store.title, primaryKeys: [1]),
                    .invalidArgument, "unknown_property"),
                try Offence(
                    "a store to remove", .removeStore,
                    RemoveStoreRequestMessage(name: .init(name: "Nothing")), .notFound, "no_such_store"),
                try Offence(
                    "a store that must exist", .openStore,
                    OpenStoreRequestMessage(name: .init(name: "Nothing"), modelID: [], mustExist: true),
                    .notFound, "no_such_store"),
            ]
        }
    }
}

@Test
func `values that do not fit are refused with their property`() throws {
    try withWitness { service, _, _ in
        try expectRefusals(service) { store, client in
            func save(_ column: Column) -> SaveRequestMessage {
                SaveRequestMessage(
                    store: store.handle, request: client.requestID(),
                    inserts: [InsertGroup(entity: store.note, temporaryIDs: [UUID()], columns: [column])])
            }
            let text = ByteRuns(data: Array("seven".utf8), ends: [5])
            var borrowed = save(Column(property: store.stars, values: .integers([1])))
            borrowed.request.client = UUID()
            return [
                try Offence("the request of another client", .save, borrowed, .invalidArgument, "malformed"),
                try Offence(
                    "text for an integer", .save, save(Column(property: store.stars, values: .bytes(text))),
                    .invalidArgument, "wrong_type"),
                try Offence(
                    "an integer for text", .save, save(Column(property: store.title, values: .integers([7]))),
                    .invalidArgument, "wrong_type"),
                try Offence(
                    "an integer of 64 bits for one of 32", .save,
                    save(Column(property: store.stars, values: .integers([1 << 40]))), .invalidArgument,
                    "wrong_type"),
                try Offence(
                    "text that is not UTF-8", .save,
                    save(Column(property: store.title, values: .bytes(.init(data: [0xFF], ends: [1])))),
                    .invalidArgument, "wrong_type"),
                try Offence(
                    "an unknown property", .save, save(Column(property: 99, values: .integers([7]))),
                    .invalidArgument, "unknown_property"),
                try Offence(
                    "two values for one object", .save,
                    save(Column(property: store.stars, values: .integers([1, 2]))), .invalidArgument,
                    "malformed"),
            ]
        }
    }
}

@Test
func `forged ids change nothing`() throws {
    try withWitness { service, witness, store in
        let client = try service.channel()
        let own = try client.open()
        let folder = try Notes.entity("Folder")
        let saved: SaveReplyMessage = try client.call(
            .save,
            SaveRequestMessage(
                store: own.handle, request: client.requestID(),
                inserts: [InsertGroup(entity: folder, temporaryIDs: [UUID(), UUID()], columns: [])]))
        guard case .saved(let reply) = saved else {
            Issue.record("\(saved)")
            return
        }
        let number = reply.number
        // The note has the key 1, so 2 is a folder's alone.
        for (name, entity, key) in [
            ("no object", own.note, 999), ("a folder's", own.note, reply.firstKeys[0] + 1),
            ("a negative one", own.note, -5),
        ]
            as [(String, Int, Int64)]
        {
            let stars = Column(property: own.stars, values: .integers([5]))
            for request in [
                SaveRequestMessage(
                    store: own.handle, request: client.requestID(),
                    updates: [
                        UpdateGroup(entity: entity, primaryKeys: [key], versions: [1], columns: [stars])
                    ]),
                SaveRequestMessage(
                    store: own.handle, request: client.requestID(),
                    deletes: [DeleteGroup(entity: entity, primaryKeys: [key], versions: [1])]),
            ] {
                let outcome: SaveReplyMessage = try client.call(.save, request)
                switch outcome {
                case .saved(let saved):
                    // A client that deletes what is not there has what it wants.
                    #expect(
                        !request.deletes.isEmpty && !saved.isWritten && saved.number == number,
                        "\(name): \(saved)")
                case .conflicts(let conflicts):
                    #expect(!request.updates.isEmpty && conflicts.map(\.primaryKey) == [key], "\(name)")
                    #expect(conflicts.allSatisfy { $0.stored == nil && $0.storedVersion == 0 }, "\(name)")
                default: Issue.record("\(name): \(outcome)")
                }
            }
            let rows: RowsReplyMessage = try client.call(
                .rows, RowsRequestMessage(store: own.handle, entity: entity, primaryKeys: [key]))
            #expect(rows.batches.allSatisfy { $0.rowCount == 0 }, "\(name)")
        }
        let metadata: FetchReplyMessage = try witness.call(.fetch, store.fetch(count: true))
        #expect(metadata.number == number, "a transaction was made of nothing")
    }
}

@Test
func `an object of another entity at the end of a pair is refused whoever wins`() throws {
    let model = try ManagedObjectModel {
        Entity("Desk") { One("person", "Person", inverse: "desk") }
        Entity("Person") {
            Field("name", .string).optional()
            One("desk", "Desk", inverse: "person")
            One("spouse", "Person", inverse: "spouse")
        }
    }
    try withWitness { service, _, _ in
        let client = try service.channel()
        let registered: RegisterModelReplyMessage = try client.call(
            .registerModel, RegisterModelRequestMessage(model: model))
        let opening: OpenStoreReplyMessage = try client.call(
            .openStore, OpenStoreRequestMessage(name: .init(name: "Pairs"), modelID: registered.modelID))
        guard case .opened(let store) = opening, let desk = model.entity(named: "Desk")?.index,
            let person = model.entity(named: "Person"), let spouse = person.propertyIndex(named: "spouse")
        else { throw ServiceUnderTest.Missing() }
        let column = Column(
            property: spouse, values: .references(keys: [1], entities: [UInt32(desk)]))
        for policy in MergePolicyMessage.allCases {
            let insert = InsertGroup(entity: person.index, temporaryIDs: [UUID()], columns: [column])
            let update = UpdateGroup(
                entity: person.index, primaryKeys: [1], versions: [1], columns: [column])
            for (inserts, updates) in [([insert], []), ([], [update])] {
                let refusal = #expect(throws: Refusal.self, "\(policy)") {
                    let _: SaveReplyMessage = try client.call(
                        .save,
                        SaveRequestMessage(
                            store: store.store, request: client.requestID(), mergePolicy: policy,
                            inserts: inserts, updates: updates))
                }
                #expect(refusal?.code == .invalidArgument && refusal?.reason == "wrong_type", "\(policy)")
            }
        }
    }
}

@Test
func `nesting without end is refused`() throws {
    try withWitness { service, _, _ in
        try expectRefusals(service) { store, _ in
            let head: [UInt8] = [0x08, UInt8(store.handle), 0x12, 4] + Array("Note".utf8)
            let truth: [UInt8] = [0x1A, 2, 0x08, 1]
            let negation: [UInt8] = [0x1A, 2, 0x08, 5]
            let deep = head + truth + Array(repeatElement(negation, count: 19_000).joined())
            let wide = head + Array(repeatElement(truth, count: 30_000).joined())
            return [
                Offence("19,000 negations", .fetch, bytes: deep, .invalidArgument, "malformed"),
                Offence("30,000 nodes", .fetch, bytes: wide, .invalidArgument, "malformed"),
            ]
        }
        // Fields that the service does not know are skipped, however deep they are.
        var unknown: [UInt8] = []
        for _ in 0..<2_000 { unknown = [0xFA, 0x3F] + varint(unknown.count) + unknown }
        let client = try service.channel()
        #expect(try client.call(.listStores, bytes: unknown).isEmpty == false)
    }
}

private func varint(_ number: Int) -> [UInt8] {
    var rest = number
    var bytes: [UInt8] = []
    while rest >= 128 {
        bytes.append(UInt8(rest & 127) | 128)
        rest >>= 7
    }
    return bytes + [UInt8(rest)]
}

@Test
func `a message that ends within a field is refused as malformed`() throws {
    try withWitness { service, _, _ in
        try expectRefusals(service) { store, client in
            let samples: [(ChannelMethod, [UInt8])] = [
                (.registerModel, try RegisterModelRequestMessage(model: Notes.model()).packed()),
                (.openStore, try OpenStoreRequestMessage(name: .init(name: "Scratch"), modelID: []).packed()),
                (.fetch, try store.fetch(QueryPredicate(format: "title CONTAINS[c] 'a'")).packed()),
                (
                    .rows,
                    try RowsRequestMessage(store: store.handle, entity: store.note, primaryKeys: [1]).packed()
                ),
                (.save, try store.insertion(["Bread", "Eggs"], client.requestID()).packed()),
                (
                    .consumer,
                    try ConsumerRequestMessage(store: store.handle, name: "x", acknowledged: 1).packed()
                ),
                (
                    .metadata,
                    try MetadataRequestMessage(
                        store: store.handle, changes: ["a": MetadataValueMessage(text: "b")]
                    ).packed()
                ),
            ]
            return samples.map { method, bytes in
                Offence(
                    "\(method) without its last byte", method, bytes: bytes.dropLast(), .invalidArgument,
                    "malformed")
            }
        }
    }
}

@Test(arguments: Seed.several(1))
func `messages cut short or changed anywhere are answered`(seed: Seed) throws {
    try withWitness { service, _, _ in
        let client = try service.channel()
        let store = try client.open("Scratch")
        var random = seed.generator()
        let samples: [(ChannelMethod, [UInt8])] = [
            (.registerModel, try RegisterModelRequestMessage(model: Notes.model()).packed()),
            (.openStore, try OpenStoreRequestMessage(name: .init(name: "Scratch"), modelID: []).packed()),
            (.fetch, try store.fetch(QueryPredicate(format: "stars > 3 AND title CONTAINS[c] 'a'")).packed()),
            (
                .rows,
                try RowsRequestMessage(store: store.handle, entity: store.note, primaryKeys: [1, 2]).packed()
            ),
            (.save, try store.insertion(["Bread", "Eggs"], client.requestID()).packed()),
            (
                .history,
                try HistoryRequestMessage(store: store.handle, storeUUID: store.uuid, after: 0).packed()
            ),
            (.consumer, try ConsumerRequestMessage(store: store.handle, name: "x", acknowledged: 0).packed()),
            (
                .metadata,
                try MetadataRequestMessage(
                    store: store.handle, changes: ["a": MetadataValueMessage(text: "b")]
                ).packed()
            ),
        ]
        var calls = 0
        for (method, bytes) in samples {
            for length in 0..<bytes.count {
                _ = try client.start(method, Array(bytes.prefix(length)))
                calls += 1
            }
            for _ in 0..<200 {
                var changed = bytes
                for _ in 0...Int.random(in: 0...3, using: &random) {
                    changed[Int.random(in: changed.indices, using: &random)] = .random(
                        in: 0...255, using: &random)
                }
                _ = try client.start(method, changed)
                calls += 1
            }
            try client.waitForAnswers(calls)
        }
        let faults = client.takeAnswers().values.filter {
            $0.header.status == .internal || $0.header.status == .unknown
        }
        let texts = try faults.map { try ErrorDetailMessage(packed: $0.payload).text }
        #expect(texts.isEmpty, "COFFER_SEED=\(seed)")
    }
}
