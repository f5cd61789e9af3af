import CofferDBus
import CofferService
import CofferWire
import TestSupport
import Testing

@Test
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
    guard case .remote(DBusErrorName.accessDenied, let text) = refusal else {
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
        } catch CofferDBus.DBusError.remote(DBusErrorName.accessDenied, _) {
            return false
        }
    }
}

@Test
func `more callers than there are match rules for are let in, and the end of each is told`() throws {
    // What a connection to the system's bus may have.
    let service = try ServiceUnderTest(busLimits: ["max_match_rules_per_connection": 390])
    defer { service.stop() }
    let callers = try (0..<400).map { _ in try service.connection() }
    for caller in callers { _ = try ServiceUnderTest.managedObjects(over: caller) }
    func clients() throws -> Int {
        try ServiceUnderTest.managedObjects(over: callers[0]).count { "\($0)".contains("/clients/") }
    }
    do {
        let last = try service.busClient()
        #expect(try clients() == 1)
        withExtendedLifetime(last) {}
    }
    try waitUntil("the service knows that it is gone") { try clients() == 0 }
}

@Test
func `an error repeats only so much of what its caller said as a person reads`() throws {
    let service = try ServiceUnderTest()
    defer { service.stop() }
    let connection = try service.busClient().connection
    let long = String(repeating: "x", count: 1 << 20)
    let properties = "org.freedesktop.DBus.Properties"
    for (interface, member, body) in [
        (properties, "Get", [DBusValue.string(BusNames.name), .string(long)]),
        (properties, "GetAll", [.string(long)]),
    ] {
        let error = #expect(throws: CofferDBus.DBusError.self) {
            try connection.call(
                BusNames.name, path: BusNames.path, interface: interface, member: member, body: body)
        }
        guard case .remote(_, let text)? = error else {
            Issue.record("\(error as Any)")
            continue
        }
        #expect(text.contains("xxx") && text.utf8.count <= 8 << 10)
    }
}
