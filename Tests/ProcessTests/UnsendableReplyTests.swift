import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import TestSupport
import Testing

@Test
func `a reply over the bus that cannot be sent is answered with an error that says so`() throws {
    try withService { service in
        let client = try service.channel()
        try client.insert(
            (0..<200).map { "\($0) " + String(repeating: "x", count: 10_000) }, into: client.open())
        let caller = try service.busClient()
        let opened: OpenStoreReplyMessage = try caller.call(
            "OpenStore", OpenStoreRequestMessage(name: .init(name: "Notes"), modelID: []))
        guard case .opened(let store) = opened else { throw ServiceUnderTest.Missing() }
        let notes = try OpenNotes(store)
        func fetch() throws -> FetchReplyMessage { try caller.call("Fetch", notes.fetch()) }
        #expect(try fetch().count == 200)
        // A large reply travels in memory, which takes a descriptor.
        let pid = try #require(try service.pid())
        try run("prlimit", ["--pid", "\(pid)", "--nofile=3:"])
        let refusal = #expect(throws: Refusal.self) { try fetch() }
        #expect(refusal?.code == .resourceExhausted && refusal?.reason == "memory", "\(refusal as Any)")
        try run("prlimit", ["--pid", "\(pid)", "--nofile=1024:"])
        #expect(try fetch().count == 200)
    }
}
