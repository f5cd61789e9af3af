import CofferLinux

extension PrivateBus {
    /// A program that can be the bus under a service manager.
    package enum Daemon: String, Sendable, CaseIterable {
        /// The reference implementation.
        case daemon = "dbus-daemon"
        /// What some distributions have in its place; it starts services by the manager alone.
        case broker = "dbus-broker"

        fileprivate var executable: String { self == .daemon ? "dbus-daemon" : "dbus-broker-launch" }
    }

    /// What keeps a user's service manager with such a bus from being started by tests on this machine;
    /// `nil` if nothing does.
    package static func obstacle(to daemon: Daemon) -> String? {
        guard CurrentProcess.userID == 0 else {
            return "only root may give it control groups and a /run of its own"
        }
        guard succeeds("test", ["-x", manager]) else { return "\(manager) is not there" }
        guard succeeds("test", ["-x", "/usr/bin/\(daemon.executable)"]) else {
            return "\(daemon.rawValue) is not installed"
        }
        guard succeeds("unshare", ["--mount", "--", "mount", "-t", "tmpfs", "coffer-test", "/run"]) else {
            return "mounting is not permitted here"
        }
        guard succeeds("sh", ["-c", probe, "sh", "coffer-test-\(CurrentProcess.id)"]) else {
            return "control groups cannot be made here"
        }
        return nil
    }

    /// Starts a user's service manager, `systemd --user`, which starts the bus, by which it is asked for
    /// services in turn.
    ///
    /// Units and services are those that `install` puts below `XDG_DATA_HOME` and `HOME` of the environment
    /// that it is given. Everything is in a namespace of mounts and in control groups that go when the bus is
    /// stopped. Needs that there is no `obstacle`.
    package convenience init(
        managedWith daemon: Daemon, extraEnvironment: [String: String] = [:],
        install: ([String: String]) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let group = "coffer-test-" + String(Randomness.words().0, radix: 36)
        do {
            let layout = BusLayout(path: folder.path, systemStyle: false)
            try layout.write(services: [], policy: nil)
            let address = "unix:path=\(folder.path)/runtime/bus"
            var environment = layout.environment.merging(extraEnvironment) { $1 }
            environment["DBUS_SESSION_BUS_ADDRESS"] = address
            try install(environment)
            let ready = try Self.writeUnits(for: daemon, in: Folder(at: folder.path))
            let process = try ChildProcess(
                "unshare", arguments: ["--mount", "--", "sh", "-c", Self.start, "sh", group],
                environment: environment.merging(["SYSTEMD_LOG_TARGET": "null"]) { $1 }, output: .discarded,
                errors: .discarded)
            guard try ready.next(timeout: .seconds(60)) == "ready" else {
                throw NotStarted(status: try process.waitForExit(timeout: .zero))
            }
            self.init(
                folder: folder, address: address, environment: environment, daemon: process, group: group)
        } catch {
            folder.remove()
            throw error
        }
    }

    /// The pid of a unit's main process; 0 if none runs.
    package func mainProcess(ofUnit unit: String) throws -> Int32 {
        Int32(try property("MainPID", ofUnit: unit)) ?? 0
    }

    /// What the manager says of a unit.
    package func property(_ name: String, ofUnit unit: String) throws -> String {
        let systemctl = try ChildProcess(
            "systemctl", arguments: ["--user", "show", "--property", name, "--value", unit],
            environment: environment, output: .pipe)
        return try systemctl.outputLines()?.rest().first ?? ""
    }

    /// Stops a unit, and returns when it has stopped.
    package func stop(unit: String) throws {
        let systemctl = try ChildProcess(
            "systemctl", arguments: ["--user", "stop", unit], environment: environment)
        guard try systemctl.waitForExit() == .code(0) else { throw NotStarted(status: nil) }
    }

    /// Removes the control groups of a manager that has ended.
    static func removeGroups(_ name: String) {
        _ = succeeds(
            "sh", ["-c", #"find /sys/fs/cgroup -depth -type d -path "*/$1*" -exec rmdir {} +"#, "sh", name])
    }
}

extension PrivateBus {
    private static let manager = "/usr/lib/systemd/systemd"

    /// In hierarchies of the kernel's second form, and of both forms beside each other.
    private static let groups = "/sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified"

    private static let probe = """
        made=1
        for root in \(groups); do
            [ -e "$root/cgroup.procs" ] || continue
            mkdir "$root/$1" && rmdir "$root/$1" && made=0
        done
        exit $made
        """

    /// The manager runs only if it believes that the whole system was started by its like.
    private static let start = """
        set -e
        mount -t tmpfs coffer-test /run
        mkdir -p /run/systemd/system /run/systemd/journal
        for root in \(groups); do
            [ -e "$root/cgroup.procs" ] || continue
            mkdir "$root/$1"
            echo $$ >"$root/$1/cgroup.procs"
        done
        exec \(manager) --user --unit=ready.service
        """

    /// Units of the test: one that tells that the bus can be called, and what a broker needs besides itself.
    private static func writeUnits(for daemon: Daemon, in folder: Folder) throws -> LineReader {
        guard succeeds("mkfifo", ["\(folder.path)/ready"]) else { throw NotStarted(status: nil) }
        let units = try folder.makeFolders("config/systemd/user")
        func write(_ name: String, _ text: String) throws { try units.replace(name, with: Array(text.utf8)) }
        try write(
            "ready.service",
            """
            [Unit]
            DefaultDependencies=no
            Requires=dbus.socket
            After=dbus.socket
            [Service]
            Type=oneshot
            ExecStart=/bin/sh -c 'echo ready >\(folder.path)/ready'

            """)
        if daemon == .broker {
            try write(
                "dbus.service",
                """
                [Unit]
                DefaultDependencies=no
                Requires=dbus.socket journal.socket
                After=dbus.socket journal.socket
                [Service]
                Type=notify
                Sockets=dbus.socket
                ExecStart=/usr/bin/dbus-broker-launch --scope user
                Slice=session.slice

                """)
            // It does not start without a journal to write to.
            try write(
                "journal.socket",
                "[Unit]\nDefaultDependencies=no\n[Socket]\nListenDatagram=/run/systemd/journal/socket\n")
            try write(
                "journal.service",
                "[Unit]\nDefaultDependencies=no\n[Service]\nStandardInput=socket\nStandardOutput=null\nExecStart=/bin/cat\n"
            )
        }
        // For reading and writing, so that it does not wait for the manager.
        return LineReader(try folder.openBeneath("ready", [.readWrite, .nonBlocking]))
    }

    private static func succeeds(_ tool: String, _ arguments: [String]) -> Bool {
        let process = try? ChildProcess(tool, arguments: arguments, output: .discarded, errors: .discarded)
        return (try? process?.waitForExit()) == .code(0)
    }
}
