import CofferDBus
import CofferService
import CofferWire
import TestSupport
import Testing

@Test(.timeLimit(.minutes(15)))
func `a caller whose end nobody would tell of is refused, and let in when it can be watched`() throws {
    let service = try ServiceUnderTest(busLimits: ["max_match_rules_per_connection": 4])
    defer { service.stop() }
    var callers: [DBusClient] = []
    var refusal: CofferDBus.DBusError?
    while refusal == nil, callers.count < 10 {
        let caller = try service.connection()
        do {
            _ = try ServiceUnderTest.managedObjects(over: caller)
            callers.append(caller)
        } catch let error as CofferDBus.DBusError {
            refusal = error
        }
    }
    guard case .remote(DBusErrorName.accessDenied, let text, _) = refusal else {
        Issue.record("\(refusal as Any)")
        return
    }
    #expect(text.contains("when you go"), "\(text)")
    #expect((1...4).contains(callers.count), "the service follows each caller")
    // Those that are known go on, and when one goes there is room again.
    for caller in callers { _ = try ServiceUnderTest.managedObjects(over: caller) }
    callers.removeLast()
    let next = try service.connection()
    try waitUntil("there is room") {
        do {
            _ = try ServiceUnderTest.managedObjects(over: next)
            return true
        } catch CofferDBus.DBusError.remote(DBusErrorName.accessDenied, _, _) {
            return false
        }
    }
}
