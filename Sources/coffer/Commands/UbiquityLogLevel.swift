import ArgumentParser
import Coffer
import CofferDBus

/// `coffer ubiquity log-level`: how much the service logs of shared stores.
struct UbiquityLogLevelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log-level",
        abstract: "Have the service log more or less of stores that several machines share, until it ends.",
        discussion: """
            0: failures alone. 1, which is the default: also what becomes of containers. 2: also what comes from other machines. \
            3: also each round of work. The log is that of the service: journalctl --user -u cofferd.

            Example: coffer ubiquity log-level 3
            """)

    @Argument(help: "The level, 0 to 3.") var level: UInt32
    @OptionGroup var bus: BusOptions

    func validate() throws {
        if level > 3 { throw ValidationError("The level is a number from 0 to 3.") }
    }

    func run() throws {
        try reporting {
            do throws(DBusError) {
                _ = try DBusClient(to: bus.busAddress).call(
                    ServiceStatus.name, path: ServiceStatus.path, interface: ServiceStatus.name,
                    member: "SetUbiquityLogLevel", body: [.uint32(level)])
            } catch {
                throw bus.error(error, starting: true)
            }
        }
    }
}
