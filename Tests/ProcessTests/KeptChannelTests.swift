import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import Synchronization
import TestSupport
import Testing

/// Clients that save at the same time, one after the other each: then the leader of the commits reads their
/// channels.
///
/// Every other one hands its frames over in memory if it can.
private func savingTogether(
    _ clients: Int, of service: ServiceUnderTest,
    _ body: @escaping @Sendable (Int, RawClient, OpenNotes) throws -> Void
) throws {
    let threads = try (0..<clients).map { number in
        try WorkerThread(name: "saver") {
            do {
                let client = try RawClient(
                    bus: service.connection(), application: "org.coffer.Tests", saysHello: number % 2 == 0)
                if number % 2 == 1 {
                    let (memory, descriptor) = try SharedFrameMemory.make()
                    #expect(try client.greet(descriptor).sharesMemory)
                    #expect(client.stream.adopt(memory))
                }
                try body(number, client, client.open())
            } catch {
                Issue.record(error, "client \(number)")
            }
        }
    }
    for thread in threads { thread.join() }
}

@Test
func `a client that saves again and again beside others is answered whatever it asks next`() throws {
    let (clients, rounds, saves, many) = (5, 12, 8, 300)
    try withWitness { service, witness, store in
        try savingTogether(clients, of: service) { number, client, store in
            for round in 0..<rounds {
                for save in 0..<saves { try client.insert(["\(number) \(round) \(save)"], into: store) }
                #expect(try client.count(store) > round * (3 * saves + many) + saves)
                // More than the leader reads itself.
                for save in 0..<saves { try client.insert(["\(number) \(round) \(save) more"], into: store) }
                let titles = (0..<many).map {
                    "\(number) \(round) \($0) of many, which take some room together"
                }
                try client.insert(titles, into: store)
                // Two calls in one piece: the second waits, and no event tells of it.
                let save = client.frame(
                    .save, try store.insertion(["\(number) \(round) last"], client.requestID()).packed())
                let list = client.frame(.listStores, try ListStoresRequestMessage().packed())
                try client.send(save.bytes + list.bytes)
                _ = try client.reply(to: list.id)
                _ = try client.reply(to: save.id)
                // And in pieces that are not whole frames.
                for save in 0..<saves { try client.insert(["\(number) \(round) \(save) again"], into: store) }
                let half = client.frame(
                    .save, try store.insertion(["\(number) \(round) half"], client.requestID()).packed())
                try client.send(Array(half.bytes[..<30]))
                try client.send(Array(half.bytes[30...]))
                _ = try client.reply(to: half.id)
            }
        }
        #expect(try witness.count(store) == 1 + clients * rounds * (3 * saves + many + 2))
    }
}

@Test
func `a client that saves beside others and then hangs up or sends noise has ended`() throws {
    try withWitness { service, witness, store in
        // An invalid frame, and a frame whose descriptors are missing.
        let noises = [
            [UInt8](repeating: 0xFF, count: FrameHeader.byteCount),
            FrameHeader(kind: .call, method: .save, callID: 999, descriptorCount: 1).bytes,
        ]
        let rounds = 12
        for round in 0..<rounds {
            let noise = noises[round % 2]
            try savingTogether(5, of: service) { number, client, store in
                for save in 0..<(8 + number) {
                    try client.insert(["\(round) \(number) \(save)"], into: store)
                }
                switch number {
                case 0:
                    try client.send(noise)
                    try client.waitUntilClosed()
                case 1: client.socket.shutDown()
                case 2:
                    // The save before it is answered, or not, but the channel ends.
                    let save = client.frame(
                        .save, try store.insertion(["\(round) last"], client.requestID()).packed())
                    try client.send(save.bytes + noise)
                    try client.waitUntilClosed()
                default: #expect(try client.count(store) > 0)
                }
            }
        }
        // A save whose client is never answered may still wait for the disk.
        try waitUntil("all saves are there") {
            try witness.count(store) == 1 + rounds * (8 + 9 + 10 + 11 + 12 + 1)
        }
        try waitUntil("the witness has the store alone") {
            try service.property("Clients", ofStore: "Notes").uint32Value == 1
        }
    }
}

/// Lets a client that saves again and again save while the commit of another waits for the disk: then the
/// leader of that may have its channel.
///
/// `body` is given the client, whose save is answered only afterwards.
private func besideHeldCommit(
    _ service: ServiceUnderTest, _ disk: FaultyDisk, _ body: (RawClient, OpenNotes) throws -> Void
) throws {
    let (leader, saver) = (try service.channel(), try service.channel())
    let (store, own) = (try leader.open(), try saver.open())
    for save in 0..<8 { try saver.insert(["\(save)"], into: own) }
    let faults = try disk.faultCount()
    var (held, waiting): (UInt64, UInt64) = (0, 0)
    try disk.hold {
        held = try leader.start(.save, store.insertion(["held"], leader.requestID()).packed())
        try waitUntil("the commit is held") { try disk.faultCount() > faults }
        waiting = try saver.start(.save, own.insertion(["waits"], saver.requestID()).packed())
        try waitUntil("a save waits") { try service.counter("WaitingSaves", ofStore: "Notes") == 1 }
        try body(saver, own)
    }
    _ = try leader.reply(to: held)
    _ = try saver.reply(to: waiting)
}

@Test
func `the leader of the commits reads the saves of clients that save again and again`() throws {
    // Commits are quick there, whatever disk there is.
    try withService(inMemory: true) { service in
        let isEnough = Atomic<Bool>(false)
        let threads = try (0..<4).map { number in
            try WorkerThread(name: "saver") {
                do {
                    let client = try service.channel()
                    let store = try client.open()
                    while !isEnough.load(ordering: .relaxed) { try client.insert(["\(number)"], into: store) }
                } catch {
                    Issue.record(error, "client \(number)")
                }
            }
        }
        defer {
            isEnough.store(true, ordering: .relaxed)
            for thread in threads { thread.join() }
        }
        let reader = try service.channel()
        _ = try reader.open()
        try waitUntil("saves were gathered") {
            try service.counter("GatheredSaves", ofStore: "Notes") > 20
        }
    }
}

@Test
func `a client that saves again and again is answered while a commit waits for the disk`() throws {
    try withService(inMemory: true) { service in
        let disk = try FaultyDisk(service)
        for _ in 0..<3 {
            try besideHeldCommit(service, disk) { saver, own in
                let _: ListStoresReplyMessage = try saver.call(.listStores, ListStoresRequestMessage())
                #expect(try saver.count(own) >= 8)
            }
        }
    }
}

@Test
func `a client that saves into two stores in turn beside others has all of it`() throws {
    let (clients, rounds) = (4, 60)
    try withService(inMemory: true) { service in
        let reader = try service.channel()
        let stores = try ["Notes", "Others"].map { try reader.open($0) }
        try savingTogether(clients, of: service) { number, client, store in
            let other = try client.open("Others")
            for round in 0..<rounds {
                // Now and then often enough into one store that the leader of its commits reads the channel.
                for save in 0...round % 6 { try client.insert(["\(number) \(round) \(save)"], into: store) }
                try client.insert(["\(number) \(round)"], into: other)
            }
        }
        #expect(try reader.count(stores[0]) == clients * rounds / 6 * (1 + 2 + 3 + 4 + 5 + 6))
        #expect(try reader.count(stores[1]) == clients * rounds)
    }
}
