import Coffer
import TestSupport
import Testing

extension ServiceUnderTest {
    /// Calls the service by a client of its own, which connects and goes; a call that is lost is an issue.
    func expectAnswer(round: Int, seed: Seed) {
        do {
            let connection = try ServiceConnection(
                application: "org.coffer.Tests.r\(round)", bus: .explicit(bus.address))
            #expect(try connection.stores().isEmpty)
        } catch {
            Issue.record("call \(round) was lost: \(error), COFFER_SEED=\(seed)")
        }
    }
}
