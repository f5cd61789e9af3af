import CofferDBus
import CofferLinux

/// A message bus of one system, which starts the service when a client calls it.
///
/// Confined. `stop()` ends the service and the bus.
final class BenchBus {
    /// The bus's address, as libdbus takes it.
    let address: String
    private let daemon: ChildProcess
    private let watcher: DBusClient
    private let log: OwnedDescriptor

    /// Starts a bus whose files, and the service's stores, are in `folder`.
    init(folder: Folder, cofferd: String) throws {
        let path = folder.path
        for name in ["services", "data", "home", "runtime"] { _ = try folder.makeFolders(name) }
        let service = """
            [D-BUS Service]
            Name=\(ServiceNames.name)
            Exec=\(cofferd) --data \(path)/data --idle-timeout 0 --log-level warning

            """
        try folder.replace("services/\(ServiceNames.name).service", with: Array(service.utf8))
        try folder.replace("bus.conf", with: Array(Self.configuration(path).utf8))
        log = try folder.openBeneath("bus.log", [.readWrite, .create, .append])
        do throws(LinuxError) {
            daemon = try ChildProcess(
                "dbus-daemon",
                arguments: ["--config-file=\(path)/bus.conf", "--nofork", "--print-address=1"],
                environment: Self.environment(path), output: .pipe, errors: .file(log))
        } catch {
            guard error.isNotFound else { throw error }
            throw BenchError.missingProgram(
                "dbus-daemon", advice: "install it; Debian's package is dbus-daemon")
        }
        guard let line = try daemon.outputLines()?.next(timeout: .seconds(20)) else {
            throw BenchError.busNotStarted("it gave no address")
        }
        address = line
        watcher = try DBusClient(to: .explicit(line))
    }

    /// What the bus and the service said last, a few lines.
    var lastWords: [String] {
        // Nothing is lost if the log cannot be read: it only explains.
        guard let bytes = try? log.read(upTo: 1 << 20, at: 0) else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(5).map(String.init)
    }

    /// The pid of the service; `nil` if it does not run.
    func servicePID() throws -> Int32? {
        do throws(DBusError) {
            return try watcher.ask(.credentials(of: ServiceNames.name)).pid.map { Int32(clamping: $0) }
        } catch {
            if error.isNameNotOwned { return nil }
            throw error
        }
    }

    /// A counter of a store that the service has open, as it shows it to administrators.
    func counter(_ name: String, ofStore store: String) throws -> UInt64 {
        let tree = try watcher.call(
            ServiceNames.name, path: ServiceNames.path, interface: "org.freedesktop.DBus.ObjectManager",
            member: "GetManagedObjects")
        for object in tree.body.first?.entries ?? [] {
            for interface in object.value.entries ?? [] {
                let properties = interface.value.propertyValues ?? [:]
                guard properties["Name"]?.stringValue == store, let value = properties[name]?.uint64Value
                else { continue }
                return value
            }
        }
        throw BenchError.wrongAnswer("the service shows no '\(name)' of a store '\(store)'")
    }

    /// Ends the service, if it runs, and returns when it is gone.
    func stopService() throws {
        guard let pid = try servicePID() else { return }
        try ProcessControl.kill(pid, .terminate)
        let deadline = Monotonic.now + Duration.seconds(10).wholeNanoseconds
        while ProcessControl.exists(pid) {
            guard Monotonic.now < deadline else { throw BenchError.serviceStays(pid: pid) }
            Monotonic.sleep(.milliseconds(1))
        }
    }

    /// Ends the service and the bus; what does not end by itself is killed.
    func stop() {
        let pid = try? servicePID()
        // What has ended meanwhile cannot be killed.
        do { try stopService() } catch { if let pid { try? ProcessControl.kill(pid, .kill) } }
        // As above.
        try? daemon.kill(.terminate)
        // As above.
        if (try? daemon.waitForExit(timeout: .seconds(5))) == nil { try? daemon.kill(.kill) }
    }

    private static func environment(_ path: String) -> [String: String] {
        let kept = CurrentProcess.environment.filter { ["PATH", "LD_LIBRARY_PATH", "LANG"].contains($0.key) }
        let own = [
            "HOME": "\(path)/home", "XDG_DATA_HOME": "\(path)/data", "XDG_RUNTIME_DIR": "\(path)/runtime",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(path)/bus",
        ]
        return kept.merging(own) { $1 }
    }

    private static func configuration(_ path: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(path)/bus</listen>
          <auth>EXTERNAL</auth>
          <servicedir>\(path)/services</servicedir>
          <policy context="default">
            <allow user="*"/>
            <allow own="*"/>
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
          </policy>
        </busconfig>
        """
    }
}
