import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

/// What the service says before it hangs up on a client that sends an invalid frame.
private func lastWords(to client: RawClient) throws -> Refusal {
    try client.waitUntilClosed()
    let answer = try #require(client.takeAnswers()[0])
    return Refusal(try ErrorDetailMessage(packed: answer.payload))
}

@Test
func `an invalid frame is refused, and its sender hung up on`() throws {
    try withWitness { service, _, _ in
        let call = FrameHeader(kind: .call, method: .listStores, callID: 3)
        for (name, bytes) in [
            ("unknown kind", changed(call.bytes, at: 4, to: 99)),
            ("unknown flags", changed(call.bytes, at: 5, to: 0x80)),
            ("sealed memory without a descriptor", changed(call.bytes, at: 5, to: 1)),
            ("too many descriptors", changed(call.bytes, at: 20, to: 200)),
            ("a descriptor that did not come", changed(call.bytes, at: 20, to: 1)),
            ("a status in a call", changed(call.bytes, at: 22, to: 3)),
            ("an unknown status", changed(call.bytes, at: 22, to: 77)),
            ("a reply that nobody waits for", FrameHeader(kind: .reply, callID: 2).bytes),
            ("a push from a client", FrameHeader(kind: .push).bytes),
            ("noise", (0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 130) }),
        ] {
            let client = try service.channel()
            try client.send(bytes)
            let words = try lastWords(to: client)
            #expect(
                words.code == .invalidArgument && words.reason == "malformed"
                    || words.code == .resourceExhausted && words.reason == "too_large",
                "\(name): \(words)")
        }
    }
}

@Test
func `a client hung up on after releasing rows no longer holds its store`() throws {
    try withWitness { service, _, _ in
        let client = try service.channel()
        let store = try client.open("Mine")
        let saved = try client.insert(["Milk"], into: store)
        let release = ReleaseRequestMessage(
            store: store.handle, entity: store.note, primaryKeys: saved.firstKeys)
        let noise = [UInt8](repeating: 0xFF, count: FrameHeader.byteCount)
        try client.send(client.frame(.release, release.packed()).bytes + noise)
        try client.waitUntilClosed()
        let admin = try service.channel()
        let _: EmptyMessage = try admin.call(
            .removeStore, RemoveStoreRequestMessage(name: StoreNameMessage(name: "Mine"), isEvenIfOpen: true))
    }
}

@Test
func `a length of 1 GiB is refused before anything of it is read`() throws {
    try withWitness { service, _, _ in
        let before = try service.memory().resident
        let client = try service.channel()
        var bytes = FrameHeader(kind: .call, method: .fetch, callID: 3).bytes
        (bytes[0], bytes[1], bytes[2], bytes[3]) = (0, 0, 0, 0x40)
        try client.send(bytes)
        let words = try lastWords(to: client)
        #expect(words.code == .resourceExhausted && words.reason == "too_large", "\(words)")
        #expect(try service.memory().resident - before < 4 << 20)
    }
}

