import ArgumentParser
import CofferDBus
import CofferLinux
import CofferService
import Logging

@main
struct CofferDaemon: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cofferd",
        abstract: "Serve stores of managed objects over D-Bus.",
        discussion: """
            Started by the bus when a client calls org.coffer.Storage1; exits when nobody has used it for a time.

            Example: cofferd --log-level debug --idle-timeout 0

            Exit codes: 0 stopped as asked, 69 the bus is not there or the name is taken, 73 the data folder cannot be \
            used, 64 wrong arguments.
            """,
        version: "cofferd \(ServiceVersion.text)")

    @Flag(help: "Serve all users on the system bus, each with a folder of its own.")
    var system = false

    @Option(help: "Address of the bus; the session or system bus where it is not given.")
    var bus: String?

    @Option(
        help:
            "Folder of the stores; $XDG_DATA_HOME/coffer, with --system /var/lib/coffer, where it is not given."
    )
    var data: String?

    @Option(help: "Seconds without a client before the service exits; 0: never.")
    var idleTimeout = 60.0

    @Option(help: "trace, debug, info, notice, warning, error or critical.")
    var logLevel = "notice"

    @Option(
        help:
            "Milliseconds from which on a fetch is logged with its SQL; 0: never. Else $COFFER_SLOW_FETCH, or 1000."
    )
    var slowFetch: UInt32?

    @Option(
        help: """
            Log SQL: 1 statements with times and rows, 2 also the kinds of what was bound, 3 also plans; never values. \
            Else $COFFER_SQL_DEBUG, or 0.
            """)
    var sqlDebug: Int?

    func validate() throws {
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError("'\(logLevel)' is no log level.")
        }
        guard sqlDebug.map({ (0...3).contains($0) }) ?? true else {
            throw ValidationError("The level of --sql-debug is a number from 0 to 3.")
        }
        guard idleTimeout >= 0, idleTimeout < 1e9 else {
            throw ValidationError("The idle timeout is a number of seconds, 0 or more.")
        }
    }

    func run() throws {
        Allocator.keepLargeBlocks()
        CurrentProcess.keepFilesPrivate()
        CurrentProcess.raiseDescriptorLimit()
        let level = LogLevel(Logger.Level(rawValue: logLevel) ?? .notice)
        let isJournal = CurrentProcess.environment["JOURNAL_STREAM"] != nil
        LoggingSystem.bootstrap { label in StandardErrorLog(label: label, level: level, isJournal: isJournal)
        }
        let logger = Logger(label: "cofferd")
        let service: Service
        let signals: SignalFD
        do {
            signals = try SignalFD()
            service = try Service(try configuration(), logger: logger, logLevel: level)
        } catch {
            logger.critical("The service cannot start", metadata: ["error": "\(error)"])
            throw ExitCode(73)
        }
        do {
            try service.run(signals: signals)
        } catch {
            logger.critical("The service cannot serve", metadata: ["error": "\(error)"])
            throw ExitCode(69)
        }
    }

    private func configuration() throws -> ServiceConfiguration {
        let address: DBusAddress = bus.map { .explicit($0) } ?? (system ? .system : .session)
        let folder: String
        if let data {
            folder = data
        } else if system {
            folder = "/var/lib/coffer"
        } else if let home = XDG(environment: CurrentProcess.environment).dataHome {
            folder = home + "/coffer"
        } else {
            throw ValidationError("Neither XDG_DATA_HOME nor HOME is set: name the folder with --data.")
        }
        var configuration = ServiceConfiguration(
            bus: address, isSystem: system, dataFolder: folder,
            idleTimeout: idleTimeout == 0 ? nil : .seconds(idleTimeout),
            slowFetchThreshold: .milliseconds(
                slowFetch ?? CurrentProcess.environment["COFFER_SLOW_FETCH"].flatMap { UInt32($0) } ?? 1_000),
            sqlDebug: sqlDebug ?? CurrentProcess.environment["COFFER_SQL_DEBUG"].flatMap { Int($0) } ?? 0)
        #if DEBUG
        // Tests say of callers that they run in sandboxes.
        if let root = CurrentProcess.environment["COFFER_TEST_PROCESS_ROOT"] {
            configuration.processRoot = { processID in "\(root)/\(processID)" }
        }
        #endif
        return configuration
    }
}
