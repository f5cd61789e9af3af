import CofferDBus
import CofferService
import CofferWire
import Testing

@Suite struct DisconnectTests {
    @Test
    func `a process that is disconnected while it calls over the bus begins anew with Hello`() throws {
        try withService { service in
            let connection = try service.connection()
            let client = try BusClient(bus: connection, application: "org.coffer.Tests")
            let model: RegisterModelReplyMessage = try client.call(
                "RegisterModel", RegisterModelRequestMessage(model: try Notes.model()))
            let request = OpenStoreRequestMessage(
                name: StoreNameMessage(name: "Notes"), modelID: model.modelID)
            let path = try #require(try service.managedObjects().first { $0.contains("/clients/") })
            _ = try service.connection().call(
                BusNames.name, path: path, interface: "\(BusNames.name).Client", member: "Disconnect")
            do {
                let _: OpenStoreReplyMessage = try client.call("OpenStore", request)
                Issue.record("it is served without Hello")
            } catch let refusal as Refusal {
                #expect(refusal.text.contains("Hello"))
            }
            let again = try BusClient(bus: connection, application: "org.coffer.Tests", id: client.id)
            guard case .opened = try again.call("OpenStore", request) as OpenStoreReplyMessage else {
                Issue.record("the store was not opened")
                return
            }
            #expect(try service.managedObjects().contains { $0.contains("/clients/") })
        }
    }
}
