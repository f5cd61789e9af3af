import ArgumentParser
import CofferDBus
import CofferLinux
import FoundationEssentials

/// `coffer trace`: where the time goes, in the service and in a program that uses it.
struct Trace: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Record what the service and a program do, and show where the time went.",
        discussion: """
            Fetches, saves, faults, cache misses and pushes of all clients are recorded in the service; of COMMAND and \
            what it starts also the contexts' own fetches, saves, faults and merges, since it finds COFFER_TRACE in its \
            environment. A transaction is one flow: from the save, through the service, to the programs that merge it. FILE can be \
            opened in ui.perfetto.dev or chrome://tracing. Times are milliseconds.

            A label is that of a fetch request (FetchRequest.label), else the name of the context, else its author, else \
            the name of the program. Recorded are names and counts, never values. No program waits for the recording: what is not \
            read in time is lost, and its number is told.

            Without COMMAND it records until interrupted, or for --duration. With COMMAND it records until that ends: when \
            --duration is over or a signal comes, COMMAND is asked to end with SIGTERM and waited for, and a second signal \
            kills it. The exit code is that of COMMAND, 128 and the signal's number if one ended it.

            Example: coffer trace --output notes.json --duration 60 -- notes-app --sync
            """)

    @OptionGroup var bus: BusOptions
    @Option(help: "Write the events into this file, once all are recorded.", completion: .file())
    var output: String?
    @Option(help: "End after this many seconds.") var duration: Double?
    @OptionGroup var format: OutputOptions
    @Argument(parsing: .postTerminator, help: "A program to record, with its arguments.")
    var command: [String] = []

    func validate() throws {
        if let duration, !(duration > 0 && duration < 1e9) {
            throw ValidationError("--duration is a number of seconds above 0.")
        }
    }

    func run() throws {
        let status = try reporting {
            let signals = try SignalFD()
            let service = try follow()
            // The file stays as it was until all has been recorded.
            let collector = try collector()
            defer { collector.discard() }
            let recording = try TraceRecording(service: service, command: command)
            try recording.run(for: duration.map { .seconds($0) }, until: signals, into: collector)
            try collector.finish()
            try report(collector)
            return recording.status
        }
        if let status, status != 0 { throw ExitCode(status) }
    }

    /// The end of the pipe into which the service tells what it does.
    private func follow() throws -> OwnedDescriptor {
        do throws(DBusError) {
            let client = try DBusClient(to: bus.busAddress)
            let reply = try client.call(
                ServiceStatus.name, path: ServiceStatus.path, interface: ServiceStatus.name,
                member: "OpenTrace")
            return try reply.argument(0, \.descriptorValue)
        } catch {
            throw bus.error(error, starting: true)
        }
    }

    private func collector() throws -> TraceCollector {
        do throws(LinuxError) {
            return try TraceCollector(writingTo: output)
        } catch {
            throw ToolError(
                .inputOutput, "The trace cannot be written to '\(output ?? "")': \(error.reason).")
        }
    }

    private func report(_ collector: TraceCollector) throws {
        let printer = format.printer(TraceSummary.columns)
        for line in collector.summary.lines { try printer.print(line) }
        try printer.finish()
        var lost = collector.summary.droppedCount
        lost.addCount(collector.skippedCount)
        if lost > 0 { StandardError.say("\(lost) events were lost: the recording could not keep up") }
        if let output { StandardError.say("Wrote \(output)") }
    }
}

/// One recording: a program, and the service that it uses.
///
/// Confined.
final class TraceRecording {
    private let service: LineReader
    private let child: ChildProcess?
    private let program: String
    private let folder: Folder?
    private static let fileName = "events.json"
    /// The exit code that says how the program ended; `nil` if there was none.
    private(set) var status: Int32?

    init(service: OwnedDescriptor, command: [String]) throws {
        self.service = LineReader(service)
        program = command.first ?? ""
        guard let executable = command.first else {
            (child, folder) = (nil, nil)
            return
        }
        let place = try Folder(at: FileManager.default.temporaryDirectory.path)
        let folder = try place.makeFolders("coffer-trace-\(UUID().uuidString)")
        self.folder = folder
        var environment = CurrentProcess.environment
        environment["COFFER_TRACE"] = "\(folder.path)/\(Self.fileName)"
        // If there is no standard input, the program has none either.
        let input = try? OwnedDescriptor.duplicate(of: 0)
        do {
            child = try ChildProcess(
                executable, arguments: Array(command.dropFirst()), environment: environment,
                input: input)
        } catch {
            // The first error is the one to tell.
            try? FileManager.default.removeItem(atPath: folder.path)
            throw ToolError(
                error.isNotFound ? .noInput : .noPermission, "'\(executable)' cannot be run (\(error)).")
        }
    }

    /// Records until the program ends, which it is asked to when the time is over or a signal comes; then
    /// takes what the program itself told.
    ///
    /// Without a program, the end of the time or a signal is the end. If recording fails, the program is
    /// asked to end too.
    func run(
        for duration: Duration?, until signals: SignalFD, into collector: TraceCollector
    ) throws(LinuxError) {
        do throws(LinuxError) {
            try record(for: duration, until: signals, into: collector)
        } catch {
            // The first error is the one to tell; a child that has ended cannot be killed.
            try? child?.kill(.terminate)
            _ = try? child?.waitForExit(timeout: .seconds(10))
            throw error
        }
        // The last pushes may follow the end of the program.
        let last = Monotonic.now + 1_000_000_000
        while Monotonic.now < last, let line = try service.next(timeout: .milliseconds(100)) {
            try collector.take(line)
        }
        try takeOwnEvents(into: collector)
    }

    private func record(
        for duration: Duration?, until signals: SignalFD, into collector: TraceCollector
    ) throws(LinuxError) {
        let end = duration.map { Monotonic.now + $0.wholeNanoseconds } ?? .max
        var isAsked = false
        while true {
            let beat = Monotonic.now + 50_000_000
            while Monotonic.now < beat, let line = try service.next(timeout: .milliseconds(50)) {
                try collector.take(line)
            }
            let pause: Duration = service.hasEnded ? .milliseconds(50) : .zero
            if try hasEnded(within: pause, wasAsked: isAsked) { return }
            let hasSignal = try signals.read() != nil
            guard hasSignal || (!isAsked && Monotonic.now >= end) else { continue }
            guard let child else { return }
            try child.kill(isAsked ? .kill : .terminate)
            isAsked = true
        }
    }

    /// Whether the program has ended; says how, if it did not end by itself.
    private func hasEnded(within timeout: Duration, wasAsked: Bool) throws(LinuxError) -> Bool {
        guard let child else {
            Monotonic.sleep(timeout)  // Where the service is gone there is nothing to wait for but a signal.
            return false
        }
        switch try child.waitForExit(timeout: timeout) {
        case .code(let code)?:
            status = code
            if wasAsked { StandardError.say("'\(program)' was asked to end, and did with code \(code)") }
        case .signal(let signal)?:
            status = 128 + signal.rawValue
            StandardError.say("'\(program)' was ended by signal \(signal.rawValue)")
        case nil: return false
        }
        return true
    }

    private func takeOwnEvents(into collector: TraceCollector) throws(LinuxError) {
        guard let folder else { return }
        do throws(LinuxError) {
            try collector.take(contentsOf: folder.openBeneath(Self.fileName))
        } catch {
            guard error.isNotFound else { throw error }  // It used no context.
        }
        try? FileManager.default.removeItem(atPath: folder.path)
    }
}
