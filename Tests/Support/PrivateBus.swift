package import CofferLinux

/// A message bus of one test, with homes of its own for the programs that the bus starts.
///
/// Shared. `stop` ends the bus and every process that it, or the test with `environment`, started.
package final class PrivateBus: Sendable {
    /// A program that the bus starts when a client calls its name.
    package struct Service: Sendable {
        /// The name on the bus.
        package let name: String
        /// The program's absolute path.
        package let executable: String
        /// What follows it.
        package let arguments: [String]

        /// The program at `executable`, activated as `name`.
        package init(name: String, executable: String, arguments: [String] = []) {
            self.name = name
            self.executable = executable
            self.arguments = arguments
        }
    }

    /// The bus's address, as libdbus takes it.
    package let address: String
    /// Whether it behaves as the system's bus.
    package let systemStyle: Bool
    /// The folder that everything is in.
    package let path: String
    /// What programs that shall use the bus and its homes have as environment.
    package let environment: [String: String]
    private let daemon: ChildProcess
    private let folder: TemporaryFolder
    /// The control group of all that runs, if a service manager starts it.
    private let group: String?

    /// Starts a bus and returns when it can be connected to.
    ///
    /// On a `systemStyle` bus, clients may own names and call methods only as `policy`, a whole policy
    /// file, allows. `extraEnvironment` goes to whatever the bus starts. Of a quiet bus, and what it
    /// starts, no line is shown.
    package init(
        services: [Service] = [], systemStyle: Bool = false, policy: String? = nil,
        extraEnvironment: [String: String] = [:], isQuiet: Bool = false
    ) throws {
        folder = try TemporaryFolder()
        group = nil
        do {
            path = folder.path
            self.systemStyle = systemStyle
            let layout = BusLayout(path: path, systemStyle: systemStyle)
            try layout.write(services: services, policy: policy)
            environment = layout.environment.merging(extraEnvironment) { $1 }
            daemon = try ChildProcess(
                "dbus-daemon",
                arguments: ["--config-file=\(path)/bus.conf", "--nofork", "--print-address=1"],
                environment: environment, output: .pipe, errors: isQuiet ? .discarded : .inherited)
            guard let line = try daemon.outputLines()?.next(timeout: .seconds(60)) else {
                throw NotStarted(status: try daemon.waitForExit(timeout: .zero))
            }
            address = line
        } catch {
            folder.remove()
            throw error
        }
    }

    /// What a service manager has started.
    init(
        folder: TemporaryFolder, address: String, environment: [String: String], daemon: ChildProcess,
        group: String
    ) {
        path = folder.path
        systemStyle = false
        self.folder = folder
        self.address = address
        self.environment = environment
        self.daemon = daemon
        self.group = group
    }

    /// A bus that did not come up.
    package struct NotStarted: Error {
        /// How it ended, if it did.
        package let status: ExitStatus?
    }

    /// The pid of the bus.
    package var processID: Int32 { daemon.id }

    /// The pids of all processes that have this bus's environment, the bus included.
    package func processes() throws -> [Int32] {
        let marker = Array("\(BusLayout.marker)=\(path)\0".utf8)
        let proc = try Folder(at: "/proc")
        return try proc.names().compactMap { name in
            // Processes end, and belong to others, at any time.
            guard let id = Int32(name), let bytes = try? proc.read("\(name)/environ", limit: 1 << 20) else {
                return nil
            }
            return bytes.contains(marker) ? id : nil
        }
    }

    /// Ends the bus and all that it started, and removes the folder.
    package func stop() {
        try? daemon.kill(.terminate)
        // A manager ends what it has started.
        if group != nil { _ = try? daemon.waitForExit(timeout: .seconds(10)) }
        for id in (try? processes()) ?? [] where id != daemon.id {
            try? ProcessControl.kill(id, .kill)
        }
        if (try? daemon.waitForExit(timeout: .seconds(5))) == nil { try? daemon.kill(.kill) }
        folder.remove()
        if let group { Self.removeGroups(group) }
    }
}

/// Lends a private bus, which is stopped when `body` ends.
package func withPrivateBus<Result>(
    services: [PrivateBus.Service] = [], systemStyle: Bool = false, policy: String? = nil,
    extraEnvironment: [String: String] = [:], _ body: (PrivateBus) async throws -> Result
) async throws -> Result {
    let bus = try PrivateBus(
        services: services, systemStyle: systemStyle, policy: policy, extraEnvironment: extraEnvironment)
    defer { bus.stop() }
    return try await body(bus)
}
