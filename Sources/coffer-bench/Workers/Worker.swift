import CofferLinux

/// A process of this program that does one task and tells what it measured.
///
/// Confined. Lines go both ways through one socket, words apart by tabs; the process is killed when its
/// object goes.
final class Worker {
    /// The pid of the process.
    var id: Int32 { process.id }
    private let process: ChildProcess
    private let socket: OwnedDescriptor
    private let lines: LineReader
    private let name: String

    /// Starts `task` for the world's system.
    convenience init(
        _ task: WorkerTask, in world: World, store: String, objectCount: Int? = nil, number: Int = 0,
        calls: Int = 0
    ) throws {
        try self.init(
            task, system: world.system, place: StorePlace(place: world.place, store: store),
            objectCount: objectCount ?? world.objectCount, number: number, calls: calls)
    }

    /// Starts `task`; `number` tells workers of one kind apart, `calls` says how often something is done.
    init(
        _ task: WorkerTask, system: SystemName, place: StorePlace, objectCount: Int, number: Int = 0,
        calls: Int = 0
    ) throws {
        let (ours, theirs) = try SocketPair.make()
        name = "\(system.rawValue) \(task.rawValue)"
        socket = ours
        lines = LineReader(ours)
        let arguments = [
            "worker", task.rawValue, "--system", system.rawValue, "--place", place.place, "--store",
            place.store,
            "--objects", "\(objectCount)", "--number", "\(number)",
            "--calls", "\(calls)",
        ]
        process = try ChildProcess(
            ProcessFacts.executablePath(of: CurrentProcess.id), arguments: arguments,
            output: .file(theirs))
    }

    /// The end of the socket, for data that is not a line.
    var descriptor: OwnedDescriptor { socket }

    /// Tells the worker something.
    func tell(_ words: String...) throws {
        guard case .sent = try Socket(socket).send(Array((words.joined(separator: "\t") + "\n").utf8)) else {
            throw BenchError.worker("\(name): the process is gone")
        }
    }

    /// The words of the next line, which begins with `word`; what follows it is given.
    func expect(_ word: String, timeout: Duration = .seconds(300)) throws -> [String] {
        let words = try next(timeout: timeout)
        guard words.first == word else {
            throw BenchError.worker("\(name): said '\(words.joined(separator: " "))', not '\(word)'")
        }
        return Array(words.dropFirst())
    }

    /// What the worker measured, once it has ended.
    func results(timeout: Duration = .seconds(300)) throws -> [Metric: Double] {
        var results: [Metric: Double] = [:]
        while true {
            let words = try next(timeout: timeout)
            if words.first == "done" { break }
            guard words.count == 3, words[0] == "result", let metric = Metric(rawValue: words[1]),
                let value = Double(words[2])
            else { throw BenchError.worker("\(name): said '\(words.joined(separator: " "))'") }
            results[metric] = value
        }
        try process.waitForExit()
        return results
    }

    private func next(timeout: Duration) throws -> [String] {
        guard let line = try lines.next(timeout: timeout) else {
            guard let status = try process.waitForExit(timeout: .milliseconds(100)) else {
                throw BenchError.worker("\(name): said nothing for \(timeout)")
            }
            throw BenchError.worker("\(name): ended early, \(status)")
        }
        let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        if words.first == "error" {
            throw BenchError.worker("\(name): \(words.dropFirst().joined(separator: " "))")
        }
        return words
    }
}
