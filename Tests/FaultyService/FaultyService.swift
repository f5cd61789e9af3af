import CofferDBus
import CofferLinux
import CofferSQLite
import CofferService
import CofferStores
import Logging

/// The service that `cofferd` runs, over files that fail when a test says so.
///
/// Its arguments are the folder of the stores and the bus. Each line of its standard input is a fault, in
/// place of any other: four numbers for its effect, its operations, its files, and whether it repeats; an
/// empty line changes nothing. Each is answered with how many calls faults have met so far.
@main
struct FaultyService {
    static func main() throws {
        guard CommandLine.arguments.count == 3 else { throw WrongInput() }
        let vfs = try SQLiteVFS()
        var options = StoreOptions()
        options.vfs = vfs
        let level = LogLevel(.notice)
        LoggingSystem.bootstrap { StandardErrorLog(label: $0, level: level, isJournal: false) }
        let signals = try SignalFD()
        let service = try Service(
            ServiceConfiguration(
                bus: .explicit(CommandLine.arguments[2]), isSystem: false,
                dataFolder: CommandLine.arguments[1], idleTimeout: nil, storeOptions: options),
            logger: Logger(label: "faulty-service"), logLevel: level)
        let plans = try WorkerThread(name: "faults") { follow(vfs) }
        try withExtendedLifetime(plans) { try service.run(signals: signals) }
    }

    /// Does what the lines say, until their end.
    private static func follow(_ vfs: SQLiteVFS) {
        let input = LineReader(OwnedDescriptor(owning: 0))
        let output = OwnedDescriptor(owning: 1)
        do {
            while let line = try input.next() {
                if !line.isEmpty { vfs.inject(try fault(line)) }
                try output.writeAll(Array("\(vfs.faultCount)\n".utf8))
            }
        } catch {
            // The test waits for an answer, and hears of the end instead.
            preconditionFailure("\(error)")
        }
    }

    private static func fault(_ line: String) throws -> SQLiteFault {
        let numbers = line.split(separator: " ").compactMap { Int32($0) }
        guard numbers.count == 4, let effect = SQLiteFault.Effect(rawValue: numbers[0]) else {
            throw WrongInput()
        }
        return SQLiteFault(
            effect, at: .init(rawValue: numbers[1]), on: .init(rawValue: numbers[2]), repeats: numbers[3] != 0
        )
    }

    struct WrongInput: Error {}
}
