import CofferLinux

/// One run: its systems side by side, each step on each in turn, again and again.
///
/// Confined. Turns are interleaved, so that what the machine does besides hits all systems alike.
final class RunSession {
    private let steps: [Step]
    private let systems: [SystemName]
    private let objectCount: Int
    private let repeats: Int
    private let parent: Folder
    private let cofferd: String
    private let signals: SignalFD
    /// What was measured so far.
    private(set) var measurements = Measurements()
    private var failed: Set<String> = []

    init(
        steps: [Step], systems: [SystemName], objectCount: Int, repeats: Int, folder: String, cofferd: String,
        signals: SignalFD
    ) throws {
        self.steps = steps
        self.systems = systems
        self.objectCount = objectCount
        self.repeats = repeats
        self.cofferd = cofferd
        self.signals = signals
        parent = try Folder(at: folder)
        if systems.contains(where: \.usesService) { try checkService() }
    }

    /// Measures everything; `false` if something failed, which was told on standard error.
    func run() throws -> Bool {
        let name = "coffer-bench-" + String(Randomness.words().0, radix: 36)
        let folder = try parent.makeFolders(name)
        var worlds: [World] = []
        defer {
            for world in worlds { world.tearDown() }
            // A service that was killed may still write: the folder then gets another chance.
            do { try parent.removeAll(name) } catch { try? parent.removeAll(name) }
        }
        for system in systems {
            worlds.append(try World(system, in: folder, objectCount: objectCount, cofferd: cofferd))
        }
        for turn in 1...repeats {
            for step in steps {
                // Another one begins each time, since the disk may still be busy with the step before.
                let first = turn % worlds.count
                for world in worlds[first...] + worlds[..<first] where step.isMeant(for: world.system) {
                    try measure(step, in: world, turn: turn)
                }
            }
        }
        Console.progress("")
        return failed.isEmpty
    }

    /// A system that failed in a step is left out of it from then on; the others go on.
    private func measure(_ step: Step, in world: World, turn: Int) throws {
        let name = "\(step.rawValue) \(world.system.rawValue)"
        if failed.contains(name) { return }
        Console.progress("\(turn) of \(repeats): \(name)")
        do {
            measurements.add(try step.measure(in: world), of: step, on: world.system)
        } catch {
            if try signals.read() != nil { throw BenchError.stopped }
            Console.complain("\(name): \(error)")
            for line in world.lastWords { Console.complain("  \(line)") }
            failed.insert(name)
        }
        if try signals.read() != nil { throw BenchError.stopped }
    }

    private func checkService() throws {
        let parts = cofferd.split(separator: "/")
        do throws(LinuxError) {
            let folder = try Folder(at: "/" + parts.dropLast().joined(separator: "/"))
            if let name = parts.last, try folder.facts(of: String(name))?.kind == .file { return }
        } catch {
            guard error.isNotFound else { throw error }
        }
        throw BenchError.missingProgram(
            cofferd,
            advice: "build it with 'swift build -c release --product cofferd', or name it with --cofferd")
    }
}
