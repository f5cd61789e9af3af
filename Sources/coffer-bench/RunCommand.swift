import ArgumentParser
import CofferLinux

/// `coffer-bench run`: measures steps on systems.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Measure steps on systems, and compare.",
        discussion: """
            Steps: W1 bulk insert, W2 single saves, W3 single saves of 8 processes, W4 fetch one, W5 fetch all, \
            W6 a save seen by another process, W7 start to first answer, W8 idle service, \
            W9 read a property, W10 walk through faults, W11 a single fault, W12 to-many traversal, \
            W13 fetch across relationships, W14 a large save seen by 8 processes, W15 a change in a long list, \
            W16 open a store, W17 a save to each type, W18 dump, W19 saves beside a copy, W20 a shared store, \
            W21 a store taken to other types, W22 a migration, W26 a save that is folded and put into a folder, \
            M memory of an object.

            Example: coffer-bench run --steps W2,W4 --systems coffer,sqlite,socketpair --format tsv
            """)

    @Option(help: "Steps, commas between them; all if it is not given.")
    var steps: String?

    @Option(help: "Of coffer, coffer-bus, coffer-embedded, sqlite, socketpair; all if it is not given.")
    var systems: String?

    @Option(help: "How many contacts the stores hold.")
    var objects = 10_000

    @Option(name: .customLong("repeat"), help: "How often each step is done; the median counts.")
    var repeats = 3

    @Option(
        help:
            "'table' for people; 'tsv' (system, step, metric, value) or 'json' (one object a line) for programs."
    )
    var format = OutputFormat.table

    @Option(help: "Folder for stores, on the disk that is to be measured.")
    var folder = "/var/tmp"

    @Option(
        help: "The service's program, an absolute path; the one beside this program if it is not given.")
    var cofferd: String?

    func validate() throws {
        guard (100...10_000_000).contains(objects) else {
            throw ValidationError("The contacts are 100 to 10,000,000.")
        }
        guard (1...1_000).contains(repeats) else { throw ValidationError("The repeats are 1 to 1,000.") }
        guard cofferd?.hasPrefix("/") ?? true else {
            throw ValidationError("The service's program is an absolute path.")
        }
        let (chosen, systems) = (try chosenSteps(), try chosenSystems())
        for step in chosen where steps != nil && !systems.contains(where: { step.isMeant(for: $0) }) {
            throw ValidationError("\(step.rawValue) means nothing for the chosen systems.")
        }
    }

    func run() throws {
        do {
            let signals = try SignalFD([.terminate, .interrupt, .hangUp])
            let session = try RunSession(
                steps: try chosenSteps(), systems: try chosenSystems(), objectCount: objects,
                repeats: repeats,
                folder: folder, cofferd: try servicePath(), signals: signals)
            let isComplete = try session.run()
            let report = Report(measurements: session.measurements, objectCount: objects)
            try Console.give(
                (format == .table ? MachineFacts.lines(folder: folder) : []) + report.lines(format))
            if !isComplete { throw SystemExit.software }
        } catch let error as ExitCode {
            throw error
        } catch {
            Console.complain("\(error)")
            throw SystemExit.code(for: error)
        }
    }

    private func chosenSteps() throws -> [Step] {
        try Self.choices(steps, named: "step") { Step(argument: $0) }
    }

    private func chosenSystems() throws -> [SystemName] {
        try Self.choices(systems, named: "system") { SystemName(rawValue: $0) }
    }

    private static func choices<Choice: CaseIterable & Hashable>(
        _ text: String?, named kind: String, _ read: (String) -> Choice?
    ) throws -> [Choice] {
        guard let text else { return Array(Choice.allCases) }
        let chosen = try text.split(separator: ",").map { word in
            guard let choice = read(String(word)) else {
                throw ValidationError("'\(word)' is not a valid \(kind).")
            }
            return choice
        }
        if chosen.isEmpty { throw ValidationError("Name a \(kind) at least.") }
        return Choice.allCases.filter(chosen.contains)
    }

    private func servicePath() throws -> String {
        if let cofferd { return cofferd }
        let own = try ProcessFacts.executablePath(of: CurrentProcess.id)
        return (own.split(separator: "/").dropLast().map { "/" + $0 } + ["/cofferd"]).joined()
    }
}
