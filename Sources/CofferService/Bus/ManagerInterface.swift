import CofferDBus
import CofferStores
import CofferWire
import Logging

/// The main object as one caller sees it.
struct ManagerObject: Sendable {
    let service: Service
    let caller: BusCaller

    /// The sessions that the caller may see.
    var visibleSessions: [ServedSession] {
        service.core.allSessions.filter {
            let owner = $0.session.caller
            return service.isVisible(userID: owner.userID, application: owner.application, to: caller)
        }
    }
}

/// `org.coffer.Storage1`: every rpc of `service Storage`, and what an administrator asks of the service as a
/// whole.
enum ManagerInterface {
    static let rpcArguments = [DBusArgument("request", "ay"), DBusArgument("descriptors", "ah")]
    static let rpcResults = [DBusArgument("reply", "ay"), DBusArgument("reply_descriptors", "ah")]

    static let table = BusInterface<ManagerObject>(
        name: BusNames.name,
        documentation: RPCDocumentation.conventions,
        methods: [
            .init(
                "Flush",
                "Waits until every open store of the caller's has committed what was handed in, and moves its write-ahead log into its file."
            ) { manager, caller, _ in
                for store in manager.service.visibleStores(to: caller)
                where store.key.userID == caller.userID {
                    try store.flush()
                }
                return []
            },
            .init(
                "SetLogLevel", in: [DBusArgument("level", "s")],
                "Sets what is logged: trace, debug, info, notice, warning, error or critical."
            ) { manager, caller, arguments in
                try manager.service.requireAdministrator(caller)
                guard let level = Logger.Level(rawValue: try arguments[0].text) else {
                    throw BusCallError.invalidArgument(
                        "a level is one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                manager.service.logLevel.set(level)
                return []
            },
            .init(
                "SetSlowFetchThreshold", in: [DBusArgument("milliseconds", "u")],
                "Logs fetches that take so long or longer, with their SQL and plan; 0: none."
            ) { manager, caller, arguments in
                try manager.service.requireAdministrator(caller)
                guard case .uint32(let milliseconds) = arguments[0] else {
                    throw BusCallError.invalidArgument("a number of milliseconds is expected")
                }
                manager.service.core.slowFetches.thresholdMilliseconds = milliseconds
                return []
            },
            .init(
                "SetSQLDebug", in: [DBusArgument("level", "u")],
                "Logs the SQL of all stores: 0 nothing, 1 statements with times and rows, 2 also SQLite's plans; never values."
            ) { manager, caller, arguments in
                try manager.service.requireAdministrator(caller)
                guard case .uint32(let level) = arguments[0], level <= SQLDebug.highestLevel else {
                    throw BusCallError.invalidArgument(
                        "a level is a number from 0 to \(SQLDebug.highestLevel)")
                }
                manager.service.core.stores.sqlDebug.level = Int(level)
                return []
            },
            .init(
                "SetUbiquityLogLevel", in: [DBusArgument("level", "u")],
                "Logs what happens to stores that several machines share: 0 failures alone, 1 also what becomes of their containers, 2 also what comes from other machines, 3 also each round of work."
            ) { manager, caller, arguments in
                try manager.service.requireAdministrator(caller)
                guard case .uint32(let level) = arguments[0], level <= UbiquityLog.highestLevel else {
                    throw BusCallError.invalidArgument(
                        "a level is a number from 0 to \(UbiquityLog.highestLevel)")
                }
                manager.service.core.ubiquityLog.level = Int(level)
                return []
            },
            .init(
                "ImportShared", out: [DBusArgument("done", "u"), DBusArgument("left", "u")],
                "Brings in what other machines wrote for all stores that are shared, whether or not a client has them open; says how many have all now, and how many containers did not answer within four minutes."
            ) { manager, caller, _ in
                try manager.service.requireAdministrator(caller)
                let (done, left) = manager.service.core.importShared()
                return [.uint32(UInt32(done)), .uint32(UInt32(left))]
            },
            .init(
                "OpenTrace", out: [DBusArgument("events", "h")],
                "Tells what the service does from now on: a pipe, a JSON object a line, as Chrome's trace viewer reads them; it ends when the pipe is closed."
            ) { manager, caller, _ in
                try manager.service.requireAdministrator(caller)
                return [.unixFD(try manager.service.core.trace.open(for: caller.identity))]
            },
        ],
        properties: [
            .init("Version", "s", changes: .const, documentation: "The service's version.") { _ in
                .string(ServiceCore.version)
            },
            .init("Protocol", "u", changes: .const, documentation: "The version of the protocol.") { _ in
                .uint32(HelloRequestMessage.protocolVersion)
            },
            .init("LogLevel", "s", changes: .none, documentation: "What is logged.") {
                .string($0.service.logLevel.level.rawValue)
            },
            .init(
                "SlowFetchThreshold", "u", changes: .none,
                documentation: "Milliseconds from which on a fetch is logged; 0: none."
            ) {
                .uint32($0.service.core.slowFetches.thresholdMilliseconds)
            },
            .init(
                "SQLDebug", "u", changes: .none,
                documentation: "How much of the SQL of stores is logged: 0 nothing, to 2."
            ) {
                .uint32(UInt32(clamping: $0.service.core.stores.sqlDebug.level))
            },
            .init(
                "UbiquityLogLevel", "u", changes: .none,
                documentation: "How much is logged of stores that several machines share: 0 to 3."
            ) {
                .uint32(UInt32(clamping: $0.service.core.ubiquityLog.level))
            },
            .init(
                "Clients", "u", changes: .none,
                documentation: "How many sessions there are that the caller may see."
            ) {
                .uint32(UInt32($0.visibleSessions.count))
            },
            .init(
                "Stores", "u", changes: .none,
                documentation: "How many stores are open that the caller may see."
            ) {
                .uint32(UInt32($0.service.visibleStores(to: $0.caller).count))
            },
        ],
        otherMethods: RPCTable.all.map { rpc in
            DBusMethodDescription(
                rpc.name, in: rpcArguments, out: rpcResults, documentation: RPCDocumentation.texts[rpc.name])
        } + [
            DBusMethodDescription(
                "OpenChannel", in: [DBusArgument("hello", "ay")],
                out: [DBusArgument("reply", "ay"), DBusArgument("channel", "h")],
                documentation:
                    "Opens a channel: one end of a stream socket pair, see Protos/coffer/v1/channel.proto.")
        ],
        signals: [
            DBusSignalDescription(
                "Push", [DBusArgument("push", "ay")],
                documentation: "To one name alone, after Watch: a message coffer.v1.Push.")
        ])
}

extension DBusValue {
    /// The text of a string argument, whose signature was checked.
    var text: String {
        get throws {
            guard let text = stringValue else { throw BusCallError.invalidArgument("text is expected") }
            return text
        }
    }
}