@Test
func `frames that never come whole are few, and others are served`() throws {
    try withWitness { service, witness, store in
        let header = FrameHeader(kind: .call, method: .fetch, callID: 3, payloadByteCount: 60 << 20).bytes
        // Of one connection, and so of one client.
        let connection = try service.connection()
        let clients = try (0..<9).map { _ in try RawClient(bus: connection, application: "org.coffer.Half") }
        for client in clients {
            try client.send(header + [0])
            client.patience = .milliseconds(20)
        }
        var refused: [RawClient] = []
        try waitUntil("one is hung up on") {
            refused = clients.filter(isHungUpOn)
            return !refused.isEmpty
        }
        #expect(refused.count == 1, "there is room for eight")
        let words = Refusal(try ErrorDetailMessage(packed: #require(refused.first?.takeAnswers()[0]).payload))
        #expect(words.code == .resourceExhausted && words.reason == "too_large", "\(words)")
        #expect(try witness.count(store) == 1)
        #expect(clients.count(where: isHungUpOn) == 1)
    }
}

private func isHungUpOn(_ client: RawClient) -> Bool {
    do {
        while true { try client.receive() }
    } catch {
        return error as? RawClient.Failure == .closed
    }
}

@Test
func `a frame that stays half sent holds nobody up`() throws {
    try withWitness { service, witness, store in
        let client = try service.channel()
        let payload = [UInt8](repeating: 0x0A, count: 1000)
        let frame = client.frame(.fetch, payload).bytes
        try client.send(Array(frame.dropLast(400)))
        #expect(try witness.count(store) == 1)
        client.socket.shutDown()
    }
}

@Test
func `calls before Hello are refused on both planes, and later ones answered`() throws {
    try withWitness { service, _, _ in
        let client = try RawClient(
            bus: service.connection(), application: "org.coffer.Early", saysHello: false)
        let early = #expect(throws: Refusal.self) { try client.call(.listStores, bytes: []) }
        #expect(early?.code == .failedPrecondition && early?.reason == "protocol", "\(early as Any)")
        let hello = HelloRequestMessage(application: "org.coffer.Early", client: client.id, processName: "")
        let reply: HelloReplyMessage = try client.call(.hello, hello)
        #expect(reply.application == "org.coffer.Early")
        #expect(try client.call(.listStores, bytes: []) == [])

        let silent = try service.connection()
        let refusal = #expect(throws: Refusal.self) { try BusClient.call("ListStores", [], over: silent) }
        #expect(refusal?.code == .failedPrecondition && refusal?.reason == "protocol", "\(refusal as Any)")
    }
}

@Test
func `a method that does not exist is refused on both planes`() throws {
    try withWitness { service, _, _ in
        let client = try service.channel()
        let frame = changed(client.frame(.fetch, []).bytes, at: 6, to: 0xEE)
        try client.send(changed(frame, at: 7, to: 0xEE))
        try client.waitForAnswers(1)
        let answer = try #require(client.takeAnswers().values.first)
        let refusal = Refusal(try ErrorDetailMessage(packed: answer.payload))
        #expect(refusal.code == .unimplemented && refusal.reason == "unknown_method", "\(refusal)")
        #expect(try client.call(.listStores, bytes: []).isEmpty == false)

        let error = #expect(throws: DBusError.self) {
            try BusClient.call("Explode", [], over: service.connection())
        }
        guard case .remote(DBusErrorName.unknownMethod, _) = error else {
            Issue.record("\(error as Any)")
            return
        }
    }
}

@Test
func `memory that is not sealed, or of another length, is refused`() throws {
    try withWitness { service, witness, store in
        let client = try service.channel()
        let request = try ListStoresRequestMessage(allApplications: true).packed()
        let sealed = try Memfd.sealed(request)
        #expect(try call(client, memory: sealed, byteCount: request.count).code == nil)
        let short = try call(client, memory: sealed, byteCount: request.count + 1)
        #expect(short.code == .invalidArgument && short.reason == "wrong_size", "\(short)")
        try withTemporaryFolder { path in
            let file = try Folder(at: path).openBeneath("request", [.readWrite, .create])
            try file.writeAll(request)
            let open = try call(client, memory: file, byteCount: request.count)
            #expect(open.code == .invalidArgument && open.reason == "not_sealed", "\(open)")
            let bus = try service.busClient()
            let refusal = #expect(throws: Refusal.self) {
                try BusClient.call("ListStores", [], descriptors: [file], over: bus.connection)
            }
            #expect(refusal?.code == .invalidArgument && refusal?.reason == "not_sealed", "\(refusal as Any)")
        }
        let pipe = try Pipe.make()
        let refused = try call(client, memory: pipe.reader, byteCount: 4)
        #expect(refused.code == .invalidArgument && refused.reason == "not_sealed", "\(refused)")
    }
}

/// Calls with a request in memory; what came of it.
private func call(
    _ client: RawClient, memory: OwnedDescriptor, byteCount: Int
) throws -> (code: StatusCode?, reason: String) {
    let header = FrameHeader(
        kind: .call, method: .listStores, callID: client.frame(.listStores, []).id,
        payloadByteCount: byteCount,
        flags: .sealedMemory, descriptorCount: 1)
    try client.send(header.bytes, descriptors: [memory])
    do {
        _ = try client.reply(to: header.callID)
        return (nil, "")
    } catch let refusal as Refusal {
        return (refusal.code, refusal.reason)
    }
}

private func changed(_ bytes: [UInt8], at offset: Int, to byte: UInt8) -> [UInt8] {
    var bytes = bytes
    bytes[offset] = byte
    return bytes
}
