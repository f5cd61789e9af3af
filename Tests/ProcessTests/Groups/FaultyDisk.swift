import CofferLinux
import CofferSQLite
import TestSupport

/// The files of a service that runs in a process of its own: they fail, or take their time, when a test says
/// so.
///
/// Confined.
final class FaultyDisk {
    private let child: ChildProcess
    private let input: OwnedDescriptor
    private let answers: LineReader

    struct Silence: Error {}

    /// Starts the service on the bus of `service`, in the place of the one that the bus would start, and
    /// waits until it serves.
    init(_ service: ServiceUnderTest) throws {
        let isQuiet = CurrentProcess.environment["COFFER_TEST_LOG"] == nil
        let pipe = try Pipe.make()
        child = try service.started {
            try ChildProcess(
                BuiltProducts.path(of: "faulty-service"), arguments: [service.data, service.bus.address],
                environment: service.bus.environment, input: pipe.reader, output: .pipe,
                errors: isQuiet ? .discarded : .inherited)
        }
        guard let output = child.outputLines() else { throw Silence() }
        input = pipe.writer
        answers = output
    }

    /// Lets calls of the service fail from now on, in place of those before; gives how many have met a fault
    /// until then.
    @discardableResult
    func inject(_ fault: SQLiteFault) throws -> Int {
        let numbers = [
            fault.effect.rawValue, fault.operations.rawValue, fault.files.rawValue, fault.repeats ? 1 : 0,
        ]
        return try tell(numbers.map { "\($0)" }.joined(separator: " "))
    }

    /// Lets all calls succeed, and those go on that are held.
    func heal() throws { try inject(SQLiteFault(.ioError, at: [])) }

    /// How many calls of the service have met a fault.
    func faultCount() throws -> Int { try tell("") }

    private func tell(_ line: String) throws -> Int {
        try input.writeAll(Array("\(line)\n".utf8))
        guard let count = try answers.next(timeout: .seconds(60)).flatMap({ Int($0) }) else {
            throw Silence()
        }
        return count
    }
}
