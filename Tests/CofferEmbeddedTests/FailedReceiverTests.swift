import Coffer
import CofferEmbedded
import CofferModel
import CofferWire
import ContextSupport
import Testing

@Suite struct FailedReceiverTests {
    @Test(arguments: [false, true])
    func `a fetch ends where nobody accepts what it reads`(_ withoutValues: Bool) throws {
        try withContainer(Garage.model(), on: .embedded) { container in
            let coordinator = try #require(container.coordinator as? EmbeddedCoordinator)
            try container.newContext().execute(
                BatchInsert(
                    entityName: "Car", objects: (0..<30_000).map { ["numberPlate": .string("\($0)")] }))
            var request = FetchRequestMessage(store: 1, fetch: FetchDescription(entityName: "Car"))
            request.withoutValues = withoutValues
            var (parts, rows) = (0, 0)
            let error = #expect(throws: CofferError.self) {
                try coordinator.fetch(request, cancellation: nil) { part throws(CofferError) in
                    parts += 1
                    rows += part?.rows?.rowCount ?? 0
                    throw CofferError.protocolViolation("the receiver fails")
                }
            }
            #expect("\(String(describing: error))".contains("the receiver fails"))
            #expect(parts == 1 && rows < 30_000)
            #expect(coordinator.interruptedFetches == 1)
            let last = try coordinator.fetch(request, cancellation: nil) { part throws(CofferError) in
                rows += part?.rows?.rowCount ?? 0
            }
            #expect((last.rows?.rowCount ?? 0) <= 30_000 && coordinator.interruptedFetches == 1)
        }
    }
}
