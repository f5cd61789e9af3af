import CofferDBus
import CofferLinux
import CofferService

extension ServiceUnderTest {
    /// Kills the service, once it runs, and waits until the bus knows.
    func killOnceItRuns() throws {
        try waitUntilItRuns()
        try kill9()
    }

    /// Waits until the service has its name.
    func waitUntilItRuns() throws {
        let watcher = try connection()
        try watcher.ask(.addMatch(.nameOwnerChanged(BusNames.name)))
        while try pid() == nil { _ = try watcher.nextSignal(timeoutMilliseconds: 5_000) }
    }

    /// A property of the service on the bus.
    func property(_ name: String) throws -> DBusValue? {
        let reply = try connection().call(
            BusNames.name, path: BusNames.path, interface: "org.freedesktop.DBus.Properties", member: "Get",
            body: [.string(BusNames.name), .string(name)])
        return reply.body.first?.unwrapped
    }

    /// How many sessions there are.
    func clientCount() throws -> UInt32? { try property("Clients")?.uint32Value }

    /// What is wrong with a store of these tests.
    func integrity(ofStore name: String) throws -> [String] {
        try integrity(of: Notes.path(name, user: CurrentProcess.userID))
    }
}

/// Lends a service, which is stopped when `body` ends, with the place at which it can be told to stop.
func withStoppableService(_ body: (ServiceUnderTest, StoppingPlace) throws -> Void) throws {
    let place = try StoppingPlace()
    try withService(environment: place.environment) { try body($0, place) }
}
