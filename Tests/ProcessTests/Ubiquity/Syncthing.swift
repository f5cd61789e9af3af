import CofferLinux
import Foundation
import TestSupport

/// A daemon of Debian's `syncthing` that keeps one folder in step with that of another, over loopback alone.
final class Syncthing {
    /// Whether the program is there; tests that need it are skipped if it is not.
    static let isInstalled = FileManager.default.isExecutableFile(atPath: program)
    private static let program = "/usr/bin/syncthing"

    /// The folder that it keeps in step.
    let folder: String
    /// What it is called by its certificate.
    let deviceID: String
    private let home: String
    private let port: Int
    private var process: ChildProcess?

    /// Two daemons that know each other, each with a folder beneath `place`, that do not run yet.
    static func pair(beneath place: String) throws -> (Syncthing, Syncthing) {
        let ports = try freePorts(2)
        let one = try Syncthing(beneath: "\(place)/1", port: ports[0])
        let other = try Syncthing(beneath: "\(place)/2", port: ports[1])
        for (device, peer) in [(one, other), (other, one)] {
            try Data(device.configuration(knowing: peer).utf8)
                .write(to: URL(filePath: "\(device.home)/config.xml"))
        }
        return (one, other)
    }

    private init(beneath place: String, port: Int) throws {
        (home, folder) = ("\(place)/home", "\(place)/synced")
        self.port = port
        // The mark without which a folder counts as one that is away.
        for path in [home, "\(folder)/.stfolder"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        try Self.run(["generate", "--home", home, "--no-default-folder", "--skip-port-probing"], home: home)
        deviceID = try Self.run(["serve", "--home", home, "--device-id"], home: home).first ?? ""
    }

    /// Ports of loopback that no process listens on or talks from; daemons find others themselves nowhere.
    private static func freePorts(_ count: Int) throws -> [Int] {
        let table = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8).split(separator: "\n")
        let used = Set(
            table.dropFirst().compactMap { line in
                line.split(separator: " ").dropFirst().first?.split(separator: ":").last
                    .flatMap { Int($0, radix: 16) }
            })
        // Beneath those that the kernel gives away.
        return Array((10_000..<32_000).filter { !used.contains($0) }.shuffled().prefix(count))
    }

    private func configuration(knowing peer: Syncthing) -> String {
        let devices = [self, peer]
        let shares = devices.map { "<device id=\"\($0.deviceID)\"></device>" }.joined()
        let addresses = devices.map {
            "<device id=\"\($0.deviceID)\"><address>tcp://127.0.0.1:\($0.port)</address></device>"
        }
        return """
            <configuration version="35">
                <folder id="coffer" path="\(folder)" type="sendreceive" rescanIntervalS="2" \
            fsWatcherEnabled="true" fsWatcherDelayS="1" ignorePerms="false">
                    \(shares)<minDiskFree unit="%">0</minDiskFree>
                </folder>
                \(addresses.joined(separator: "\n    "))
                <gui enabled="false"></gui>
                <options>
                    <listenAddress>tcp://127.0.0.1:\(port)</listenAddress>
                    <globalAnnounceEnabled>false</globalAnnounceEnabled>
                    <localAnnounceEnabled>false</localAnnounceEnabled>
                    <relaysEnabled>false</relaysEnabled>
                    <natEnabled>false</natEnabled>
                    <reconnectionIntervalS>1</reconnectionIntervalS>
                    <startBrowser>false</startBrowser>
                    <urAccepted>-1</urAccepted>
                    <autoUpgradeIntervalH>0</autoUpgradeIntervalH>
                    <crashReportingEnabled>false</crashReportingEnabled>
                    <progressUpdateIntervalS>-1</progressUpdateIntervalS>
                </options>
            </configuration>
            """
    }

    /// Starts the daemon.
    func start() throws {
        process = try ChildProcess(
            Self.program,
            arguments: ["serve", "--home", home, "--no-browser", "--no-restart", "--no-upgrade"],
            environment: Self.environment(home),
            output: .discarded, errors: .discarded)
    }

    /// Ends the daemon: nothing comes or goes until it is started again.
    func stop() throws {
        try process?.kill()
        try process?.waitForExit()
        process = nil
    }

    @discardableResult
    private static func run(_ arguments: [String], home: String) throws -> [String] {
        let child = try ChildProcess(
            program, arguments: arguments, environment: environment(home), output: .pipe, errors: .discarded)
        let lines = try child.outputLines()?.rest() ?? []
        guard try child.waitForExit() == .code(0) else { throw Failed(arguments: arguments) }
        return lines
    }

    private static func environment(_ home: String) -> [String: String] {
        // No process of it watches over another: the process that is started here is the only one.
        ["HOME": home, "PATH": CurrentProcess.environment["PATH"] ?? "", "STMONITORED": "yes"]
    }

    /// A command of it that failed.
    struct Failed: Error {
        let arguments: [String]
    }
}
