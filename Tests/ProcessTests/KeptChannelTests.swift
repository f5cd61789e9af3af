import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import Synchronization
import TestSupport
import Testing

/// Clients that save at the same time, one after the other each: then who leads the commits reads their channels.
private func savingTogether(
    _ clients: Int, of service: ServiceUnderTest,
    _ body: @escaping @Sendable (Int, RawClient, OpenNotes) throws -> Void
) throws {
    let threads = try (0..<clients).map { number in
        try WorkerThread(name: "saver") {
            do {
                let client = try service.channel()
                try body(number, client, client.open())
            } catch {
                Issue.record(error, "client \(number)")
            }
        }
    }
    for thread in threads { thread.join() }
}

@Test(.timeLimit(.minutes(15)))
func `who saves again and again beside others is answered whatever it asks next`() throws {
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
                // Two calls in one piece: the second waits where no event tells of it.
                let save = client.frame(
                    .save, try store.insertion(["\(number) \(round) last"], client.requestID()).packed())
                let list = client.frame(.listStores, try ListStoresRequestMessage().packed())
                try client.send(save.bytes + list.bytes)
                _ = try client.reply(to: list.id)
                _ = try client.reply(to: save.id)
                // And in pieces that are no whole frames.
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

@Test(.timeLimit(.minutes(15)))
func `who saves beside others and then hangs up or sends noise has ended`() throws {
    try withWitness { service, witness, store in
        let noise = [UInt8](repeating: 0xFF, count: FrameHeader.byteCount)
        for round in 0..<6 {
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
        #expect(try witness.count(store) == 1 + 6 * (8 + 9 + 10 + 11 + 12 + 1))
        try waitUntil("the witness has the store alone") {
            try service.property("Clients", ofStore: "Notes").uint32Value == 1
        }
    }
}
