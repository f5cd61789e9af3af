import ArgumentParser
import CofferDBus
import CofferLinux
import CofferService
import FoundationEssentials
import Logging

@main
struct CofferDaemon: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cofferd",
        abstract: "Serve stores of managed objects over D-Bus.",
        discussion: """
            Started by the bus when a client calls org.coffer.Storage1; exits when it was not used for a time.

            Settings that no option gives come from the environment (COFFER_DATA, COFFER_IDLE_TIMEOUT, COFFER_LOG_LEVEL, \
            COFFER_SLOW_FETCH, COFFER_USER_QUOTA, COFFER_SQL_DEBUG), else from the file $XDG_CONFIG_HOME/coffer/cofferd.conf, with --system \
            /etc/coffer/cofferd.conf, where it is there. Its lines, below '[cofferd]', are 'name = value', with the names \
            data, idle-timeout, log-level, slow-fetch, user-quota and sql-debug; comments are lines of their own, which begin with '#'. With a setting that is \
            unknown or wrong the service does not start, and says file and line: it would serve other stores than those that were meant.

            Example: cofferd --log-level debug --idle-timeout 0

            Exit codes: 0 stopped as asked, 69 the bus is not there or the name is taken, 73 the data folder cannot be \
            used, 78 a setting is wrong, 64 wrong arguments.
            """,
        version: "cofferd \(ServiceVersion.text)")

    @Flag(help: "Serve all users on the system bus, each with a folder of its own.")
    var system = false

    @Option(help: "Address of the bus; the session or system bus if it is not given.")
    var bus: String?

    @Option(
        help:
            "Folder of the stores; $XDG_DATA_HOME/coffer, with --system /var/lib/coffer, if it is not given."
    )
    var data: String?

    @Option(help: "The file with settings, instead of that in its usual place; '/dev/null' for none.")
    var config: String?

    @Option(help: "Seconds without a client before the service exits; 0: never. Else 60.")
    var idleTimeout: Double?

    @Option(help: "trace, debug, info, notice, warning, error or critical. Else notice.")
    var logLevel: String?

    @Option(
        help:
            "Milliseconds from which on a fetch is logged with its SQL; 0: never. Else 1000."
    )
    var slowFetch: UInt32?

    @Option(
        help: "MiB that the stores of one user may take, with --system; 0: as many as there are. Else 16384.")
    var userQuota: Int?

    @Option(
        help: "Log SQL: 1 statements with times and rows, 2 also SQLite's plans; never values. Else 0.")
    var sqlDebug: Int?

    func validate() throws {
        if let logLevel, Logger.Level(rawValue: logLevel) == nil {
            throw ValidationError("'\(logLevel)' is not a log level.")
        }
        if let data, !data.hasPrefix("/") {
            throw ValidationError("The data folder is an absolute path, not '\(data)'.")
        }
        guard sqlDebug.map({ ServiceSettings.isSQLDebugLevel($0) }) ?? true else {
            throw ValidationError("The level of --sql-debug is a number from 0 to 2.")
        }
        guard userQuota.map({ ServiceSettings.isUserQuota($0) }) ?? true else {
            throw ValidationError("The quota of a user is a number of MiB, 0 or more.")
        }
        guard idleTimeout.map({ ServiceSettings.isIdleTimeout($0) }) ?? true else {
            throw ValidationError("The idle timeout is a number of seconds, 0 or more.")
        }
    }

    func run() throws {
        Allocator.keepLargeBlocks()
        CurrentProcess.keepFilesPrivate()
        CurrentProcess.raiseDescriptorLimit()
        let level = LogLevel(.notice)
        let isJournal = CurrentProcess.environment["JOURNAL_STREAM"] != nil
        LoggingSystem.bootstrap { label in StandardErrorLog(label: label, level: level, isJournal: isJournal)
        }
        let logger = Logger(label: "cofferd")
        let settings: ServiceSettings
        do throws(SettingsError) { settings = try self.settings() } catch {
            logger.critical("The service cannot start with these settings", metadata: ["error": "\(error)"])
            throw ExitCode(78)
        }
        level.set(settings.logLevel ?? .notice)
        let service: Service
        let signals: SignalFD
        do {
            signals = try SignalFD()
            service = try Service(try configuration(settings), logger: logger, logLevel: level)
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

    /// What options, environment and file say, the first of them that says something.
    private func settings() throws(SettingsError) -> ServiceSettings {
        let environment = CurrentProcess.environment
        var flags = ServiceSettings()
        flags.dataFolder = data
        flags.idleTimeout = idleTimeout
        flags.logLevel = logLevel.flatMap { Logger.Level(rawValue: $0) }
        flags.slowFetch = slowFetch
        flags.userQuota = userQuota
        flags.sqlDebug = sqlDebug
        var file = ServiceSettings()
        if let path = config ?? SettingsFile.path(isSystem: system, environment: environment) {
            file = try SettingsFile.read(path, mustExist: config != nil)
        }
        return flags.over(try ServiceSettings(environment: environment)).over(file)
    }

    private func configuration(_ settings: ServiceSettings) throws -> ServiceConfiguration {
        let address: DBusAddress = bus.map { .explicit($0) } ?? (system ? .system : .session)
        let folder: String
        if let data = settings.dataFolder {
            folder = data
        } else if system {
            folder = "/var/lib/coffer"
        } else if let home = XDG(environment: CurrentProcess.environment).dataHome {
            folder = home + "/coffer"
        } else {
            throw ValidationError("Neither XDG_DATA_HOME nor HOME is set: name the folder with --data.")
        }
        let idleTimeout = settings.idleTimeout ?? 60
        var configuration = ServiceConfiguration(
            bus: address, isSystem: system, dataFolder: folder,
            idleTimeout: idleTimeout == 0 ? nil : .seconds(idleTimeout),
            slowFetchThreshold: .milliseconds(settings.slowFetch ?? 1_000),
            userQuota: settings.userQuota.map { $0 == 0 ? nil : $0 << 20 }
                ?? ServiceConfiguration.usualUserQuota,
            sqlDebug: settings.sqlDebug ?? 0)
        #if DEBUG
        // Tests say of callers that they run in sandboxes.
        if let root = CurrentProcess.environment["COFFER_TEST_PROCESS_ROOT"] {
            configuration.processRoot = { processID in "\(root)/\(processID)" }
        }
        // They do not wait for minutes.
        if let timeout = CurrentProcess.environment["COFFER_TEST_BUS_TIMEOUT"].flatMap(Int64.init) {
            configuration.busCallTimeout = .milliseconds(timeout)
        }
        if let time = CurrentProcess.environment["COFFER_TEST_CONTAINER_PATIENCE"].flatMap(Int64.init) {
            configuration.containerPatience = .milliseconds(time)
        }
        // Nor for weeks: a file says how many days have passed.
        if let path = CurrentProcess.environment["COFFER_TEST_CLOCK"] {
            let now = configuration.now
            configuration.now = {
                // For tests alone: before the file is written no days have passed.
                let days = (try? String(contentsOfFile: path, encoding: .utf8)).flatMap { Double($0) } ?? 0
                return now() + days * 86_400
            }
        }
        #endif
        return configuration
    }
}
