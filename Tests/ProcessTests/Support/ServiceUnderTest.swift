import CofferDBus
import CofferLinux
import CofferService
import CofferWire
import FoundationEssentials
import TestSupport

/// A private bus that activates the real `cofferd`, and what a test asks of the two.
final class ServiceUnderTest: Sendable {
    let bus: PrivateBus
    /// The folder of the stores.
    let data: String
    let executable: String

    /// Starts a bus; the service starts when it is called.
    ///
    /// `cofferd` gets `arguments` besides its data folder; a system service serves many users, on a bus with
    /// the policy of the system's. `busLimits` are those of the bus that are not as usual. `inMemory` keeps
    /// the stores off the disk.
    init(
        arguments: [String] = ["--idle-timeout", "0"], isSystem: Bool = false,
        environment: [String: String] = [:], isMainOfUnit: Bool = false, busLimits: [String: Int] = [:],
        inMemory: Bool = false
    ) throws {
        executable = try BuiltProducts.path(of: "cofferd")
        let holder = try TemporaryFolder(in: inMemory ? "/dev/shm" : nil)
        let started =
            isMainOfUnit ? try Self.unitStarter(of: executable, in: Folder(at: holder.path)) : executable
        folder = holder
        data = "\(holder.path)/data"
        var all = ["--data", data] + arguments
        if isSystem { all.append("--system") }
        // What a failing test needs to know of the service: COFFER_TEST_LOG=debug shows it.
        let log = CurrentProcess.environment["COFFER_TEST_LOG"]
        if let log { all += ["--log-level", log] }
        bus = try PrivateBus(
            services: [.init(name: BusNames.name, executable: started, arguments: all)],
            systemStyle: isSystem,
            policy: isSystem ? try Self.policy() : Self.limits(busLimits), extraEnvironment: environment,
            isQuiet: log == nil)
    }

    /// The service that a service manager starts when it is called on `bus`.
    init(managedBy bus: PrivateBus) throws {
        executable = try BuiltProducts.path(of: "cofferd")
        folder = try TemporaryFolder()
        data = "\(bus.path)/data/coffer"
        self.bus = bus
    }

    private let folder: TemporaryFolder

    /// A script that starts the service as systemd starts the main process of a unit.
    private static func unitStarter(of executable: String, in folder: Folder) throws -> String {
        let script = "#!/bin/sh\nexport SYSTEMD_EXEC_PID=$$\nexec '\(executable)' \"$@\"\n"
        try folder.openBeneath("start", [.writeOnly, .create], permissions: 0o700).writeAll(
            Array(script.utf8))
        return "\(folder.path)/start"
    }

    /// What sets limits of a bus.
    private static func limits(_ limits: [String: Int]) -> String? {
        if limits.isEmpty { return nil }
        let lines = limits.map { "<limit name=\"\($0.key)\">\($0.value)</limit>" }
        return "<busconfig>\(lines.joined())</busconfig>"
    }

    /// The policy that is installed, with the user that runs the tests in the place of the service's own.
    private static func policy() throws -> String {
        let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
        let bytes = try Folder(at: "\(root)/dbus").read("org.coffer.Storage1.conf", limit: 1 << 16)
        let user = #"user="\#(CurrentProcess.userID)""#
        return String(decoding: bytes, as: UTF8.self).replacing(#"user="coffer""#, with: user)
    }

    /// Ends the bus, the service and what else was started on it.
    func stop() {
        bus.stop()
        folder.remove()
    }

    /// A connection to the bus.
    func connection() throws -> DBusClient { try DBusClient(to: .explicit(bus.address)) }

    /// A client over a channel; the bus starts the service if it does not run.
    func channel(_ application: String = "org.coffer.Tests") throws -> RawClient {
        try RawClient(bus: connection(), application: application)
    }

    /// A client over the bus.
    func busClient(_ application: String = "org.coffer.Tests", id: UUID = UUID()) throws -> BusClient {
        try BusClient(bus: connection(), application: application, id: id)
    }

    /// The service's pid; `nil` if it does not run.
    func pid() throws -> Int32? {
        do {
            let reply = try connection().call(
                "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
                member: "GetConnectionUnixProcessID", body: [.string(BusNames.name)])
            return try Int32(reply.argument(0, \.uint32Value))
        } catch DBusError.remote(let name, _) where name == DBusErrorName.nameHasNoOwner {
            return nil
        }
    }

    /// What the service takes of the memory now.
    func memory() throws -> ProcessMemory {
        guard let pid = try pid() else { throw Missing() }
        return try ProcessFacts.memory(of: pid)
    }

    /// How many descriptors the service has open.
    func descriptorCount() throws -> Int {
        guard let pid = try pid() else { throw Missing() }
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
    }

    /// How many workers the service has, by the names of its threads.
    func workerCount() throws -> Int {
        guard let pid = try pid() else { throw Missing() }
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task").count { task in
            let name = try? String(contentsOfFile: "/proc/\(pid)/task/\(task)/comm", encoding: .utf8)
            return name?.hasPrefix("coffer-work") ?? false
        }
    }

