import CofferDBus
import CofferLinux
import CofferModel
import CofferService
import CofferWire
import FoundationEssentials
import TestSupport
import Testing

@Test
func `a handle that is given back twice at once counts once`() throws {
    try withService { service in
        let holder = try service.channel()
        _ = try holder.open()
        let connection = try DBusConnection(to: .explicit(service.bus.address))
        defer { connection.close() }
        _ = try connection.callBlocking(
            rpc(
                "Hello",
                HelloRequestMessage(application: "org.coffer.Tests", client: UUID(), processName: "")))
        let (outcomes, rounds) = (Outcomes(), 100)
        for round in 1...rounds {
            let opened = try connection.callBlocking(
                rpc("OpenStore", OpenStoreRequestMessage(name: .init(name: "Notes"), modelID: [])))
            guard
                case .opened(let store) = try OpenStoreReplyMessage(packed: opened.argument(0, \.bytesValue))
            else { throw ServiceUnderTest.Missing() }
            for _ in 0..<2 {
                connection.call(
                    try rpc("CloseStore", CloseStoreRequestMessage(store: store.store)),
                    timeoutMilliseconds: 60_000
                ) { outcomes.add($0) }
            }
            outcomes.wait(for: 2 * round)
        }
        #expect(
            outcomes.names == ["ok": rounds, "org.coffer.Storage1.Error.FailedPrecondition": rounds])
        let refusal = #expect(throws: Refusal.self) {
            let _: EmptyMessage = try service.channel().call(
                .removeStore, RemoveStoreRequestMessage(name: .init(name: "Notes")))
        }
        #expect(refusal?.reason == "store_in_use", "the holder still has it open: \(refusal as Any)")
    }
}

@Test
func `a user of the system's service has so many stores open, on all channels together`() throws {
    try withService(isSystem: true) { service in
        let limit = 64
        let first = try service.channel()
        var stores: [OpenNotes] = []
        for number in 0..<limit { stores.append(try first.open("S\(number)")) }
        let second = try service.channel()
        let refusal = #expect(throws: Refusal.self) { try second.open("Another") }
        #expect(refusal?.reason == "too_many_stores" && refusal?.code == .resourceExhausted)
        #expect(refusal?.text.contains("\(limit)") ?? false, "\(refusal as Any)")
        // One that is open already is not one more.
        _ = try second.open("S1")
        let _: EmptyMessage = try first.call(.closeStore, CloseStoreRequestMessage(store: stores[0].handle))
        _ = try second.open("Another")
    }
}

@Test
func `a model is there for the client that registered it, whatever other processes register`() throws {
    try withService { service in
        let client = try service.channel()
        let registered: RegisterModelReplyMessage = try client.call(
            .registerModel, RegisterModelRequestMessage(model: Notes.model()))
        let other = try service.otherProcess().channel()
        for number in 0..<100 {
            let model = try ManagedObjectModel { Entity("E\(number)") { Field("a", .string) } }
            let _: RegisterModelReplyMessage = try other.call(
                .registerModel, RegisterModelRequestMessage(model: model))
        }
        let reply: OpenStoreReplyMessage = try client.call(
            .openStore, OpenStoreRequestMessage(name: .init(name: "Notes"), modelID: registered.modelID))
        guard case .opened = reply else {
            Issue.record("\(reply)")
            return
        }
    }
}
