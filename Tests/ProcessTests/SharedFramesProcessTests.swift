import CofferLinux
import CofferService
import CofferWire
import Synchronization
import TestSupport
import Testing

private func silentClient(_ service: ServiceUnderTest) throws -> RawClient {
    try RawClient(bus: service.connection(), application: "org.coffer.Tests", saysHello: false)
}

@Test
func `the service hands replies over to a client that polls, and polls itself`() throws {
    try withService { service in
        // Two ends that found the processors busy sleep for long; new ones look.
        try waitUntil("something is passed in memory each way") {
            let client = try silentClient(service)
            let (memory, descriptor) = try SharedFrameMemory.make()
            #expect(try client.greet(descriptor).sharesMemory)
            #expect(client.stream.adopt(memory))
            // Other memory than the first is left alone.
            #expect(try !client.greet(SharedFrameMemory.make().1).sharesMemory)
            var sent = 0
            let sentBefore = client.stream.sentThroughSocket
            for _ in 0..<20 {
                let (id, bytes) = client.frame(.listStores, try ListStoresRequestMessage().packed())
                try client.send(bytes)
                sent += bytes.count
                _ = try client.reply(to: id)
            }
            return client.receivedThroughSocket < client.received
                && client.stream.sentThroughSocket - sentBefore < sent
        }
    }
}

@Test
func `memory that its owner could take away is refused, and other memory left alone`() throws {
    try withWitness { service, _, _ in
        let client = try silentClient(service)
        try withTemporaryFolder { path in
            let file = try Folder(at: path).openBeneath("memory", [.readWrite, .create])
            try file.truncate(to: SharedFrameMemory.byteCount)
            let refusal = #expect(throws: Refusal.self) { try client.greet(file) }
            #expect(refusal?.code == .invalidArgument && refusal?.reason == "not_sealed", "\(refusal as Any)")
        }
        // As a client of another version may have it.
        #expect(try !client.greet(Memfd.sealed([1, 2, 3])).sharesMemory)
        #expect(try client.greet(SharedFrameMemory.make().1).sharesMemory)
        let _: ListStoresReplyMessage = try client.call(.listStores, ListStoresRequestMessage())
    }
}

@Test(arguments: Seed.several(2))
func `a client that writes noise into its memory harms itself alone`(_ seed: Seed) throws {
    try withWitness { service, witness, store in
        var random = seed.generator()
        for _ in 0..<20 {
            let client = try silentClient(service)
            let (_, descriptor) = try SharedFrameMemory.make()
            _ = try client.greet(descriptor)
            do {
                for _ in 0..<200 {
                    _ = try client.start(.listStores, ListStoresRequestMessage().packed())
                    let half = Int.random(in: 0...1, using: &random) * 4096
                    // Any number, and those that mean something: open at some count, and full.
                    let state = UInt64.random(in: 0...7, using: &random)
                    let count = UInt64.random(
                        in: 0...(Bool.random(using: &random) ? 10_000 : .max >> 3), using: &random)
                    let word = count << 3 | state
                    try descriptor.writeAll(
                        (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }, at: half)
                    try descriptor.writeAll(random.bytes(64), at: half + 64)
                }
            } catch RawClient.Failure.closed {
                continue  // Hung up on.
            }
        }
        try witness.insert(["Eggs"], into: store)
    }
}