    /// Ends the service at once, as a fault would, and waits until the bus knows.
    func kill9() throws {
        guard let pid = try pid() else { return }
        let watcher = try connection()
        try watcher.ask(.addMatch(.nameOwnerChanged(BusNames.name)))
        try ProcessControl.kill(pid, .kill)
        while try self.pid() == pid { _ = try watcher.nextSignal(timeoutMilliseconds: 5_000) }
    }

    /// Waits until no process has the service's name.
    func waitUntilGone() throws {
        let watcher = try connection()
        try watcher.ask(.addMatch(.nameOwnerChanged(BusNames.name)))
        while try pid() != nil { _ = try watcher.nextSignal(timeoutMilliseconds: 5_000) }
    }

    /// Starts another service by hand.
    func startService(_ arguments: [String], errors: ChildOutput = .inherited) throws -> ChildProcess {
        try ChildProcess(executable, arguments: arguments, environment: bus.environment, errors: errors)
    }

    /// What is wrong with a store, by SQLite; nothing if all is well.
    func integrity(of path: String) throws -> [String] {
        let reply = try connection().call(
            BusNames.name, path: path, interface: "org.coffer.Storage1.Store", member: "IntegrityCheck")
        return try reply.argument(0, \.stringValues)
    }

    /// A property of an open store, by the store's name.
    func property(_ name: String, ofStore store: String) throws -> DBusValue {
        guard let path = try managedObjects().first(where: { $0.hasSuffix("/" + store) }) else {
            throw Missing()
        }
        let reply = try connection().call(
            BusNames.name, path: path, interface: "org.freedesktop.DBus.Properties", member: "Get",
            body: [.string("org.coffer.Storage1.Store"), .string(name)])
        return try reply.argument(0) { $0.unwrapped }
    }

    /// A counter of an open store.
    func counter(_ name: String, ofStore store: String = "Log") throws -> Int {
        guard let value = try property(name, ofStore: store).uint64Value else { throw Missing() }
        return Int(value)
    }

    /// The path of an open store's file.
    func file(ofStore store: String = "Log") throws -> String {
        guard let url = try property("URL", ofStore: store).stringValue else { throw Missing() }
        return String(url.dropFirst("file://".count))
    }

    /// The objects that the service shows on the bus.
    func managedObjects() throws -> [String] {
        try Self.managedObjects(over: connection())
    }

    /// The objects that the service shows to `connection`.
    static func managedObjects(over connection: DBusClient) throws -> [String] {
        let reply = try connection.call(
            BusNames.name, path: BusNames.path, interface: "org.freedesktop.DBus.ObjectManager",
            member: "GetManagedObjects")
        return try reply.argument(0, \.entries).compactMap(\.key.objectPathValue)
    }

    struct Missing: Error {}
}

/// Lends a service, which is stopped when `body` ends; the open stores must be whole then.
func withService<Result>(
    arguments: [String] = ["--idle-timeout", "0"], isSystem: Bool = false,
    environment: [String: String] = [:], inMemory: Bool = false,
    _ body: (ServiceUnderTest) throws -> Result
) throws -> Result {
    let service = try ServiceUnderTest(
        arguments: arguments, isSystem: isSystem, environment: environment, inMemory: inMemory)
    defer { service.stop() }
    return try body(service)
}
